// The form of a text file beside its words: how lines end, and the mark of byte order. Models are shown neither and send
// plain line feeds; what they change keeps the form that the file had.

import { isUtf8 } from 'node:buffer';

const BOM = '\uFEFF';

/** The text of UTF-8 bytes as they stand, mark included; `undefined` when they are no text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** How most lines of a text end; a text of one line ends in line feeds. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const long = text.split('\r\n').length - 1;
  return long * 2 > all ? '\r\n' : '\n';
}

/** Words with each line end as given. */
export function withLineEnds(words: string, end: '\n' | '\r\n'): string {
  return words.replace(/\r?\n/g, end);
}

/** New words for a whole file in the form of the old ones, and what of it was kept. Words with their own form stay as they are. */
export function inFormOf(old: string, words: string): { readonly text: string; readonly kept: readonly string[] } {
  const long = lineEnd(old) === '\r\n' && !words.includes('\r');
  const marked = old.startsWith(BOM) && !words.startsWith(BOM);
  const text = long ? withLineEnds(words, '\r\n') : words;
  return {
    text: marked ? BOM + text : text,
    kept: [...(long ? ['line ends (CRLF)'] : []), ...(marked ? ['mark of byte order'] : [])],
  };
}
