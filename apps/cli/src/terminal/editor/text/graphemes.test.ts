import stringWidth from 'string-width';
import { expect, test } from 'vitest';

import {
  afterGrapheme,
  afterWord,
  beforeGrapheme,
  beforeSpacedWord,
  beforeWord,
  boundaryAt,
  cellsOf,
  graphemesOf,
} from './graphemes.ts';

const FAMILY = '👩‍👩‍👧';

test('`afterGrapheme` and `beforeGrapheme` move over a whole emoji, a combining mark and a line break', () => {
  const text = `a${FAMILY}e\u0301\nb`;
  const stops = [0, 1, 1 + FAMILY.length, 3 + FAMILY.length, 4 + FAMILY.length, 5 + FAMILY.length];
  for (const [index, stop] of stops.entries()) {
    expect(afterGrapheme(text, stop)).toBe(stops[index + 1] ?? text.length);
    expect(beforeGrapheme(text, stop)).toBe(stops[index - 1] ?? 0);
  }
  expect(boundaryAt(text, 3)).toBe(1);
});

test('`beforeWord` and `afterWord` find words in Latin and Japanese text and across lines', () => {
  expect(beforeWord('let total = 1', 9)).toBe(4);
  expect(afterWord('let total = 1', 3)).toBe(9);
  expect(beforeWord('one\n  two', 6)).toBe(4);
  expect(beforeWord('one\n  two', 4)).toBe(0);
  expect(afterWord('one  \ntwo', 3)).toBe(5);
  expect(afterWord('one  \ntwo', 5)).toBe(9);
  expect(beforeWord('日本語のテスト', 7)).toBe(4);
  expect(beforeSpacedWord('see src/a-b.ts  ', 16)).toBe(4);
});

test('`cellsOf` returns 2 for a wide grapheme, 0 for a control of direction and 4 for a tab', () => {
  expect(['a', '語', FAMILY, '\u202e', '\t'].map(cellsOf)).toEqual([1, 2, 2, 0, 4]);
});

test('`graphemesOf` and `cellsOf` agree with the tables of Unicode for characters that need no table', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const simple = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    /[ -~\u3000-\uffef]/.test(character),
  );
  for (const character of simple.filter((one) => one.isWellFormed())) {
    expect(cellsOf(character), character.codePointAt(0)?.toString(16)).toBe(stringWidth(character));
    const pair = `漢${character}`;
    expect(graphemesOf(pair)).toEqual(Array.from(segmenter.segment(pair), ({ segment }) => segment));
  }
});
