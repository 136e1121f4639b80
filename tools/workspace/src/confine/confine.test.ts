import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createConfinement, forbiddenName } from './confine.ts';
import { showName } from './show-name.ts';

describe('`Confinement.place`', () => {
  test('accepts a relative or an absolute path, and the file need not exist', async () => {
    const { folder, confinement } = await openBench();
    const inside = { path: join(folder, 'a/b.txt'), shown: 'a/b.txt', inside: true };
    expect(await confinement.place('a/b.txt')).toEqual(inside);
    expect(await confinement.place('x/../a/./b.txt')).toEqual(inside);
    expect(await confinement.place(join(folder, 'a/b.txt'))).toEqual(inside);
    expect(await confinement.place('.')).toEqual({ path: folder, shown: '.', inside: true });
  });

  test("reports a path above the workspace as outside, even if the folder name begins with the workspace's name", async () => {
    const { folder, outside, confinement } = await openBench();
    expect(await confinement.place('../outside/x')).toMatchObject({ path: join(outside, 'x'), inside: false });
    expect(await confinement.place(`${folder}-2/x`)).toMatchObject({ inside: false });
    expect(await confinement.place('..a/x')).toMatchObject({ inside: true });
    expect(await confinement.placeInside('../outside/x')).toEqual({
      problem: expect.stringContaining('is outside the workspace'),
    });
  });

  test('follows symlinks to a file, to a folder, in a chain and to a missing target', async () => {
    const { folder, outside, confinement } = await openBench();
    await writeFile(join(outside, 'secret.txt'), 'x');
    await symlink(join(outside, 'secret.txt'), join(folder, 'file'));
    await symlink(outside, join(folder, 'folder'));
    await symlink('folder', join(folder, 'chain'));
    await symlink('../outside/not/yet', join(folder, 'dangling'));
    for (const name of ['file', 'folder/new.txt', 'chain/a/b', 'dangling', 'dangling/below'])
      expect(await confinement.place(name), name).toMatchObject({ inside: false });
    expect(await confinement.place('dangling')).toMatchObject({ path: join(outside, 'not/yet') });
  });

  test('resolves a symlink that stays inside to the real file', async () => {
    const { folder, confinement } = await openBench();
    await mkdir(join(folder, 'v2'));
    await symlink('v2', join(folder, 'latest'));
    expect(await confinement.place('latest/x')).toEqual({ path: join(folder, 'v2/x'), shown: 'v2/x', inside: true });
  });

  test('returns a problem in words for an impossible path instead of throwing', async () => {
    const { folder, put, confinement } = await openBench();
    await put('file.txt', 'x');
    await symlink('b', join(folder, 'a'));
    await symlink('a', join(folder, 'b'));
    const problems = ['', 'a\0b', '~/notes', 'file.txt/x', 'a', 'x'.repeat(300)].map(async (path) => {
      const place = await confinement.place(path);
      return 'problem' in place ? place.problem : `no problem with ${path}`;
    });
    expect(await Promise.all(problems)).toEqual([
      expect.stringContaining('empty'),
      expect.stringContaining('NUL'),
      expect.stringContaining('not expanded'),
      expect.stringContaining('a part of this path is a file'),
      expect.stringContaining('form a loop'),
      expect.stringContaining('name is too long'),
    ]);
  });

  test('shows control characters in a path as escapes, on one line', async () => {
    const { confinement } = await openBench();
    expect(await confinement.place('日本/é.txt')).toMatchObject({ shown: '日本/é.txt' });
    expect(showName('a\nb\u001b[2J\u202Egpj')).toBe('a\\u{a}b\\u{1b}[2J\\u{202e}gpj');
  });
});

describe('refused paths', () => {
  test('`.git` is refused in any spelling, at any depth and through a symlink', async () => {
    const { folder, confinement } = await openBench();
    await mkdir(join(folder, '.git'));
    await symlink('.git', join(folder, 'innocent'));
    for (const path of ['.git', '.git/config', 'sub/.GIT/hooks/pre-commit', '.g\u200Cit/config', 'innocent/config'])
      expect(await confinement.place(path), path).toEqual({ problem: expect.stringContaining('version control') });
    await rm(join(folder, '.git'), { recursive: true });
    await mkdir(join(folder, 'elsewhere'));
    await symlink('elsewhere', join(folder, '.git'));
    expect(await confinement.place('.git/config')).toHaveProperty('problem');
    expect(await confinement.place('.github/workflows/ci.yml')).toMatchObject({ inside: true });
  });

  test('credential files are refused by name inside and outside the workspace, but sample files are not', async () => {
    const { confinement } = await openBench();
    for (const path of [
      '.env',
      '.env.local',
      '.Env.Production',
      '.env.test.local',
      '.env.example.local',
      '.ssh/config',
      '/elsewhere/.aws/credentials',
      '.netrc',
      'keys/id_ed25519',
    ])
      expect(await confinement.place(path), path).toEqual({ problem: expect.stringContaining('is refused') });
    for (const name of [
      '.env.example',
      '.env.sample',
      '.env.test',
      '.env.template',
      '.env.dist',
      '.env.local.example',
      '.envrc',
      'env',
      'id_rsa.pub',
      '.gitignore',
      '.gitattributes',
      'constructor',
    ])
      expect(forbiddenName(name), name).toBeUndefined();
  });

  test('an `.npmrc` that contains a login or is in the home folder is refused, but plain project settings are not', async () => {
    const { folder, outside, put } = await openBench();
    const confinement = createConfinement({ folder, home: join(folder, 'home') });
    const token = ['npm', '_', '0a1B2c3D4'.repeat(4)].join('');
    const refused = [
      '_auth=bWFydGhhOmxldG1laW4=',
      '//registry.example/:_authToken=letmein',
      `  //registry.example/:_authToken = "${token}"`,
      'engine-strict=true\r\n//registry.example/:_password=bGV0bWVpbg==',
      'https-proxy=http://martha:letmein@proxy.example',
      'key="-----BEGIN X"',
    ];
    for (const [at, text] of refused.entries()) {
      const path = await put(`${at}/.npmrc`, `${text}\n`);
      expect(await confinement.place(path), text).toEqual({ problem: expect.stringContaining('package registry') });
      expect(confinement.refusal(path), text).toBeDefined();
    }
    const open = ['engine-strict=true', '', 'registry=https://registry.example/', '//r/:_authToken=${NPM_TOKEN}'];
    for (const [at, text] of open.entries()) {
      const path = await put(`open-${at}/.npmrc`, `${text}\n`);
      expect(await confinement.place(path), text).toMatchObject({ inside: true });
      expect(confinement.refusal(path), text).toBeUndefined();
    }
    expect(await confinement.place(await put('home/.npmrc', 'engine-strict=true'))).toHaveProperty('problem');
    expect(await confinement.place(await put('large/.npmrc', '\n'.repeat(70_000)))).toHaveProperty('problem');
    await writeFile(join(outside, '.npmrc'), refused[0] ?? '');
    await symlink(join(outside, '.npmrc'), join(folder, 'settings'));
    expect(await confinement.place('settings')).toHaveProperty('problem');
  });

  test('a project `.npmrc` is not refused, but a write to it asks the user because it names programs that npm starts', async () => {
    const { confinement } = await openBench();
    for (const path of ['.npmrc', 'packages/a/.NPMRC'])
      expect(await confinement.place(path), path).toMatchObject({ asks: 'npm reads from it which programs to start' });
  });

  test('the folder of the logs is refused before it exists and through a symlink', async () => {
    const { folder, outside } = await openBench();
    await symlink(outside, join(folder, 'link'));
    const confinement = createConfinement({ folder, forbidden: [join(folder, 'link/home'), join(folder, 'logs')] });
    for (const path of ['logs', 'logs/a.ndjson', join(outside, 'home/x'), 'link/home'])
      expect(await confinement.place(path), path).toEqual({ problem: expect.stringContaining('log of the sessions') });
    expect(await confinement.place('logs-2')).toMatchObject({ inside: true });
    expect(confinement.refusal(join(folder, 'logs/a.ndjson'))).toBeDefined();
  });

  test('folder names above the workspace are not checked, so a workspace in a folder named `.aws` works', async () => {
    const { folder } = await openBench();
    await mkdir(join(folder, '.aws/project'), { recursive: true });
    const confinement = createConfinement({ folder: join(folder, '.aws/project') });
    expect(await confinement.place('main.tf')).toMatchObject({ inside: true });
    expect(await confinement.place('../credentials')).toHaveProperty('problem');
  });
});

test('a workspace may be named by a symlink but must be a folder', async () => {
  const { folder, outside, put } = await openBench();
  await symlink(folder, join(outside, 'work'));
  expect(createConfinement({ folder: join(outside, 'work') }).folder).toBe(folder);
  const file = await put('file', '');
  for (const bad of [file, join(folder, 'missing')])
    expect(() => createConfinement({ folder: bad })).toThrow(expect.objectContaining({ code: 'workspace/no-folder' }));
});
