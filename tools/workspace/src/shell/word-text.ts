// A word of a shell as its program would get it, where that is known without running anything.

import type { Word, WordPart } from 'unbash';

/** The text, quotes and escapes resolved; `undefined` where an expansion decides what it is, or how many words. */
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
