// Prints words of a command line for a user who must decide if the command is allowed to run. Two different words never
// look the same.

/**
 * Returns the text with each character outside printable ASCII replaced by an escape. This makes look-alike letters
 * visible.
 */
export function asciiText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}

/**
 * Returns a word of a command line in printable ASCII. If necessary, the word is quoted, so its start and end are
 * visible. A plain word has no quotes. A word that a shell would interpret is in `'…'`. A word with a quote, a
 * backslash or a character outside printable ASCII is in `$'…'` with escapes. Two different words never look the same.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (/^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/.test(word)) return `'${word}'`;
  return `$'${asciiText(word.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t'))}'`;
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
