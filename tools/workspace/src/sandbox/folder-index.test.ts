// Searches a folder tree several times while the tree changes. Compares the result of each search with the result of a
// new index.

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

it('the index finds names at any depth, but not in skipped folders or through links', async () => {
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

it('the index lists and enters the root, even if the same entries would keep it from entering another folder', async () => {
  for (const path of ['wanted', 'a/wanted', 'a/b/wanted']) put(path);
  const closed = (names: ReadonlySet<string>): boolean => names.has('wanted');
  const index = createFolderIndex({ root, names: new Set(['wanted']), skipped: new Set(), closed });
  expect(pathsIn(await index.look())).toEqual(['a/wanted file', 'wanted file']);
});

it('the index lists every file below a `whole` folder, unless that folder is the root itself', async () => {
  for (const path of ['whole/a', 'whole/b/c', 'other/d']) put(path);
  const options = { names: new Set<string>(), skipped: new Set<string>(), whole: new Set(['whole']) };
  expect(pathsIn(await createFolderIndex({ ...options, root }).look())).toEqual(['whole/a file', 'whole/b/c file']);
  expect((await createFolderIndex({ ...options, root: join(root, 'whole') }).look()).entries).toEqual([]);
});

it('a look searches up to its limit, near folders first and node_modules last, and reports the limit', async () => {
  for (const path of ['node_modules/x/wanted', 'a/wanted', 'a/b/wanted']) put(path);
  const look = await indexOf(3).look();
  expect([pathsIn(look), look.limit]).toEqual([
    ['a/b/wanted file', 'a/wanted file'],
    'only the first 3 folders are searched',
  ]);
  expect((await indexOf(5).look()).limit).toBeUndefined();
});

it("a look finds a new file in a known folder even if a program set the folder's times back", async () => {
  put('a/b/other');
  const index = indexOf();
  await index.look();
  put('a/b/wanted');
  utimesSync(join(root, 'a/b'), 0, 0);
  expect(pathsIn(await index.look())).toEqual(['a/b/wanted file']);
});

it('a look finds the same entries as a new index after any changes', async () => {
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

it('a look searches an unreadable folder for the wanted names, and reports the folder', async (context) => {
  if (process.getuid?.() === 0) return context.skip('root can list every folder');
  put('closed/wanted');
  chmodSync(join(root, 'closed'), 0o311);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
  const look = await indexOf().look();
  expect(pathsIn(look)).toEqual(['closed/wanted file']);
  expect(look.limit).toContain('1 folders cannot be read');
});

/** Makes a change to the tree. If the current tree does not allow the change, it is skipped. */
function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
