// Tests repositories in a real sandbox. It tests which repositories a command cannot change, and which ones are
// reported.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { contextOf } from '../../tests/bench.ts';
import { NO_SANDBOX, openSandboxedBash, repositoryIn } from '../../tests/sandboxed-bash.ts';
import { createConfinement } from '../confine/confine.ts';
import { createWriteTool } from '../write/write-tool.ts';

const EVIL = 'evil';

beforeEach((context) => {
  if (NO_SANDBOX !== undefined) context.skip(NO_SANDBOX);
});

describe('the sandbox', () => {
  it('protects the repository that a `.git` file points to, inside the workspace', async () => {
    const bash = await openSandboxedBash();
    mkdirSync(join(bash.folder, 'store'));
    writeFileSync(join(bash.folder, 'store/config'), 'fine');
    mkdirSync(join(bash.folder, 'tree'));
    writeFileSync(join(bash.folder, 'tree/.git'), 'gitdir: ../store\n');
    await bash.run('echo evil > store/config; mv store x');
    expect(readFileSync(join(bash.folder, 'store/config'), 'utf8')).toBe('fine');
  });

  it('protects a bare repository', async () => {
    const bash = await openSandboxedBash();
    execFileSync('git', ['init', '-q', '--bare', join(bash.folder, 'store.git')]);
    await bash.run('echo evil > store.git/config; echo evil > store.git/hooks/pre-receive; mv store.git x');
    expect(readFileSync(join(bash.folder, 'store.git/config'), 'utf8')).not.toContain(EVIL);
    expect(existsSync(join(bash.folder, 'store.git/hooks/pre-receive'))).toBe(false);
  });

  it('protects a `.git` in a folder that cannot be listed, and reports the folder', async () => {
    const bash = await openSandboxedBash();
    await bash.run('mkdir -p closed && chmod 700 closed');
    repositoryIn(join(bash.folder, 'closed'));
    const { notices } = await bash.run('chmod 311 closed');
    await bash.run('echo "[core] fsmonitor = evil" >> closed/.git/config');
    expect(readFileSync(join(bash.folder, 'closed/.git/config'), 'utf8')).not.toContain(EVIL);
    // Root can list every folder, so this limit is not reported to root.
    const codes = notices.map(({ code }) => code);
    expect(codes.includes('sandbox/limit')).toBe(process.getuid?.() !== 0);
    chmodSync(join(bash.folder, 'closed'), 0o700);
  });

  it('runs no command while a folder without access prevents the protection of a repository, and runs commands again once the folder is accessible', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root enters every folder');
    const bash = await openSandboxedBash();
    repositoryIn(join(bash.folder, 'closed/down/own'));
    const { text } = await bash.run('chmod 000 closed/down');
    expect(text).not.toContain('is new');
    await expect(bash.run('touch ran')).rejects.toThrow(
      'the command did not run: the repository closed/down/own/.git cannot be protected, because the folder closed/down cannot be entered (EACCES). Ask the user to open closed/down again',
    );
    expect(existsSync(join(bash.folder, 'ran'))).toBe(false);
    chmodSync(join(bash.folder, 'closed/down'), 0o700);
    expect((await bash.run('echo again')).output).toBe('again\n');
  });

  it('names a folder with a repository that was replaced by a circle of links', async () => {
    const bash = await openSandboxedBash();
    repositoryIn(join(bash.folder, 'a/down/own'));
    await bash.run('true');
    rmSync(join(bash.folder, 'a/down'), { recursive: true });
    symlinkSync('down', join(bash.folder, 'a/down'));
    await expect(bash.run('touch ran')).rejects.toThrow(
      'the repository a/down/own/.git cannot be protected, because the folder a/down cannot be entered (ELOOP)',
    );
    expect(existsSync(join(bash.folder, 'ran'))).toBe(false);
  });

  it('reports a repository that a command created, and protects it from then on', async () => {
    const bash = await openSandboxedBash();
    const made = await bash.run('mkdir -p deep/down && cd deep/down && git init -q .');
    expect(made.text).toContain('[deep/down/.git is new, and git runs');
    expect(made.notices.map(({ code }) => code)).toContain('sandbox/changed');
    await bash.run('echo "[core] fsmonitor = evil" >> deep/down/.git/config');
    expect(readFileSync(join(bash.folder, 'deep/down/.git/config'), 'utf8')).not.toContain(EVIL);
    const again = await bash.run('true');
    expect([again.text.includes('is new'), again.notices]).toEqual([false, []]);
  });

  it('protects a bare repository that the `write` tool created since the last command of the turn', async () => {
    const bash = await openSandboxedBash();
    await bash.run('true');
    const write = createWriteTool(createConfinement({ folder: bash.folder }));
    const context = contextOf(new Map());
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x']) {
      const call = await write.read({ path: `store/${name}`, content: 'fine' });
      if ('problem' in call) throw new Error(call.problem);
      await call.run(context);
    }
    await bash.run('echo evil > store/config; mkdir store/hooks; echo evil > store/hooks/pre-commit; mv store x');
    expect(readFileSync(join(bash.folder, 'store/config'), 'utf8')).toBe('fine');
    expect(existsSync(join(bash.folder, 'store/hooks'))).toBe(false);
  });

  it('reports a repository that replaced another one', async () => {
    const bash = await openSandboxedBash({ repository: 'read-only' });
    const script = 'mkdir a && cd a && git init -q . && mv .git ../b && rm -rf ../b && git init -q .';
    expect((await bash.run(script)).text).toContain('[a/.git is new, and git runs');
  });

  it('reports a `.git` link whose target a command changed', async () => {
    const bash = await openSandboxedBash();
    mkdirSync(join(bash.folder, 'a'));
    symlinkSync(join(bash.outside, 'one'), join(bash.folder, 'a/.git'));
    const { text } = await bash.run(`rm a/.git; ln -s ${bash.outside}/two a/.git`);
    expect(text).toContain('[a/.git is new, and git runs');
    expect((await bash.run('true')).text).not.toContain('is new');
  });

  it('prevents changes to files that repository settings name, and moves of their folders', async () => {
    const bash = await openSandboxedBash();
    repositoryIn(bash.folder);
    repositoryIn(join(bash.folder, 'vendor/lib'));
    appendFileSync(
      join(bash.folder, '.git/config'),
      '[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../shared.ini\n',
    );
    appendFileSync(join(bash.folder, 'vendor/lib/.git/config'), '[core]\n\thooksPath = tools/hooks\n');
    const files = ['.husky/_/pre-commit', 'shared.ini', 'vendor/lib/tools/hooks/pre-push'];
    for (const file of files) {
      mkdirSync(dirname(join(bash.folder, file)), { recursive: true });
      writeFileSync(join(bash.folder, file), '[core]\n');
    }
    const tries = files.map((file) => `echo evil > ${file}; mkdir -p ${dirname(file)}; echo evil > ${file}`).join('; ');
    await bash.run(`${tries}; mv .husky x; mv vendor/lib/tools y; touch vendor/lib/tools/hooks/new; ${tries}`);
    expect(files.map((file) => readFileSync(join(bash.folder, file), 'utf8'))).toEqual(files.map(() => '[core]\n'));
    expect(existsSync(join(bash.folder, 'vendor/lib/tools/hooks/new'))).toBe(false);
    expect((await bash.run('echo more > .husky/own && cat .husky/own')).output).toBe('more\n');
  });

  it('puts back a link that repository settings name', async () => {
    const bash = await openSandboxedBash();
    repositoryIn(bash.folder);
    appendFileSync(join(bash.folder, '.git/config'), '[core]\n\thooksPath = .githooks\n');
    mkdirSync(join(bash.folder, 'hooks'));
    symlinkSync('hooks', join(bash.folder, '.githooks'));
    await bash.run('rm .githooks; mkdir .githooks; echo evil > .githooks/pre-commit; echo evil > hooks/pre-commit');
    expect(readlinkSync(join(bash.folder, '.githooks'))).toBe('hooks');
    expect(existsSync(join(bash.folder, 'hooks/pre-commit'))).toBe(false);
  });

  it('reports a file that repository settings name when a command creates it, and protects it from then on', async () => {
    const bash = await openSandboxedBash();
    repositoryIn(bash.folder);
    appendFileSync(join(bash.folder, '.git/config'), '[core]\n\thooksPath = .githooks\n');
    const { text, notices } = await bash.run('mkdir .githooks; echo fine > .githooks/pre-commit');
    expect(text).toContain(
      '[.githooks is new, and the settings of a repository name it: git runs it or follows its settings]',
    );
    expect(notices.map(({ code }) => code)).toContain('sandbox/changed');
    expect((await bash.run('echo evil > .githooks/pre-commit; touch .githooks/new')).text).not.toContain('is new');
    expect(readFileSync(join(bash.folder, '.githooks/pre-commit'), 'utf8')).toBe('fine\n');
    expect(existsSync(join(bash.folder, '.githooks/new'))).toBe(false);
  });
});
