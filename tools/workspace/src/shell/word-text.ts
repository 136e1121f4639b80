// Returns the text that a program receives for a shell word. The text is known only if nothing must be run to find it.

import type { Word, WordPart } from 'unbash';

/**
 * Returns the text of a word, with quotes and escapes resolved. If the text or the number of words depends on an
 * expansion, returns `undefined`.
 */
export function textOf(word: Word): string | undefined {
  return word.parts === undefined ? word.value : joinParts(word.parts);
}

function joinParts(parts: readonly WordPart[]): string | undefined {
  let text = '';
  for (const part of parts) {
    const more = textOfPart(part);
    if (more === undefined) return undefined;
    text += more;
  }
  return text;
}

function textOfPart(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
      return joinParts(part.parts);
    case 'LocaleString':
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return undefined;
  }
}
