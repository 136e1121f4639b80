// Tests each known way to escape from the workspace or to bypass a rule.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../tests/bench.ts';
import { bashEnvironment } from './bash/bash-environment.ts';
import { createConfinement, forbiddenName } from './confine/confine.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createReadTool } from './read/read-tool.ts';
import { createGrepTool } from './search/grep-tool.ts';
import { readCommands } from './shell/read-commands.ts';
import { createWriteTool } from './write/write-tool.ts';

describe('an escape attempt', () => {
  test('through a symlink is judged by the target of the link', async () => {
    const { folder, outside, confinement, call, judge } = await openBench();
    await writeFile(join(outside, 'secret'), 'SECRET');
    await symlink(outside, join(folder, 'src'));
    expect((await call(createReadTool(confinement), { path: 'src/secret' })).code).toBe('problem');
    const write = await judge(createWriteTool(confinement), { path: 'src/new', content: 'x' });
    expect(write).toMatchObject({ confined: false, effects: { paths: [{ path: join(outside, 'new') }] } });
  });

  test('through a symlink inside the workspace reaches a rule under its real name', async () => {
    const { folder, confinement, put, judge } = await openBench();
    await put('secrets/key.txt', 'x');
    await symlink('secrets', join(folder, 'src'));
    const read = await judge(createReadTool(confinement), { path: 'src/key.txt' });
    expect(read.effects).toEqual({ paths: [{ path: 'secrets/key.txt' }] });
  });

  test('with `..` is judged by the resolved path', async () => {
    const { outside, confinement, call, judge } = await openBench();
    expect((await call(createReadTool(confinement), { path: 'src/../../outside/x' })).code).toBe('problem');
    const write = await judge(createWriteTool(confinement), { path: 'src/../../outside/x', content: '' });
    expect(write).toMatchObject({ confined: false, effects: { paths: [{ path: join(outside, 'x') }] } });
    const inside = await judge(createWriteTool(confinement), { path: 'src/../secrets/x', content: '' });
    expect(inside.effects).toEqual({ paths: [{ path: 'secrets/x' }] });
  });

  test('through a hard link fails because an edit creates a new file and keeps the outside file unchanged', async () => {
    const { folder, outside, confinement, call, content } = await openBench();
    await writeFile(join(outside, 'shared'), 'old');
    await link(join(outside, 'shared'), join(folder, 'linked'));
    const edit = { path: 'linked', old_text: 'old', new_text: 'new' };
    expect((await call(createEditTool(confinement), edit)).code).toBeUndefined();
    expect([await content('linked'), await readFile(join(outside, 'shared'), 'utf8')]).toEqual(['new', 'old']);
  });

  test('through /proc is refused, even if the workspace is the whole machine', async () => {
    const { folder } = await openBench();
    await symlink('/proc/self/environ', join(folder, 'environ'));
    await symlink('/proc', join(folder, 'procs'));
    for (const confinement of [createConfinement({ folder }), createConfinement({ folder: '/' })])
      for (const path of [
        '/proc/self/environ',
        join(folder, 'environ'),
        join(folder, 'procs/self/environ'),
        '/proc/self/root/etc/hosts',
      ])
        expect(await confinement.place(path), path).toEqual({
          problem: expect.stringContaining('memory and environment of processes'),
        });
  });

  test('through the environment fails because no variable that changes what a program loads or runs is passed', () => {
    const hostile = [
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'DYLD_INSERT_LIBRARIES',
      'BASH_ENV',
      'ENV',
      'GIT_DIR',
      'GIT_SSH_COMMAND',
      'GIT_CONFIG_COUNT',
      'NODE_OPTIONS',
      'PYTHONSTARTUP',
      'PROMPT_COMMAND',
      'IFS',
      'SHELLOPTS',
      'BASH_FUNC_ls%%',
    ];
    const passed = bashEnvironment(Object.fromEntries(hostile.map((name) => [name, 'x'])));
    expect(Object.keys(passed).filter((name) => hostile.includes(name))).toEqual([]);
  });

  test('through `PATH` fails because programs are not searched for in the working folder of a command', () => {
    expect(bashEnvironment({ PATH: '.:/usr/bin::node_modules/.bin:/bin:' })['PATH']).toBe('/usr/bin:/bin');
  });

  test('with a variable before an allowed command fails because no allow rule matches the line', () => {
    for (const name of ['LD_PRELOAD', 'GIT_SSH_COMMAND', 'BASH_ENV', 'PATH', 'FOO'])
      expect(readCommands(`${name}=./x npm test`).plain, name).toBeUndefined();
  });

  test('with a here-document fails because no allow rule matches the line, and deny rules still find the commands in the line', () => {
    const { plain, possible } = readCommands('npm test <<EOF\n$(git push)\nEOF');
    expect(plain).toBeUndefined();
    expect(possible).toContainEqual(['git', 'push']);
  });

  test('with an encoded path fails because names are taken literally and equivalent spellings are refused', async () => {
    const { confinement, judge } = await openBench();
    const read = await judge(createReadTool(confinement), { path: 'secrets%2Fkey' });
    expect(read.effects).toEqual({ paths: [{ path: 'secrets%2Fkey' }] });
    for (const name of ['.SSH', '.ſsh', '.ｓsh', '.s\u200csh', '.Git', '.ENV', 'ID_RſA', '.\u212Aube'])
      expect(forbiddenName(name), name).toBeDefined();
  });

  test('with a folder that becomes a link between check and use does not write through the link', async () => {
    const { folder, outside, confinement, put, judge, run } = await openBench();
    await put('src/a.ts', 'old');
    const write = await judge(createWriteTool(confinement), { path: 'src/b.ts', content: 'x' });
    await rename(join(folder, 'src'), join(folder, 'was'));
    await symlink(outside, join(folder, 'src'));
    expect(await run(write)).toMatchObject({ code: 'workspace/moved' });
    expect(existsSync(join(outside, 'b.ts'))).toBe(false);
  });

  test('with a file that becomes a pipe between check and use does not read the pipe', async () => {
    const { folder, confinement, put, judge, run } = await openBench();
    const path = await put('a.txt', 'x');
    const read = await judge(createReadTool(confinement), { path: 'a.txt' });
    await rename(path, join(folder, 'was.txt'));
    execFileSync('mkfifo', [path]);
    expect((await run(read)).code).toBe('workspace/not-a-file');
  });

  test('with a pipe does not block any file tool', async () => {
    const { folder, confinement, call } = await openBench();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('pipe', join(folder, 'link'));
    for (const path of ['pipe', 'link', './/pipe', 'x/../pipe']) {
      const answers = await Promise.all([
        call(createReadTool(confinement), { path }),
        call(createWriteTool(confinement), { path, content: 'x' }),
        call(createEditTool(confinement), { path, old_text: 'a', new_text: 'b' }),
        call(createGrepTool(confinement), { pattern: 'a', path }),
      ]);
      for (const { text } of answers) expect(text, path).toContain('is a pipe, a socket or a device');
    }
  });

  test('with a device or a descriptor does not open it, neither by its path nor through a link', async () => {
    const { folder, confinement, call } = await openBench();
    await symlink('/dev/zero', join(folder, 'zero'));
    for (const path of [
      '/dev/fd/0',
      '/dev/stdin',
      '/dev/zero',
      'zero',
      'file:///etc/passwd',
      '/proc/self/root/etc/passwd',
    ])
      expect((await call(createReadTool(confinement), { path })).code, path).toMatch(/problem|not-a-file|file-system/);
    const whole = createConfinement({ folder: '/' });
    expect((await call(createReadTool(whole), { path: '/dev/zero' })).code).toBe('workspace/not-a-file');
  });

  test('with a hard link from a command fails because `write` replaces the link and keeps the outside file unchanged', async () => {
    const { folder, outside, confinement, call, content } = await openBench();
    await writeFile(join(outside, 'profile'), 'old');
    execFileSync('ln', [join(outside, 'profile'), join(folder, 'x')]);
    const write = createWriteTool(confinement);
    await call(createReadTool(confinement), { path: 'x' });
    expect((await call(write, { path: 'x', content: 'new' })).code).toBeUndefined();
    expect([await content('x'), await readFile(join(outside, 'profile'), 'utf8')]).toEqual(['new', 'old']);
  });
});
