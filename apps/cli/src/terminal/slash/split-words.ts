// Splits the text after the name of a slash command into words, as a shell does: quotes keep spaces together.

/** Matches one word: pieces in quotes, escaped characters, and other characters without spaces. */
const WORD = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs;

/** Matches one piece of a word. */
const PIECE = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^"'\\]+|["'\\])/gs;

/** Returns the words of a text. A quote without its partner is an ordinary character. */
export function splitWords(text: string): readonly string[] {
  return Array.from(text.matchAll(WORD), ([word]) => withoutQuotes(word));
}

function withoutQuotes(word: string): string {
  return word.replaceAll(PIECE, (_, double?: string, single?: string, escaped?: string, plain?: string) =>
    double === undefined ? (single ?? escaped ?? plain ?? '') : double.replaceAll(/\\(["\\])/g, '$1'),
  );
}
