// Form of a text file: its line ends and its byte order mark. Models do not see this form and send plain line feeds.
// When a model changes a file, the form of the file stays the same.

import { isUtf8 } from 'node:buffer';

const BOM = '\uFEFF';

/**
 * Decodes UTF-8 bytes without changes, including a byte order mark. If the bytes are not valid UTF-8 or contain a NUL
 * byte, returns `undefined`.
 */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Line ends and byte order mark of a text file. */
export interface TextForm {
  readonly end: '\n' | '\r\n';
  readonly marked: boolean;
}

/** Reads the form of a file from its bytes, in order and in pieces of any size. */
export interface FormReader {
  add(bytes: Uint8Array): void;
  /**
   * Returns the form of the bytes that were added. If the bytes are not valid UTF-8 or contain a NUL byte, the form is
   * line feeds without a byte order mark.
   */
  form(): TextForm;
}

const PLAIN: TextForm = { end: '\n', marked: false };

/** Creates a form reader. It stores no bytes, so it can read a file of any size. */
export function createFormReader(): FormReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const seen = { length: 0, last: '', all: 0, long: 0, marked: false, isText: true };
  const take = (text: string): void => {
    if (seen.length === 0) seen.marked = text.startsWith(BOM);
    seen.length += text.length;
    seen.all += countOf(text, '\n');
    seen.long += countOf(text, '\r\n') + (seen.last === '\r' && text.startsWith('\n') ? 1 : 0);
    seen.last = text.at(-1) ?? seen.last;
    if (text.includes('\0')) seen.isText = false;
  };
  const decode = (bytes?: Uint8Array): void => {
    try {
      take(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      seen.isText = false;
    }
  };
  return {
    add(bytes) {
      if (seen.isText) decode(bytes);
    },
    form() {
      if (seen.isText) decode();
      return seen.isText ? { end: seen.long * 2 > seen.all ? '\r\n' : '\n', marked: seen.marked } : PLAIN;
    },
  };
}

/** Returns the line end of more than half of the lines. For a text of one line, returns a line feed. */
export function lineEnd(text: string): '\n' | '\r\n' {
  return countOf(text, '\r\n') * 2 > countOf(text, '\n') ? '\r\n' : '\n';
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Returns the text with every line end replaced by `end`. */
export function withLineEnds(words: string, end: '\n' | '\r\n'): string {
  return words.replace(/\r?\n/g, end);
}

export function formOf(text: string): TextForm {
  return { end: lineEnd(text), marked: text.startsWith(BOM) };
}

/**
 * Returns the new text of a whole file with the line ends and the byte order mark of the old file. Also returns the
 * names of the properties that stayed the same. If the new text itself contains a carriage return, its line ends are
 * not changed. If the new text begins with a byte order mark, no mark is added.
 */
export function inFormOf(old: TextForm, words: string): { readonly text: string; readonly kept: readonly string[] } {
  const long = old.end === '\r\n' && !words.includes('\r');
  const marked = old.marked && !words.startsWith(BOM);
  const text = long ? withLineEnds(words, '\r\n') : words;
  return {
    text: marked ? BOM + text : text,
    kept: [...(long ? ['line endings (CRLF)'] : []), ...(marked ? ['byte order mark'] : [])],
  };
}
