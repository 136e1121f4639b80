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

const sessions = {
  head: ['id', 'created', 'size', 'title'],
  rows: [
    ['0a1b2c3d-4e5f', '2026-11-23', '1 MB', 'Fix 模型 of the parser'],
    ['9a8b7c6d-4e5f', '2026-11-24', '12 MB', 'Write the guide'],
  ],
  numbers: [2],
  narrowing: [
    { column: 'id', cells: ['0a1b', '9a8b'] },
    { column: 'created', leftOut: true },
    { column: 'title', least: 8 },
    { column: 'size', leftOut: true },
  ],
} as const;

test('a terminal table that fits keeps every column', () => {
  const whole = terminalTable({ ...sessions, narrowing: [] }, false);
  expect(terminalTable(sessions, false, 56)).toBe(whole);
  expect(terminalTable(sessions, false)).toBe(whole);
});

test('a terminal table takes its steps until it fits, and names the columns that it left out', () => {
  expect(terminalTable(sessions, false, 50)).toBe(
    [
      'id    created      size  title',
      '0a1b  2026-11-23   1 MB  Fix 模型 of the parser',
      '9a8b  2026-11-24  12 MB  Write the guide',
    ].join('\n'),
  );
  expect(terminalTable(sessions, false, 25)).toBe(
    [
      'id     size  title',
      '0a1b   1 MB  Fix 模型 of…',
      '9a8b  12 MB  Write the g…',
      'not shown: created',
      '(--json shows all)',
    ].join('\n'),
  );
  expect(terminalTable(sessions, false, 16)).toContain('0a1b  Fix 模型…\n9a8b  Write the…\n');
});

test('a plain table keeps every column and whole cells', () => {
  expect(plainTable(sessions)).toContain('0a1b2c3d-4e5f\t2026-11-23\t1 MB\tFix 模型 of the parser');
});
