import { expect, test } from 'vitest';
import { namesIn, stringsIn } from './names.ts';

const of = (text: string): readonly string[] => namesIn(text).map(({ name }) => name);
const paths = (text: string): readonly string[] =>
  namesIn(text).flatMap(({ name, kind }) => (kind === 'path' ? [name] : []));

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

const kinds = (text: string): readonly (readonly [string, string])[] =>
  namesIn(text).map(({ name, kind }) => [name, kind] as const);

test('a file with a known ending is a path without a slash, and a bare ending is none', () => {
  expect(kinds('mix.exs root.html.heex and a .json file')).toEqual([
    ['mix.exs', 'path'],
    ['root.html.heex', 'path'],
  ]);
});

test('a member is a name of its own, and its coded parts are symbols', () => {
  expect(kinds('theme.fg calls parseDate.utc, then user.firstName.')).toEqual([
    ['theme.fg', 'member'],
    ['parseDate.utc', 'member'],
    ['parseDate', 'symbol'],
    ['firstName', 'symbol'],
  ]);
});

test('capitals, colours and hashes are symbols; hyphenated words and short hex digits are none', () => {
  expect(kinds('HEAD at 1a4a6b and 0f3c9d1e, well-known --long-running 12ab')).toEqual([
    ['HEAD', 'symbol'],
    ['1a4a6b', 'symbol'],
    ['0f3c9d1e', 'symbol'],
  ]);
});
