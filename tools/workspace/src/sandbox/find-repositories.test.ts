// Tests which repositories a finder reports. The repositories are files in git's layout. The test writes them without
// git.

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

it('the finder reports the folder of a worktree and the common folder that its `commondir` names', async () => {
  put('tree/.git', 'gitdir: ../own\n');
  put('own/commondir', '../common\n');
  put('common/config');
  expect(await storesIn()).toEqual(['common', 'own', 'tree/.git']);
});

it('the finder reports a folder with `HEAD` and `commondir`, which git accepts as a repository without `objects` and `refs`', async () => {
  put('linked/HEAD');
  put('linked/commondir', '../elsewhere');
  put('half/HEAD');
  put('other/commondir');
  expect(await storesIn()).toEqual(['linked']);
});

it('the finder reports the target of a `.git` link inside the workspace, and separately the link', async () => {
  put('store/config');
  mkdirSync(join(root, 'tree'));
  symlinkSync('../store', join(root, 'tree/.git'));
  const { stores, links } = await createRepositoryFinder(root)();
  expect([stores, links]).toEqual([[join(root, 'store')], [join(root, 'tree/.git')]]);
});

it('the finder finds repositories below a workspace that is itself a bare repository', async () => {
  for (const path of ['HEAD', 'objects/x', 'refs/x', 'config', 'sub/.git/config']) put(path);
  expect(await storesIn()).toEqual(['config', 'sub/.git']);
});

it('the finder reports the paths that repository settings name in the workspace, and how many exceed the limit', async () => {
  const includes = Array.from({ length: 70 }, (_, at) => `path = ../settings-${at}`).join('\n');
  put('work/.git/config', `[core]\nhooksPath = .githooks\n[include]\npath = /elsewhere\npath = ../../outside\n`);
  put('work/sub/.git/config', '[core]\nhooksPath = ../shared\n');
  put('work/store/HEAD');
  put('work/store/objects/x');
  put('work/store/refs/x');
  put('work/store/config', '[core]\nhooksPath = own-hooks\n');
  const workspace = join(root, 'work');
  const { named, limit } = await createRepositoryFinder(workspace)();
  expect(named.map((path) => relative(workspace, path)).toSorted()).toEqual(['.githooks', 'shared', 'store/own-hooks']);
  expect(limit).toBeUndefined();
  put('work/.git/config', `[include]\n${includes}\n`);
  const many = await createRepositoryFinder(workspace)();
  expect([many.named.length, many.limit]).toEqual([64, '8 files that repository settings name exceed the maximum']);
});

it('the finder reports paths in the workspace that a repository above it names', async () => {
  put('.git/config', '[core]\nhooksPath = work/hooks\n[include]\npath = ../work/settings\npath = ../other\n');
  put('work/x');
  const { named, stores } = await createRepositoryFinder(join(root, 'work'))();
  expect([named, stores]).toEqual([[join(root, 'work/hooks'), join(root, 'work/settings')], []]);
});
