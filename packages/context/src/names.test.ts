import { expect, test } from 'vitest';
import { namesIn, stringsIn } from './names.ts';

const of = (text: string): readonly string[] => namesIn(text).map(({ name }) => name);
const paths = (text: string): readonly string[] => namesIn(text).flatMap(({ name, path }) => (path ? [name] : []));

test('names are identifiers that code writes, and paths; a plain word is none', () => {
  expect(of('The parser calls parseDate and MAX_RETRIES, then HTTPServer in v2beta of Tidemark.')).toEqual([
    'parseDate',
    'MAX_RETRIES',
    'HTTPServer',
    'v2beta',
  ]);
  expect(paths('see src/a/b.ts:12, (./lib/x.py), README.md. And "price.ts"!')).toEqual([
    'src/a/b.ts',
    './lib/x.py',
    'README.md',
    'price.ts',
  ]);
});

test('a long run of data is no name, and is read once', () => {
  expect(of('a/'.repeat(500_000))).toEqual([]);
  expect(of('aB'.repeat(500_000))).toEqual([]);
  expect(of(`${'.'.repeat(299)}a ${'/'.repeat(200_000)}`)).toEqual([]);
});

test('the strings of a value are found at any depth', () => {
  expect(stringsIn({ path: 'a.ts', edits: [{ old: 'x', new: 'y' }], count: 3, none: null })).toEqual([
    'a.ts',
    'x',
    'y',
  ]);
});
