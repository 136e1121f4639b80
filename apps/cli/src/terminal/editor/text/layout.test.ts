import { expect, test } from 'vitest';

import { cellAt, layoutRows, positionAt } from './layout.ts';

const plain = (): undefined => undefined;
const shown = (text: string, columns: number): readonly string[] =>
  layoutRows(text, columns, plain).map((row) => row.pieces.map((piece) => piece.shown).join(''));

test('`layoutRows` breaks after spaces, and breaks a longer word at the edge', () => {
  expect(shown('fix the failing test', 10)).toEqual(['fix the ', 'failing ', 'test']);
  expect(shown('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(shown('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
  expect(shown('', 10)).toEqual(['']);
});

test('`layoutRows` never splits a wide character over two rows', () => {
  expect(shown('a日本語', 4)).toEqual(['a日', '本語']);
});

test('`layoutRows` shows a label in place of its grapheme, and shortens a label that is too wide', () => {
  const rows = layoutRows('see \u{e0200}!', 10, (grapheme) =>
    grapheme === '\u{e0200}' ? '[paste 1: 214 lines]' : undefined,
  );
  expect(rows.map(({ pieces }) => pieces.map((piece) => piece.shown).join(''))).toEqual(['see ', '[paste 1:…', '!']);
});

test('`cellAt` and `positionAt` are inverse for every position', () => {
  const text = 'fix 日本語 now\n\tand the rest of it';
  const rows = layoutRows(text, 7, plain);
  for (const piece of rows.flatMap((row) => row.pieces)) {
    const { row, column } = cellAt(rows, piece.from);
    expect(positionAt(rows, row, column)).toBe(piece.from);
  }
  expect(cellAt(rows, 10)).toEqual({ row: 2, column: 2 });
});

test('`positionAt` stays in a row that continues in the next one', () => {
  const rows = layoutRows('abcdefgh', 4, plain);
  expect(positionAt(rows, 0, 9)).toBe(3);
  expect(positionAt(rows, 1, 9)).toBe(8);
});

test('an invisible character is shown as its mark, and letters, emoji and wide characters are shown as they are', () => {
  const row = (text: string): string =>
    layoutRows(text, 80, () => undefined)
      .flatMap(({ pieces }) => pieces.map((piece) => piece.shown))
      .join('');
  expect(row('a\u200bb\u202ec\u{e0041}\u001b')).toBe('a⟨U+200B⟩b⟨U+202E⟩c⟨U+E0041⟩⟨U+001B⟩');
  for (const text of ['Grüße, 日本語', '👩‍👩‍👧 ❤️', 'e\u0301']) expect(row(text)).toBe(text);
});
