// Tests which files the settings of a repository refer to. Also tests that a file tool asks the user before it writes
// one of these files.

import { mkdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createWriteTool } from '../write/write-tool.ts';
import { createConfinement } from './confine.ts';
import { gitFoldersOf, namedByGit } from './named-by-git.ts';

function namesIn(folder: string, tree: string, home?: string): readonly string[] {
  const repository = gitFoldersOf(join(folder, tree));
  const named = repository === undefined ? [] : namedByGit(repository, home);
  return named.map(({ path, as }) => `${relative(folder, path)} ${as}`);
}

describe('`namedByGit`', () => {
  test('resolves a hooks path relative to the working tree and an include relative to its own file', async () => {
    const { folder, put } = await openBench();
    await put('.git/config', '[core]\nhooksPath = .githooks\n[include]\npath = ../shared/git.ini\n');
    await put('shared/git.ini', '[core]\nhooksPath = .husky/_\n[includeIf "onbranch:x"]\npath = more\n');
    await put('shared/more', '[include]\npath = git.ini\npath = more\n');
    expect(namesIn(folder, '.')).toEqual([
      '.githooks hooks',
      'shared/git.ini settings',
      '.husky/_ hooks',
      'shared/more settings',
      'shared/git.ini settings',
      'shared/more settings',
    ]);
  });

  test('reads the settings of a linked worktree and of its common folder, also through a symlink', async () => {
    const { folder, put } = await openBench();
    await put('tree/.git', 'gitdir: ../store/worktrees/tree\n');
    await put('store/worktrees/tree/commondir', '../..\n');
    await put('store/worktrees/tree/config.worktree', '[core]\nhooksPath = own\n');
    await put('store/config', '[core]\nhooksPath = common\n');
    expect(namesIn(folder, 'tree')).toEqual(['tree/own hooks', 'tree/common hooks']);
    await mkdir(join(folder, 'linked'));
    await symlink('../store', join(folder, 'linked/.git'));
    expect(namesIn(folder, 'linked')).toEqual(['linked/common hooks']);
  });

  test('reads a bare repository, follows symlinks and replaces `~` with the home folder', async () => {
    const { folder, put } = await openBench();
    for (const path of ['bare/HEAD', 'bare/objects/x', 'bare/refs/x']) await put(path, '');
    await put('settings', '[core]\nhooksPath = ~/hooks\n[include]\npath = ~user/x\npath = "%(prefix)/x"\npath =\n');
    await symlink('../settings', join(folder, 'bare/config'));
    expect(namesIn(folder, 'bare', join(folder, 'me'))).toEqual(['me/hooks hooks', 'bare/config settings']);
    expect(namesIn(folder, 'bare')).toEqual(['bare/config settings']);
    expect(gitFoldersOf(join(folder, 'bare/refs'))).toBeUndefined();
  });
});

describe('`Confinement.place`', () => {
  test('asks before a write to a file that repository settings name, whether the file exists or not', async () => {
    const { folder, put, confinement } = await openBench();
    await put('.git/config', '[core]\nhooksPath = .githooks\n[include]\npath = ../git.ini\n');
    await put('vendor/lib/.git/config', '[core]\nhooksPath = scripts\n');
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, '.githooks'));
    const hooks = { inside: true, asks: 'git runs hooks from its folder' };
    for (const path of ['.githooks/pre-commit', 'real/pre-commit', 'vendor/lib/scripts/pre-push'])
      expect(await confinement.place(path), path).toMatchObject(hooks);
    expect(await confinement.place('git.ini')).toMatchObject({ asks: 'git reads settings from it' });
    for (const path of ['githooks/x', 'scripts/x', 'vendor/lib/index.js', 'git.ini.txt'])
      expect(await confinement.place(path), path).not.toHaveProperty('asks');
    const call = await createWriteTool(confinement).read({ path: '.githooks/pre-commit', content: 'x' });
    expect(call).toMatchObject({ confined: false, title: 'write real/pre-commit (git runs hooks from its folder)' });
  });

  test('asks before a write to a file that a repository above the workspace names', async () => {
    const { folder, put } = await openBench();
    await put('.git/config', '[core]\nhooksPath = work/hooks\n[include]\npath = ~/work/git.ini\n');
    await mkdir(join(folder, 'work'));
    const confinement = createConfinement({ folder: join(folder, 'work'), home: folder });
    for (const path of ['hooks/pre-commit', 'git.ini']) expect(await confinement.place(path)).toHaveProperty('asks');
    expect(await confinement.place('index.js')).not.toHaveProperty('asks');
  });

  test('asks for files directly in a workspace that is itself the hooks folder, but not for files in its subfolders', async () => {
    const { put, confinement } = await openBench();
    await put('.git/config', '[core]\nhooksPath = .\n');
    expect(await confinement.place('pre-commit')).toHaveProperty('asks');
    expect(await confinement.place('src/index.js')).not.toHaveProperty('asks');
  });
});
