// The repositories that a finder reports, from files as git lays them out.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createRepositoryFinder } from './find-repositories.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-repositories-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function put(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function storesIn(workspace = root): Promise<readonly string[]> {
  const { stores } = await createRepositoryFinder(workspace)();
  return stores.map((path) => relative(workspace, path)).toSorted();
}

it('reports the folder of a worktree and the common folder that its `commondir` names', async () => {
  put('tree/.git', 'gitdir: ../own\n');
  put('own/commondir', '../common\n');
  put('common/config');
  expect(await storesIn()).toEqual(['common', 'own', 'tree/.git']);
});

it('reports a folder with `HEAD` and `commondir`, which git takes for a repository without `objects` and `refs`', async () => {
  put('linked/HEAD');
  put('linked/commondir', '../elsewhere');
  put('half/HEAD');
  put('other/commondir');
  expect(await storesIn()).toEqual(['linked']);
});

it('reports the folder that a link `.git` leads to, inside the workspace, and the link by itself', async () => {
  put('store/config');
  mkdirSync(join(root, 'tree'));
  symlinkSync('../store', join(root, 'tree/.git'));
  const { stores, links } = await createRepositoryFinder(root)();
  expect([stores, links]).toEqual([[join(root, 'store')], [join(root, 'tree/.git')]]);
});

it('finds repositories below a workspace that is a bare repository itself', async () => {
  for (const path of ['HEAD', 'objects/x', 'refs/x', 'config', 'sub/.git/config']) put(path);
  expect(await storesIn()).toEqual(['config', 'sub/.git']);
});
