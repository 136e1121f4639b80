// Each public thread that this project answers is bound to the tests that answer it, by file and full title: deleting or
// emptying one of them fails here. `named-threads.json` is the table, in the groups of the list of threads.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readTestTitles } from './read-test-titles.ts';

const ROOT = join(import.meta.dirname, '../..');

const Row = z.strictObject({ threads: z.string(), tests: z.record(z.string(), z.array(z.string())) });
const GROUPS = z
  .record(z.string(), z.array(Row))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'named-threads.json'), 'utf8')));

const titles = new Map<string, ReadonlySet<string>>();

function titlesIn(file: string): ReadonlySet<string> {
  const path = join(ROOT, file);
  const held = titles.get(file) ?? new Set(existsSync(path) ? readTestTitles(file, readFileSync(path, 'utf8')) : []);
  titles.set(file, held);
  return held;
}

/** `a/b#1, #2` names two threads of one project. */
function threadsIn(text: string): readonly string[] {
  let project = '';
  return [...text.matchAll(/([\w./-]*)#(\d+)/g)].map(([, owner = '', number = '']) => {
    if (owner !== '') project = owner;
    return `${project}#${number}`;
  });
}

it('guards all five groups of threads', () => {
  const counts = Object.entries(GROUPS).map(([group, rows]) => [
    group,
    rows.flatMap(({ threads }) => threadsIn(threads)).length,
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    'cache misses': 21,
    'poisoned sessions': 14,
    compaction: 20,
    'the log': 14,
    'numbers that lie': 6,
  });
});

describe.each(Object.entries(GROUPS))('the threads about %s', (_group, rows) => {
  it.each(rows.map((row) => [row.threads, row] as const))('%s have tests that exist', (_threads, { tests }) => {
    const listed = Object.entries(tests).flatMap(([file, names]) => names.map((title) => ({ file, title })));
    expect(listed.filter(({ file, title }) => !titlesIn(file).has(title))).toEqual([]);
  });

  it.each(rows.map((row) => [row.threads, row] as const))('%s are in the title of a test', (threads, { tests }) => {
    const named = new Set(Object.values(tests).flat().flatMap(threadsIn));
    expect(threadsIn(threads).filter((thread) => !named.has(thread))).toEqual([]);
  });
});

describe('readTestTitles', () => {
  it.each([
    ['a string', `const words = "it('a/b#1: says so')";`],
    ['a comment', `// it('a/b#1: says so', () => expect(1).toBe(1));`],
    ['a call of another function', `note('a/b#1: says so', () => expect(1).toBe(1));`],
    ['a test that is skipped', `it.skip('a/b#1: says so', () => expect(1).toBe(1));`],
    ['a test to be written', `it.todo('a/b#1: says so');`],
    ['a test without a body', `it('a/b#1: says so');`],
    ['a test with an empty body', `it('a/b#1: says so', () => {});`],
    ['a group without a test', `describe('a/b#1: says so', () => {});`],
    ['a test in a group that is skipped', `describe.skip('a/b#1', () => { it('says so', () => expect(1).toBe(1)); });`],
  ])('reads no title from %s', (_what, source) => {
    expect(readTestTitles('a.test.ts', source)).toEqual([]);
  });

  it('reads the titles of tests, of tables and of groups', () => {
    const source = `
      describe.each([1, 2])('group %s', () => {
        it('one', () => { expect(1).toBe(1); });
        it.each([['a']])('two %s', (name) => expect(name).toBe('a'));
        for (const name of ['b']) test(\`three \${name}\`, async () => { await name; });
      });
      test.runIf(true)('four', () => expect(1).toBe(1));
    `;
    expect(readTestTitles('a.test.ts', source)).toEqual([
      'group %s > one',
      'group %s > two %s',
      'group %s > three ${name}',
      'four',
    ]);
  });
});
