import { stripVTControlCharacters } from 'node:util';

import { expect, test } from 'vitest';

import { withStyle } from './shown.ts';
import { plainTable, terminalTable } from './table.ts';

const table = {
  head: ['step', 'model', ''],
  rows: [
    ['1', '模型', 'a\nb'],
    ['12', withStyle('red', 'plain'), ''],
  ],
  numbers: [0],
};

test('a terminal table aligns columns by displayed width, and numbers to the right', () => {
  expect(stripVTControlCharacters(terminalTable(table, true))).toBe(
    ['step  model', '   1  模型   a', '             b', '  12  plain'].join('\n'),
  );
});

test('a terminal table without a head prints its rows', () => {
  expect(
    terminalTable(
      {
        head: [],
        rows: [
          ['a', 'b'],
          ['cc', 'd'],
        ],
      },
      false,
    ),
  ).toBe('a   b\ncc  d');
});

test('a plain table prints one line per row, with cells separated by tabs', () => {
  expect(plainTable(table)).toBe('step\tmodel\t\n1\t模型\ta b\n12\tplain\t');
});

test('the work to format a terminal table grows in proportion to the number of its cells', () => {
  let rendered = 0;
  const cell = {
    style: 'bold',
    get text() {
      rendered += 1;
      return 'x';
    },
  } as const;
  const rows = Array.from({ length: 20_000 }, () => [cell, cell, cell]);
  // If the work grew with the square of the number of rows, this call would exceed the test's timeout.
  expect(terminalTable({ head: [], rows }, false).split('\n')).toHaveLength(20_000);
  expect(rendered).toBe(60_000);
});

test('a terminal table leaves out an optional column whose cells are all equal, and lines with tabs keep it', () => {
  const places = {
    head: ['id', 'from', 'size', 'title'],
    rows: [
      ['a', '/home', '1', 'x'],
      ['b', '/home', '12', 'x'],
    ],
    numbers: [2],
    optional: [1],
  };
  expect(terminalTable(places, false)).toBe('id  size  title\na      1  x\nb     12  x');
  expect(plainTable(places)).toContain('a\t/home\t1\tx');
  expect(terminalTable({ ...places, rows: places.rows.slice(0, 1) }, false)).toContain('/home');
});
