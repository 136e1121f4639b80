// Form of a text file: its line ends and its byte order mark. Models do not see this form and send plain line feeds. A
// change by a model keeps the form of the file.

import { isUtf8 } from 'node:buffer';

const BOM = '\uFEFF';

/**
 * Decodes UTF-8 bytes without changes, including a byte order mark. Returns `undefined` if the bytes are not valid
 * UTF-8 or contain a NUL byte.
 */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Returns the line end that more than half of the lines have. Returns a line feed for a text of one line. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const long = text.split('\r\n').length - 1;
  return long * 2 > all ? '\r\n' : '\n';
}

/** Returns the text with every line end replaced by `end`. */
export function withLineEnds(words: string, end: '\n' | '\r\n'): string {
  return words.replace(/\r?\n/g, end);
}

/**
 * Returns the new text of a whole file with the line ends and the byte order mark of the old text, and the names of the
 * properties that were kept. If the new text itself contains a carriage return, its line ends are not changed. If the
 * new text begins with a byte order mark, no mark is added.
 */
export function inFormOf(old: string, words: string): { readonly text: string; readonly kept: readonly string[] } {
  const long = lineEnd(old) === '\r\n' && !words.includes('\r');
  const marked = old.startsWith(BOM) && !words.startsWith(BOM);
  const text = long ? withLineEnds(words, '\r\n') : words;
  return {
    text: marked ? BOM + text : text,
    kept: [...(long ? ['line endings (CRLF)'] : []), ...(marked ? ['byte order mark'] : [])],
  };
}
