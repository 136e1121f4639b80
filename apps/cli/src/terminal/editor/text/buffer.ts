// Text of the editor with its cursor, and the changes of both. Every function returns a new buffer, whose cursor is on a
// grapheme boundary.

import {
  afterGrapheme,
  afterWord,
  beforeGrapheme,
  beforeSpacedWord,
  beforeWord,
  boundaryAt,
  lineEnd,
  lineStart,
} from './graphemes.ts';

/** Text with its cursor. */
export interface TextBuffer {
  readonly text: string;
  /** Position of the cursor: an index into the text, on a grapheme boundary. */
  readonly cursor: number;
}

/** Buffer without text. */
export const EMPTY_BUFFER: TextBuffer = { text: '', cursor: 0 };

/** Movements of the cursor that do not depend on the width of the screen. */
export type Movement =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'spaced-word-left'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end';

const TARGETS: { readonly [M in Movement]: (text: string, at: number) => number } = {
  left: beforeGrapheme,
  right: afterGrapheme,
  'word-left': beforeWord,
  'word-right': afterWord,
  'spaced-word-left': beforeSpacedWord,
  'line-start': lineStart,
  'line-end': lineEnd,
  'text-start': () => 0,
  'text-end': (text) => text.length,
};

/** Returns the position to which a movement leads. */
export function targetOf({ text, cursor }: TextBuffer, movement: Movement): number {
  return TARGETS[movement](text, cursor);
}

/** Places the cursor at a position, or at the grapheme boundary before it. */
export function placeCursor({ text }: TextBuffer, at: number): TextBuffer {
  return { text, cursor: boundaryAt(text, at) };
}

/** Inserts text at the cursor. The cursor is after it. */
export function insertText({ text, cursor }: TextBuffer, inserted: string): TextBuffer {
  const next = cursor + inserted.length;
  return placeAfter(text.slice(0, cursor) + inserted + text.slice(cursor), next);
}

/** Replaces the text from `from` to `to`. The cursor is after the new text. */
export function replaceRange({ text }: TextBuffer, from: number, to: number, replacement: string): TextBuffer {
  return placeAfter(text.slice(0, from) + replacement + text.slice(to), from + replacement.length);
}

/** Replaces the text from `from` to `to`. The cursor stays at its place in the text around it. */
export function substituteRange(buffer: TextBuffer, from: number, to: number, replacement: string): TextBuffer {
  const replaced = replaceRange(buffer, from, to, replacement);
  const { cursor } = buffer;
  if (cursor < to) return cursor <= from ? placeCursor(replaced, cursor) : replaced;
  return placeCursor(replaced, cursor - (to - from) + replacement.length);
}

/** Exchanges the two graphemes around the cursor. At the end of a line, exchanges the last two graphemes of the line. */
export function transposeGraphemes(buffer: TextBuffer): TextBuffer {
  const { text } = buffer;
  const atEnd = buffer.cursor === lineEnd(text, buffer.cursor);
  const middle = atEnd ? beforeGrapheme(text, buffer.cursor) : buffer.cursor;
  const from = beforeGrapheme(text, middle);
  const to = afterGrapheme(text, middle);
  const pair = text.slice(from, to);
  if (from === middle || middle === to || pair.includes('\n')) return buffer;
  return replaceRange(buffer, from, to, text.slice(middle, to) + text.slice(from, middle));
}

/**
 * Inserted text can join the grapheme after it, such as a combining mark at the beginning of a line. The cursor is then
 * after the whole grapheme.
 */
function placeAfter(text: string, at: number): TextBuffer {
  const boundary = boundaryAt(text, at);
  return { text, cursor: boundary === at ? at : afterGrapheme(text, boundary) };
}
