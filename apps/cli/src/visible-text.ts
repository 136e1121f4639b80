// Text that others wrote, made visible in full: a character that a terminal does not draw as itself is shown as an escape
// (`\u{202e}`). `plain-text.ts` drops such characters; here nothing is dropped, because the text is a thing to decide on.

/** Controls, formats, unassigned and private characters, lone surrogates, blank letters, each space but the usual one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Returns prose with each hidden character as an escape. Letters of all scripts stay. The result is one line. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, escapeOf);
}

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
