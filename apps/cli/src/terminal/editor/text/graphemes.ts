// Boundaries of graphemes and words, and the width of a text on the terminal. A position is an index into a string.

import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Matches text in which each code unit is one grapheme: ASCII and the usual wide characters. */
const SIMPLE = /^[ -~\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;

/** Matches the usual wide characters. Their width needs no table, which is much slower. */
const WIDE = /[\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/;

/** Cells that a tab takes. The terminal never receives the tab itself. */
const TAB_CELLS = 4;

/** Returns the graphemes of a text, in order. */
export function graphemesOf(text: string): readonly string[] {
  if (SIMPLE.test(text)) return text.split('');
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

/** Returns the position after the grapheme at `at`. At the end of the text, returns the end. */
export function afterGrapheme(text: string, at: number): number {
  if (text[at] === '\n') return at + 1;
  const from = lineStart(text, at);
  const found = GRAPHEMES.segment(text.slice(from, lineEnd(text, at))).containing(at - from);
  return found === undefined ? Math.min(at, text.length) : from + found.index + found.segment.length;
}

/** Returns the position before the grapheme that ends at `at`. At the beginning of the text, returns 0. */
export function beforeGrapheme(text: string, at: number): number {
  if (at <= 0) return 0;
  if (text[at - 1] === '\n') return at - 1;
  const from = lineStart(text, at);
  const found = GRAPHEMES.segment(text.slice(from, lineEnd(text, at))).containing(at - from - 1);
  return found === undefined ? at - 1 : from + found.index;
}

/** Returns the nearest grapheme boundary at or before `at`. */
export function boundaryAt(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const next = afterGrapheme(text, beforeGrapheme(text, at));
  return next <= at ? at : beforeGrapheme(text, at);
}

/** Returns the end of the word at or after `at`. */
export function afterWord(text: string, at: number): number {
  const from = lineStart(text, at);
  const end = lineEnd(text, at);
  for (const { index, segment, isWordLike } of WORDS.segment(text.slice(from, end))) {
    const wordEnd = from + index + segment.length;
    if (isWordLike === true && wordEnd > at) return wordEnd;
  }
  if (end === text.length) return end;
  return at === end ? afterWord(text, end + 1) : end;
}

/** Returns the beginning of the word before `at`. */
export function beforeWord(text: string, at: number): number {
  const from = lineStart(text, at);
  const words = [...WORDS.segment(text.slice(from, at))].filter(({ isWordLike }) => isWordLike === true);
  const last = words.at(-1);
  if (last !== undefined) return from + last.index;
  if (from === 0) return 0;
  return at === from ? beforeWord(text, from - 1) : from;
}

/** Returns the beginning of the text between spaces that ends at or before `at`. */
export function beforeSpacedWord(text: string, at: number): number {
  return at - (/\S*\s*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}

/** Returns the beginning of the line that contains `at`. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** Returns the end of the line that contains `at`: the position of its line break, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found === -1 ? text.length : found;
}

/** Returns true for an ASCII character or one of the usual wide characters. */
export function isUsual(grapheme: string): boolean {
  return SIMPLE.test(grapheme);
}

/** Returns the cells that a grapheme takes on the terminal. */
export function cellsOf(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
  if (grapheme.length === 1 && WIDE.test(grapheme)) return 2;
  return grapheme === '\t' ? TAB_CELLS : stringWidth(grapheme);
}
