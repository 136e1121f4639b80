import { expect, test } from 'vitest';

import { cutTables } from './cut-tables.ts';

test('a document with few rows stays as it is', () => {
  const html = '<table><tr><td title="a>b">1<tr><td>2</table>';
  expect(cutTables(html, 2)).toBe(html);
});

test('the rows of all tables count together, and each cut table says how many rows are missing', () => {
  const cut = cutTables('<table><tr><td>1</table><table><tr><td>2<tr><td>3</table>x<table><tr><td>4</table>y', 2);
  expect(cut).toMatch(
    /^<table><tr><td>1<\/table><table><tr><td>2<tr><td>\[table cut: .* row 2, and 1 more rows .*\]<\/td><\/tr><\/table>x<table><tr><td>\[.* 1 more rows .*\]<\/td><\/tr><\/table>y$/,
  );
});

test('a table in a removed row is removed with it', () => {
  const cut = cutTables('<table><tr><td>1<tr><td><table><tr><td>2</table>end<tr><td>3</table>after', 1);
  expect(cut).toMatch(/^<table><tr><td>1<tr><td>\[.* 3 more rows .*\]<\/td><\/tr><\/table>after$/);
});
