import { expect, test } from 'vitest';

import type { CompletionCommand, CompletionLists } from './create-completer.ts';
import { createCompleter } from './create-completer.ts';
import { findTrigger } from './find-trigger.ts';
import { rankMatches } from './rank-matches.ts';

const COMMANDS: readonly CompletionCommand[] = [
  { name: 'cost', summary: 'what was paid' },
  { name: 'compact', summary: 'replaces older history' },
  { name: 'model', summary: 'another model', argument: '<model>', values: async () => ['opus', 'sonnet'] },
];

/** Completes a text after its lists were loaded. */
async function completed(
  text: string,
  lists: Partial<CompletionLists> = {},
): Promise<readonly (readonly [string, string])[]> {
  const loading = Promise.withResolvers<void>();
  const all = { commands: () => COMMANDS, files: async () => [], ...lists };
  const completer = createCompleter(all, loading.resolve);
  if (completer.complete(text, text.length) === undefined) await loading.promise;
  return completer.complete(text, text.length)?.items.map((item) => [item.label, item.text] as const) ?? [];
}

test('`findTrigger` finds a file after a space, and no file inside a word', () => {
  expect(findTrigger('see @src/ta and', 11)).toMatchObject({ kind: 'file', from: 4, to: 11, query: 'src/ta' });
  expect(findTrigger('see @"a b', 9)).toMatchObject({ kind: 'file', from: 4, query: 'a b' });
  expect(findTrigger('ada@example', 11)).toBeUndefined();
  expect(findTrigger('@a b', 4)).toBeUndefined();
  expect(findTrigger('!ls @src', 8)).toBeUndefined();
});

test('`findTrigger` finds a command only at the beginning of the text, and never in a path', () => {
  expect(findTrigger('/co', 3)).toMatchObject({ kind: 'command', query: 'co' });
  expect(findTrigger('see /co', 7)).toBeUndefined();
  expect(findTrigger('/etc/ho', 7)).toBeUndefined();
  expect(findTrigger('/model so', 9)).toMatchObject({ kind: 'argument', from: 7, command: 'model', query: 'so' });
});

test('`rankMatches` prefers the beginning of the last name, then a part of it, then letters in order', () => {
  const names = ['src/total/index.ts', 'src/tax.ts', 'docs/syntax.md', 'tests/an/x.ts', 'readme.md'];
  expect(rankMatches(names, 'tax', 10)).toEqual([
    'src/tax.ts',
    'docs/syntax.md',
    'tests/an/x.ts',
    'src/total/index.ts',
  ]);
  expect(rankMatches(names, 'srctax', 10)).toEqual(['src/tax.ts', 'src/total/index.ts']);
  expect(rankMatches(names, '', 2)).toEqual(['readme.md', 'src/tax.ts']);
});

test('files and their folders are completed, and a name with spaces is quoted', async () => {
  const files = async (): Promise<readonly string[]> => [
    'src/a b.ts',
    'src/tax.ts',
    'odd"name',
    'odd" name',
    '"odd',
    'a\nb',
  ];
  expect(await completed('see @', { files })).toEqual([
    ['odd"name', '@odd"name '],
    ['src/', '@src/'],
    ['src/a b.ts', '@"src/a b.ts" '],
    ['src/tax.ts', '@src/tax.ts '],
  ]);
});

test('commands without a query have the order of their list, and an argument in brackets may be missing', async () => {
  const commands = (): typeof COMMANDS => [...COMMANDS, { name: 'a', summary: 'first letter', argument: '[step]' }];
  const items = createCompleter({ commands, files: async () => [] }, () => undefined).complete('/', 1)?.items;
  expect(items?.map(({ label, isWhole }) => [label, isWhole])).toEqual([
    ['/cost', true],
    ['/compact', true],
    ['/model <model>', false],
    ['/a [step]', true],
  ]);
});

test('commands are completed at once, and the values of an argument after they were loaded', async () => {
  expect(await completed('/co')).toEqual([
    ['/cost', '/cost'],
    ['/compact', '/compact'],
  ]);
  expect(await completed('/mo')).toEqual([['/model <model>', '/model ']]);
  expect(await completed('/model so')).toEqual([['sonnet', 'sonnet']]);
});

test('the files are loaded again for the next name, and not while one name is typed', async () => {
  let loads = 0;
  const files = async (): Promise<readonly string[]> => [`file-${(loads += 1)}`];
  const completer = createCompleter({ commands: () => [], files }, () => undefined);
  for (const text of ['@', '@f', '@fi', '@fi ', 'x @', 'x @f']) completer.complete(text, text.length);
  expect(loads).toBe(2);
});
