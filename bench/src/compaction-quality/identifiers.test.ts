import { expect, test } from 'vitest';

import { identifiersIn, isBare } from './identifiers.ts';

const namesIn = (line: string): readonly string[] => identifiersIn(line).map(({ kind, text }) => `${kind} ${text}`);

test('a path has a file ending, two slashes, or a root', () => {
  expect(namesIn('see theme.ts, ./src/tui/ and ~/.pi/agent; packages/agent/src, ../lib/b.js or /dev/null.')).toEqual([
    'path theme.ts',
    'path ~/.pi/agent',
    'path packages/agent/src',
    'path ../lib/b.js',
    'path /dev/null',
  ]);
  expect(namesIn('read and/or write')).toEqual([]);
});

test('a symbol has a mark inside it that prose words do not have, such as a capital or an underscore', () => {
  expect(namesIn('call getTheme of theme_map, node18, ThemeColor.MdLink, warnings-as-errors')).toEqual([
    'symbol getTheme',
    'symbol theme_map',
    'symbol node18',
    'symbol ThemeColor',
    'symbol MdLink',
    'symbol warnings-as-errors',
  ]);
  expect(namesIn('the built-in theme is Accent and A1')).toEqual([]);
});

test('a value is a number of at least three digits, or a hash', () => {
  expect(namesIn('port 4801, 12 tries, v 1.2.3, commit a1b2c3d and colour #f87171')).toEqual([
    'value 4801',
    'value 1.2.3',
    'value a1b2c3d',
    'value f87171',
  ]);
});

test('`at` is the place in the line where the identifier begins', () => {
  const line = '  "./src/a.ts": loadAll()';
  expect(identifiersIn(line).map(({ text, at }) => line.slice(at, at + text.length) === text)).toEqual([true, true]);
});

test('a line of identifiers and list marks is bare, and a line with any other word is not', () => {
  for (const line of ['src/a.ts', '- getTheme, setTheme', '[12] src/a.ts', '2. `getTheme`', '"mdLink": "mdCode",'])
    expect(isBare(line)).toBe(true);
  for (const line of ['getTheme();', 'return themeMap', 'src/a.ts holds getTheme']) expect(isBare(line)).toBe(false);
});
