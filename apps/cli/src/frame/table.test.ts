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

test('a terminal table aligns columns by what the terminal shows, numbers to the right', () => {
  expect(stripVTControlCharacters(terminalTable(table, true))).toBe(
    ['step  model', '   1  模型   a', '             b', '  12  plain'].join('\n'),
  );
});

test('a terminal table without a head is its rows', () => {
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

test('a plain table has one line a row, cells apart by a tab', () => {
  expect(plainTable(table)).toBe('step\tmodel\t\n1\t模型\ta b\n12\tplain\t');
});

test('the work of a terminal table follows the number of its cells', () => {
  let rendered = 0;
  const cell = {
    style: 'bold',
    get text() {
      rendered += 1;
      return 'x';
    },
  } as const;
  const rows = Array.from({ length: 20_000 }, () => [cell, cell, cell]);
  // With work that follows the square of the rows this does not end within the time of a test.
  expect(terminalTable({ head: [], rows }, false).split('\n')).toHaveLength(20_000);
  expect(rendered).toBe(60_000);
});
