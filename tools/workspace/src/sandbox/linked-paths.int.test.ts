// Tests protected paths that contain links, in a real sandbox. A link in the middle of a path needs the same protection
// as a link at its end.

import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_SANDBOX, openSandboxedBash, repositoryIn } from '../../tests/sandboxed-bash.ts';

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

beforeEach((context) => {
  if (NO_SANDBOX !== undefined) context.skip(NO_SANDBOX);
});

describe('a replaced link in the middle of a protected path is put back', () => {
  it.for([
    ['core.hooksPath', '[core]\n\thooksPath = current/hooks\n'],
    ['include.path', '[include]\n\tpath = ../current/settings\n'],
  ])('for a path that %s names', async ([, settings]) => {
    const bash = await openSandboxedBash();
    repositoryIn(bash.folder);
    appendFileSync(join(bash.folder, '.git/config'), settings ?? '');
    put(bash.folder, 'v1/hooks/pre-commit', 'fine');
    put(bash.folder, 'v1/settings', '');
    symlinkSync('v1', join(bash.folder, 'current'));
    const { text } = await bash.run('rm current; mkdir -p current/hooks; echo evil > current/hooks/pre-commit');
    expect(text).toContain('current is a link that this command replaced; it was put back');
    expect(readlinkSync(join(bash.folder, 'current'))).toBe('v1');
  });

  it('for the folder that a `.git` file points to', async () => {
    const bash = await openSandboxedBash();
    put(bash.folder, 'stores/v1/sub/config', 'fine');
    symlinkSync('v1', join(bash.folder, 'stores/current'));
    put(bash.folder, 'sub/.git', 'gitdir: ../stores/current/sub\n');
    await bash.run('cp -r stores/v1 stores/v2; ln -sfn v2 stores/current');
    expect(readlinkSync(join(bash.folder, 'stores/current'))).toBe('v1');
  });

  it('for AGENTS.md', async () => {
    const bash = await openSandboxedBash();
    put(bash.folder, 'v1/AGENTS.md', 'fine');
    symlinkSync('v1', join(bash.folder, 'docs'));
    symlinkSync('docs/AGENTS.md', join(bash.folder, 'AGENTS.md'));
    await bash.run('rm docs; mkdir docs; echo evil > docs/AGENTS.md');
    expect(readFileSync(join(bash.folder, 'AGENTS.md'), 'utf8')).toBe('fine');
  });

  it('for a folder of PATH', async () => {
    const { folder } = await openSandboxedBash();
    put(folder, 'v1/bin/tool', 'fine');
    symlinkSync('v1', join(folder, 'current'));
    const environment = { PATH: `${join(folder, 'current/bin')}:${process.env['PATH']}` };
    const bash = await openSandboxedBash({ folder, environment });
    await bash.run('rm current; mkdir -p current/bin; echo evil > current/bin/tool');
    expect(readFileSync(join(folder, 'current/bin/tool'), 'utf8')).toBe('fine');
  });
});

it('a start file that is a link is put back if the workspace is the home', async () => {
  const { folder } = await openSandboxedBash();
  put(folder, 'dotfiles/bashrc', 'fine');
  symlinkSync('dotfiles/bashrc', join(folder, '.bashrc'));
  const bash = await openSandboxedBash({ folder, environment: { PATH: process.env['PATH'], HOME: folder } });
  await bash.run('rm .bashrc; echo evil > .bashrc; echo evil > dotfiles/bashrc');
  expect(readFileSync(join(folder, '.bashrc'), 'utf8')).toBe('fine');
});

it('keys that a link in the workspace points to stay hidden when a command replaces the link', async () => {
  const { folder } = await openSandboxedBash();
  put(folder, 'env/prod/kubeconfig', 'SECRET');
  symlinkSync('prod', join(folder, 'env/current'));
  const environment = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'env/current/kubeconfig') };
  const bash = await openSandboxedBash({ folder, environment });
  const replace = 'rm env/current; mkdir env/current; touch env/current/kubeconfig';
  const first = bash.run(`${replace}; touch replaced; while [ ! -e read ]; do sleep 0.05; done`);
  await expect.poll(() => existsSync(join(folder, 'replaced')), { timeout: 30_000 }).toBe(true);
  // Another command begins after the link was replaced. It ends before the sandbox restores the link.
  const meanwhile = await bash.run('cat env/prod/kubeconfig; touch read');
  await first;
  const after = await bash.run('cat env/prod/kubeconfig');
  expect([meanwhile, after].map(({ output }) => output.includes('SECRET'))).toEqual([false, false]);
  expect(readlinkSync(join(folder, 'env/current'))).toBe('prod');
});

it('settings and hooks of a repository that are links into the workspace cannot be changed', async () => {
  const bash = await openSandboxedBash();
  repositoryIn(bash.folder);
  for (const [name, part] of [
    ['settings', '.git/config'],
    ['hook', '.git/hooks/pre-commit'],
  ] as const) {
    put(bash.folder, `dot/${name}`, 'fine');
    execFileSync('ln', ['-sf', join('..', part.includes('hooks') ? '..' : '', `dot/${name}`), join(bash.folder, part)]);
  }
  await bash.run('echo evil > dot/settings; echo evil > dot/hook; mv dot other');
  expect(readFileSync(join(bash.folder, 'dot/settings'), 'utf8')).toBe('fine');
  expect(readFileSync(join(bash.folder, 'dot/hook'), 'utf8')).toBe('fine');
  expect(existsSync(join(bash.folder, 'other'))).toBe(false);
});
