import { expect, test } from 'vitest';
import { namesIn, stringsIn } from './names.ts';

const of = (text: string): readonly string[] => namesIn(text).map(({ name }) => name);
const paths = (text: string): readonly string[] =>
  namesIn(text).flatMap(({ name, kind }) => (kind === 'path' ? [name] : []));

test('`namesIn` finds identifiers of code and paths, but no plain words', () => {
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

test('`namesIn` finds no name in a long run of data, and reads the run once', () => {
  expect(of('a/'.repeat(500_000))).toEqual([]);
  expect(of('aB'.repeat(500_000))).toEqual([]);
  expect(of(`${'.'.repeat(299)}a ${'/'.repeat(200_000)}`)).toEqual([]);
});

test('`stringsIn` finds the strings of a value at any depth', () => {
  expect(stringsIn({ path: 'a.ts', edits: [{ old: 'x', new: 'y' }], count: 3, none: null })).toEqual([
    'a.ts',
    'x',
    'y',
  ]);
});

const kinds = (text: string): readonly (readonly [string, string])[] =>
  namesIn(text).map(({ name, kind }) => [name, kind] as const);

test('`namesIn` finds a file with a known ending as a path without a slash, but not an ending alone', () => {
  expect(kinds('mix.exs root.html.heex and a .json file')).toEqual([
    ['mix.exs', 'path'],
    ['root.html.heex', 'path'],
  ]);
});

test("`namesIn` finds a member as one name, and its parts with a symbol's form as symbols", () => {
  expect(kinds('theme.fg calls parseDate.utc, then user.firstName.')).toEqual([
    ['theme.fg', 'member'],
    ['parseDate.utc', 'member'],
    ['parseDate', 'symbol'],
    ['firstName', 'symbol'],
  ]);
});

test('`namesIn` finds capitals, colours and hashes as symbols, but not hyphenated words and short hex digits', () => {
  expect(kinds('HEAD at 1a4a6b and 0f3c9d1e, well-known --long-running 12ab')).toEqual([
    ['HEAD', 'symbol'],
    ['1a4a6b', 'symbol'],
    ['0f3c9d1e', 'symbol'],
  ]);
});
