// Words of a command line for a person who decides by them: two different words never look the same.

/** Returns the text with each character outside of printable ASCII as an escape: look-alike letters are seen too. */
export function asciiText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}

/**
 * Returns a word of a command line in printable ASCII, quoted so that its borders are seen: bare where it is plain, in
 * `'…'` where a shell would read more into it, and in `$'…'`, with escapes, where it holds a quote, a backslash or a
 * character outside of printable ASCII. Two different words never look the same.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (/^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/.test(word)) return `'${word}'`;
  return `$'${asciiText(word.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t'))}'`;
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
