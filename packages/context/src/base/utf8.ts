// Length of a text in UTF-8: a pure package has no TextEncoder.

/** Bytes of the text in UTF-8; a lone surrogate counts as the three of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code >= 0xd800 && code <= 0xdfff && isPair(text, index)) {
      bytes += 2;
      index += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isPair(text: string, index: number): boolean {
  const low = text.charCodeAt(index + 1);
  return text.charCodeAt(index) < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
}
