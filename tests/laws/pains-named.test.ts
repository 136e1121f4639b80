// Binds each public thread that this project answers to its tests. For each file, `named-threads.json` contains the
// number of tests whose titles name the thread. A test here fails if one of these tests is deleted or emptied. The
// groups are those of the list of threads.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readTestTitles } from './read-test-titles.ts';

const ROOT = join(import.meta.dirname, '../..');

const Row = z.strictObject({ threads: z.string(), tests: z.record(z.string(), z.int().positive()) });
const GROUPS = z
  .record(z.string(), z.array(Row))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'named-threads.json'), 'utf8')));

const titles = new Map<string, readonly string[]>();

function titlesIn(file: string): readonly string[] {
  const path = join(ROOT, file);
  const known = titles.get(file) ?? (existsSync(path) ? readTestTitles(file, readFileSync(path, 'utf8')) : []);
  titles.set(file, known);
  return known;
}

/** Returns the threads in a text, each as `project#number`. `a/b#1, #2` names two threads of one project. */
function threadsIn(text: string): readonly string[] {
  let project = '';
  return [...text.matchAll(/([\w./-]*)#(\d+)/g)].map(([, owner = '', number = '']) => {
    if (owner !== '') project = owner;
    return `${project}#${number}`;
  });
}

function titlesNaming(threads: string, file: string): readonly string[] {
  const named = new Set(threadsIn(threads));
  return titlesIn(file).filter((title) => threadsIn(title).some((thread) => named.has(thread)));
}

it('`named-threads.json` contains all five groups of threads', () => {
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

describe.each(Object.entries(GROUPS))('threads about %s', (_group, rows) => {
  it.each(rows.map((row) => [row.threads, row] as const))(
    '%s are named by the recorded number of tests',
    (threads, { tests }) => {
      const found = Object.keys(tests).map((file) => [file, titlesNaming(threads, file).length]);
      expect(Object.fromEntries(found)).toEqual(tests);
    },
  );

  it.each(rows.map((row) => [row.threads, row] as const))(
    '%s: each thread is named by a test',
    (threads, { tests }) => {
      const named = new Set(Object.keys(tests).flatMap((file) => titlesNaming(threads, file).flatMap(threadsIn)));
      expect(threadsIn(threads).filter((thread) => !named.has(thread))).toEqual([]);
    },
  );
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
    ['a test that gets no function', `it('a/b#1: says so', hold(check));`],
    ['a test whose check is empty', `it('a/b#1: says so', hold(() => {}));`],
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
      it('five', hold((played) => expect(played).toBe(1), 6));
    `;
    expect(readTestTitles('a.test.ts', source)).toEqual([
      'group %s > one',
      'group %s > two %s',
      'group %s > three ${name}',
      'four',
      'five',
    ]);
  });
});
