// Prints words of a command line for a user who must decide whether the command may run. Two different words never look the
// same.

/**
 * Returns the text with each character outside printable ASCII replaced by an escape. Look-alike letters thus become
 * visible.
 */
export function asciiText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}

/**
 * Returns a word of a command line in printable ASCII, quoted so that its start and end are visible. A plain word stays
 * bare. A word that a shell would interpret is in `'…'`. A word with a quote, a backslash or a character outside
 * printable ASCII is in `$'…'` with escapes. Two different words never look the same.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (/^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/.test(word)) return `'${word}'`;
  return `$'${asciiText(word.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t'))}'`;
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
