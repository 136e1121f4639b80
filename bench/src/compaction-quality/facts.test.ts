import { expect, test } from 'vitest';

import { laterNeeded } from './facts.ts';
import { input, result, words } from './made-pieces.ts';

const USE = [input('bash', { command: 'grep -n getTheme src/theme.ts' })];
const originsOf = (before: Parameters<typeof laterNeeded>[0]): object =>
  Object.fromEntries(laterNeeded(before, USE).facts.map(({ text, origin }) => [text, origin]));

test('the origin of a fact is the place where it was seen first', () => {
  const sentence = words('I call getTheme in src/theme.ts next.');
  const read = result('read', 'export function getTheme() {', 'src/theme.ts');
  expect(originsOf([sentence, read])).toEqual({ getTheme: 'said', 'src/theme.ts': 'said' });
  expect(originsOf([read, sentence])).toEqual({ getTheme: 'result', 'src/theme.ts': 'said' });
  expect(originsOf([input('read', { path: 'src/theme.ts' }), read])).toEqual({
    'src/theme.ts': 'said',
    getTheme: 'result',
  });
});

test('a fact is needed only if an input after the cut contains it', () => {
  const before = [words('I call getTheme next.')];
  const after = [words('getTheme is called.'), result('read', 'getTheme()', 'src/a.ts')];
  expect(laterNeeded(before, after).facts).toEqual([]);
  expect(laterNeeded(before, USE).facts).toHaveLength(1);
});

test('a number that is a whole argument does not count as use of a value', () => {
  const after = [input('read', { path: 'src/b.ts', offset: 4801 })];
  expect(laterNeeded([words('The port is 4801.')], after).facts).toEqual([]);
});

test('a fact that was only in lines of bare identifiers is counted separately', () => {
  const { facts, bare } = laterNeeded([result('bash', 'src/other.ts\nsrc/theme.ts')], USE);
  expect(facts).toEqual([]);
  expect(bare).toBe(1);
});

test('the places of a symbol are the paths in its line and the file of its call', () => {
  const before = [result('read', 'getTheme();', 'src/a.ts'), result('bash', 'src/b.ts:3: getTheme();')];
  expect([...(laterNeeded(before, USE).places.get('getTheme') ?? [])]).toEqual(['src/a.ts', 'src/b.ts']);
});
