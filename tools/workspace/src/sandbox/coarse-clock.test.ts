// Tests an index on a file system with a coarse clock. On such a file system, folders that changed at different times
// can have the same change time.

import type { BigIntStats } from 'node:fs';
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { FolderIndex } from './folder-index.ts';
import { createFolderIndex, lookAtFile } from './folder-index.ts';

/** Change time that `withOneTime` returns for every path, in milliseconds. */
const CHANGED = 1_000_000;

const withOneTime = (path: string): BigIntStats | undefined => {
  const stats = lookAtFile(path);
  return stats && Object.assign(stats, { ctimeMs: BigInt(CHANGED), ctimeNs: BigInt(CHANGED) * 1_000_000n });
};

let root: string;
let index: FolderIndex;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-clock-')));
  index = createFolderIndex({ root, names: new Set(['wanted']), skipped: new Set(), lookAt: withOneTime });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  onTestFinished(() => void vi.restoreAllMocks());
});

async function found(): Promise<readonly string[]> {
  const { entries } = await index.look();
  return entries.map(({ folder, name }) => relative(root, join(folder, name)));
}

function lookAfterMs(milliseconds: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(CHANGED + milliseconds);
}

it('the index reads a folder again if a later change may have the same change time', async () => {
  mkdirSync(join(root, 'a'));
  lookAfterMs(1_500);
  expect(await found()).toEqual([]);
  writeFileSync(join(root, 'a/wanted'), '');
  expect(await found()).toEqual(['a/wanted']);
});

it('the index does not read a folder again if every later change must have another change time', async () => {
  mkdirSync(join(root, 'a'));
  lookAfterMs(10_000);
  expect(await found()).toEqual([]);
  writeFileSync(join(root, 'a/wanted'), '');
  expect(await found()).toEqual([]);
});

it('the index reads a folder that replaced a known one, even if both have the same change time', async () => {
  for (const folder of ['a', 'b']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'b/wanted'), '');
  lookAfterMs(10_000);
  expect(await found()).toEqual(['b/wanted']);
  const before = lstatSync(join(root, 'a'), { bigint: true }).ino;
  renameSync(join(root, 'a'), join(root, 'c'));
  renameSync(join(root, 'b'), join(root, 'a'));
  expect(lstatSync(join(root, 'a'), { bigint: true }).ino).not.toBe(before);
  expect(await found()).toEqual(['a/wanted']);
});
