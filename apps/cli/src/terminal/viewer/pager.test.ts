// Tests the pager: pages and movements in a text with long lines.

import { expect, test } from 'vitest';

import { linesSource } from '../control/line-sources.ts';
import { lastPage, movedBy, pageRows, TEXT_BEGIN } from './pager.ts';

const AREA = { columns: 10, height: 4, colour: false };
/** Line 3 needs three rows. */
const SOURCE = linesSource(['a', 'b', 'c', '0123456789 abcdefghi ABC', 'd', 'e', 'f']);

test('a movement by rows goes through the rows of a long line', async () => {
  const place = await movedBy(SOURCE, TEXT_BEGIN, 4, AREA);
  expect(place).toEqual({ line: 3, row: 1 });
  expect(await pageRows(SOURCE, place, AREA)).toEqual(['abcdefghi', 'ABC', 'd', 'e']);
  expect(await movedBy(SOURCE, place, -2, AREA)).toEqual({ line: 2, row: 0 });
  expect(await movedBy(SOURCE, place, -99, AREA)).toEqual(TEXT_BEGIN);
});

test('the last page is full, and no movement goes beyond it', async () => {
  const last = await lastPage(SOURCE, AREA);
  expect(await pageRows(SOURCE, last, AREA)).toEqual(['ABC', 'd', 'e', 'f']);
  expect(await movedBy(SOURCE, TEXT_BEGIN, 99, AREA)).toEqual(last);
  expect(await movedBy(SOURCE, { line: 6, row: 0 }, 1, AREA)).toEqual({ line: 6, row: 0 });
});

test('an empty text and a text that is shorter than the page stay at their beginning', async () => {
  for (const source of [linesSource([]), linesSource(['one'])]) {
    expect(await movedBy(source, TEXT_BEGIN, 1, AREA)).toEqual(TEXT_BEGIN);
    expect(await lastPage(source, AREA)).toEqual(TEXT_BEGIN);
  }
});
