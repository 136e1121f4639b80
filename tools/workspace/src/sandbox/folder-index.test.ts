// Looks at a tree that changes between them, each against a fresh look at the same tree.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { FolderIndex, IndexedLook } from './folder-index.ts';
import { createFolderIndex } from './folder-index.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-index-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function indexOf(most?: number): FolderIndex {
  const bounds = most === undefined ? {} : { most };
  return createFolderIndex({ root, names: new Set(['wanted']), skipped: new Set(['skipped']), ...bounds });
}

function pathsIn({ entries }: IndexedLook): readonly string[] {
  return entries.map(({ folder, name, kind }) => `${join(folder, name).slice(root.length + 1)} ${kind}`).toSorted();
}

function put(path: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), '');
}

it('finds names at any depth, in no skipped folder and through no link', async () => {
  for (const path of ['wanted', 'a/b/c/wanted', 'skipped/wanted', 'a/unwanted']) put(path);
  mkdirSync(join(root, 'd/wanted'), { recursive: true });
  symlinkSync('a', join(root, 'link'));
  symlinkSync('nowhere', join(root, 'a/b/wanted'));
  expect(pathsIn(await indexOf().look())).toEqual([
    'a/b/c/wanted file',
    'a/b/wanted link',
    'd/wanted folder',
    'wanted file',
  ]);
});

it('lists and enters the root, though entries in it would close another folder', async () => {
  for (const path of ['wanted', 'a/wanted', 'a/b/wanted']) put(path);
  const closed = (names: ReadonlySet<string>): boolean => names.has('wanted');
  const index = createFolderIndex({ root, names: new Set(['wanted']), skipped: new Set(), closed });
  expect(pathsIn(await index.look())).toEqual(['a/wanted file', 'wanted file']);
});

it('lists every file below a folder of a name that counts whole, and not all where the root lies in one', async () => {
  for (const path of ['whole/a', 'whole/b/c', 'other/d']) put(path);
  const options = { names: new Set<string>(), skipped: new Set<string>(), whole: new Set(['whole']) };
  expect(pathsIn(await createFolderIndex({ ...options, root }).look())).toEqual(['whole/a file', 'whole/b/c file']);
  expect((await createFolderIndex({ ...options, root: join(root, 'whole') }).look()).entries).toEqual([]);
});

it('searches up to a bound, near folders first and node_modules last, and says that it stopped', async () => {
  for (const path of ['node_modules/x/wanted', 'a/wanted', 'a/b/wanted']) put(path);
  const look = await indexOf(3).look();
  expect([pathsIn(look), look.limit]).toEqual([
    ['a/b/wanted file', 'a/wanted file'],
    'only the first 3 folders are searched',
  ]);
  expect((await indexOf(5).look()).limit).toBeUndefined();
});

it('finds what a program put into a known folder, though it set the times of the folder back', async () => {
  put('a/b/other');
  const index = indexOf();
  await index.look();
  put('a/b/wanted');
  utimesSync(join(root, 'a/b'), 0, 0);
  expect(pathsIn(await index.look())).toEqual(['a/b/wanted file']);
});

it('gives what a fresh look gives, after any changes', async () => {
  const names = ['a', 'b', 'skipped', 'wanted', 'node_modules'];
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map((parts) => join(root, ...parts));
  const change = fc.oneof(
    path.map((at) => () => mkdirSync(at, { recursive: true })),
    path.map((at) => () => writeFileSync(at, '')),
    path.map((at) => () => rmSync(at, { recursive: true, force: true })),
    fc.tuple(path, path).map(
      ([from, to]) =>
        () =>
          renameSync(from, to),
    ),
    fc.tuple(path, path).map(
      ([from, to]) =>
        () =>
          symlinkSync(from, to),
    ),
  );
  const index = indexOf();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
      for (const run of changes) attempt(run);
      expect(pathsIn(await index.look())).toEqual(pathsIn(await indexOf().look()));
    }),
    { numRuns: 200 },
  );
});

it('looks up the names in a folder that it cannot list, and says so', async (context) => {
  if (process.getuid?.() === 0) return context.skip('root can list every folder');
  put('closed/wanted');
  chmodSync(join(root, 'closed'), 0o311);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
  const look = await indexOf().look();
  expect(pathsIn(look)).toEqual(['closed/wanted file']);
  expect(look.limit).toContain('1 folders cannot be read');
});

/** A change may be impossible in the tree as it is. */
function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
