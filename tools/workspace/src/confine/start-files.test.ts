// Tests which writes inside the workspace need a question to the user, and which paths a sandbox protects.

import type { Tool, ToolRun } from '@tidemark/agent';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bench } from '../../tests/bench.ts';
import { openBench } from '../../tests/bench.ts';
import { createMemoryUpdateTool } from '../memory/memory-update-tool.ts';
import { workspaceTools } from '../workspace-tools.ts';
import type { ConfinementOptions, WorkspacePlace } from './confine.ts';
import { createConfinement } from './confine.ts';
import { startPaths } from './start-files.ts';

const SHELL = 'a shell runs it at its start';
const PROGRAM = 'programs are started from its folder';
const SETTING = 'a trusted setting starts it';

async function reasonFor(path: string, options: ConfinementOptions): Promise<string | undefined> {
  const place: WorkspacePlace | { readonly problem: string } = await createConfinement(options).place(path);
  return 'problem' in place ? place.problem : place.asks;
}

const toolOf = (bench: Bench, name: string, given: object = {}): Tool => {
  const tool = workspaceTools({ folder: bench.folder, memory: true, environment: {}, ...given }).find(
    (one) => one.name === name,
  );
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
};

/**
 * Returns the decision of the permission matrix of `packages/agent` in mode `auto`. A confined write is allowed. For
 * any other write, the user is asked.
 */
const inAuto = ({ confined = true }: ToolRun): string => (confined ? 'allowed' : 'asks');

describe('mode `auto` asks, with the reason in the title, before', () => {
  test('`write` creates or replaces a file that a shell starts', async () => {
    const bench = await openBench();
    await bench.put('.zshrc', 'old');
    const write = toolOf(bench, 'write');
    for (const path of ['.bashrc', '.zshrc']) {
      const call = await bench.judge(write, { path, content: 'x' });
      expect([inAuto(call), call.title]).toEqual(['asks', `write ${path} (${SHELL})`]);
    }
    const plain = await bench.judge(write, { path: 'bashrc', content: 'x' });
    expect([inAuto(plain), plain.title]).toEqual(['allowed', 'write bashrc']);
  });

  test('`edit` changes a file that a shell starts', async () => {
    const bench = await openBench();
    const call = await bench.judge(toolOf(bench, 'edit'), { path: '.profile', old_text: 'a', new_text: 'b' });
    expect([inAuto(call), call.title]).toEqual(['asks', `edit .profile (${SHELL})`]);
  });

  test('`memory_update` writes through a link to a file that a shell starts', async () => {
    const bench = await openBench();
    await bench.put('.bashrc', '');
    await mkdir(join(bench.folder, '.tidemark'));
    await symlink('../.bashrc', join(bench.folder, '.tidemark/MEMORY.md'));
    const tool = createMemoryUpdateTool(bench.confinement);
    const call = await bench.judge(tool, { file: 'MEMORY.md', operation: 'add', text: 'x' });
    expect([inAuto(call), call.title]).toEqual(['asks', `memory_update add .bashrc (${SHELL})`]);
    const other = await bench.judge(tool, { file: 'USER.md', operation: 'add', text: 'x' });
    expect([inAuto(other), other.title]).toEqual(['allowed', 'memory_update add .tidemark/USER.md']);
  });

  test('a tool changes a file that a trusted setting names', async () => {
    const bench = await openBench();
    await bench.put('hooks/run.sh', '');
    const given = { protectedPaths: [join(bench.folder, 'hooks/run.sh')] };
    const call = await bench.judge(toolOf(bench, 'write', given), { path: 'hooks/run.sh', content: 'x' });
    expect([inAuto(call), call.title]).toEqual(['asks', `write hooks/run.sh (${SETTING})`]);
    const edit = { path: 'hooks/run.sh', old_text: 'a', new_text: 'b' };
    expect(inAuto(await bench.judge(toolOf(bench, 'edit', given), edit))).toBe('asks');
  });

  test('a tool changes a program in a folder that `PATH` names', async () => {
    const bench = await openBench();
    const given = { environment: { PATH: `/usr/bin:${join(bench.folder, 'bin')}` } };
    const call = await bench.judge(toolOf(bench, 'write', given), { path: 'bin/ls', content: 'x' });
    expect([inAuto(call), call.title]).toEqual(['asks', `write bin/ls (${PROGRAM})`]);
  });
});

describe('the confinement asks before a write', () => {
  test('to a start file of a home, in any folder and any spelling of its name', async () => {
    const { folder } = await openBench();
    const asked = [
      '.bash_profile',
      'users/ann/.zshenv',
      'sub/.BashRC',
      '.pro\u200Cfile',
      '.inputrc',
      '.config/fish/conf.d/new.fish',
      '.config/environment.d/a.conf',
      '.config/autostart/a.desktop',
      '.config/systemd/user/a.service',
      '.config/git/config',
      '.gitconfig',
      '.pam_environment',
      '.xinitrc',
      '.local/bin/ls',
      'Library/LaunchAgents/a.plist',
    ];
    for (const path of asked) expect(await reasonFor(path, { folder }), path).toBeDefined();
    for (const path of ['profile', '.bashrc.md', '.config/app.json', 'fish/config.fish', '.local/share/x', 'bin/x'])
      expect(await reasonFor(path, { folder }), path).toBeUndefined();
  });

  test('to a start file in a workspace that is itself a folder of start files', async () => {
    const { folder } = await openBench();
    await mkdir(join(folder, '.config/fish'), { recursive: true });
    expect(await reasonFor('config.fish', { folder: join(folder, '.config/fish') })).toBe(SHELL);
  });

  test('to the target of a start file that is a link, in the home or in the workspace', async () => {
    const { folder, outside, put } = await openBench();
    await put('dotfiles/bashrc', '');
    await put('dotfiles/gitconfig', '');
    await symlink(join(folder, 'dotfiles/bashrc'), join(outside, '.bashrc'));
    await symlink(join(folder, 'dotfiles/not-yet'), join(outside, '.zshrc'));
    await symlink('dotfiles/gitconfig', join(folder, '.gitconfig'));
    const options = { folder, home: outside };
    expect(await reasonFor('dotfiles/bashrc', options)).toBe(SHELL);
    expect(await reasonFor('dotfiles/not-yet', options)).toBe(SHELL);
    expect(await reasonFor('dotfiles/gitconfig', options)).toBe('git reads commands from it');
    expect(await reasonFor('dotfiles/vimrc', options)).toBeUndefined();
    expect(await reasonFor('dotfiles/bashrc', { folder })).toBeUndefined();
  });

  test('to a folder of `PATH`, even if the folder is missing or a link', async () => {
    const { folder, outside } = await openBench();
    await mkdir(join(folder, 'tools'));
    await symlink(join(folder, 'tools'), join(outside, 'bin'));
    const PATH = [
      join(folder, 'new/bin'),
      join(outside, 'bin'),
      '',
      '.',
      'relative',
      join(folder, 'node_modules/.bin'),
    ];
    const options = { folder, environment: { PATH: PATH.join(':') } };
    expect(await reasonFor('new/bin/x', options)).toBe(PROGRAM);
    expect(await reasonFor('tools/lib/x', options)).toBe(PROGRAM);
    for (const path of ['x', 'relative/x', 'node_modules/.bin/x', 'new/x'])
      expect(await reasonFor(path, options), path).toBeUndefined();
  });

  test('directly in a workspace that is a folder of `PATH`, but not in its subfolders', async () => {
    const { folder } = await openBench();
    const options = { folder, environment: { PATH: folder } };
    expect(await reasonFor('x', options)).toBe(PROGRAM);
    expect(await reasonFor('sub/x', options)).toBeUndefined();
  });

  test('to a start file at a location that a variable names', async () => {
    const { folder } = await openBench();
    const environment = {
      XDG_CONFIG_HOME: join(folder, 'conf'),
      BASH_ENV: join(folder, 'env.sh'),
      GIT_CONFIG_GLOBAL: join(folder, 'git.ini'),
    };
    for (const path of ['conf/fish/config.fish', 'conf/git/config', 'env.sh', 'git.ini'])
      expect(await reasonFor(path, { folder, environment }), path).toBeDefined();
    expect(await reasonFor('conf/app.json', { folder, environment })).toBeUndefined();
  });

  test('to a start file of the system, if the workspace is the whole machine', async () => {
    for (const path of ['/etc/profile.d/x.sh', '/etc/cron.d/x', '/var/spool/cron/crontabs/root'])
      expect(await reasonFor(path, { folder: '/' }), path).toBeDefined();
    expect(await reasonFor('/srv/data', { folder: '/' })).toBeUndefined();
  });

  test('to a file of a trusted setting, even through links or if the file does not exist yet', async () => {
    const { folder, put } = await openBench();
    await put('scripts/real.sh', '');
    await put('scripts/other.sh', '');
    await symlink('real.sh', join(folder, 'scripts/link.sh'));
    await symlink('scripts', join(folder, 'alias'));
    const options = { folder, protectedPaths: [join(folder, 'scripts/link.sh'), join(folder, 'alias/new.sh')] };
    for (const path of ['scripts/real.sh', 'scripts/link.sh', 'alias/real.sh', 'scripts/new.sh'])
      expect(await reasonFor(path, options), path).toBe(SETTING);
    expect(await reasonFor('scripts/other.sh', options)).toBeUndefined();
  });
});

test('a write to the folder of the logs is refused without asking', async () => {
  const { folder } = await openBench();
  const options = { folder, home: folder, forbidden: [join(folder, '.local/state/tidemark')] };
  expect(await reasonFor('.local/state/tidemark/x', options)).toContain('log of the sessions');
  expect(await reasonFor('.ssh/authorized_keys', options)).toContain('is refused');
});

test('a read of a start file does not ask', async () => {
  const bench = await openBench();
  await bench.put('.bashrc', 'alias a=b');
  const call = await bench.judge(toolOf(bench, 'read'), { path: '.bashrc' });
  expect([call.title, call.confined]).toEqual(['read .bashrc', undefined]);
});

test('`startPaths` returns the real paths of existing start files in the workspace', async () => {
  const { folder, outside, put } = await openBench();
  for (const name of ['.bashrc', '.config/fish/config.fish', 'bin/tool', 'dotfiles/zshrc', 'sub/.profile'])
    await put(name, '');
  await symlink(join(folder, 'dotfiles/zshrc'), join(outside, '.zshrc'));
  await symlink('/etc/hostname', join(folder, '.inputrc'));
  const PATH = [join(folder, 'bin'), join(folder, 'none'), folder, '/usr/bin'].join(':');
  expect(startPaths({ workspace: folder, home: outside, environment: { PATH } }).toSorted()).toEqual(
    ['.bashrc', '.config/fish', 'bin', 'dotfiles/zshrc'].map((name) => join(folder, name)),
  );
  expect(startPaths({ workspace: folder, home: folder, environment: {} })).toHaveLength(2);
});
