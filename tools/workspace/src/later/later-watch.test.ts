// Tests the notice for the user about files that a turn changed. The notice lists only files that programs on this
// machine run later.

import { mkdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createLaterWatch } from './later-watch.ts';

const scripts = (text: string, version = '1'): string => JSON.stringify({ version, scripts: { test: text } });

it('the notice names each created or changed file, at any depth, and no other file', async () => {
  const { folder, put } = await openBench();
  await put('package.json', scripts('node --test'));
  await put('.envrc', 'export A=1');
  await put('docs/package.json', scripts('x'));
  const end = await createLaterWatch({ folder }).begin();
  await put('package.json', scripts('node --test; evil'));
  await put('sub/.envrc', 'evil');
  await put('.vscode/tasks.json', '{}');
  await put('.husky/pre-commit', 'evil');
  await put('.husky/_/h', 'evil');
  await put('docs/package.json', scripts('x', '2'));
  await put('tasks.json', '{}');
  await put('made/package.json', '{ "name": "made" }');
  await put('node_modules/x/package.json', scripts('evil'));
  const [notice, ...more] = await end();
  expect(more).toEqual([]);
  expect(notice?.code).toBe('workspace/runs-later');
  expect(notice?.message.replace(/^.*: /, '').split(', ').toSorted()).toEqual(
    ['.husky/_/h', '.husky/pre-commit', '.vscode/tasks.json', 'package.json (scripts)', 'sub/.envrc'].toSorted(),
  );
});

it('a `package.json` with 20,000 nested levels is read without a stack overflow and reported', async () => {
  const { folder, put } = await openBench();
  await put('package.json', scripts('node --test'));
  const end = await createLaterWatch({ folder }).begin();
  await put('package.json', `{"scripts":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`);
  expect((await end())[0]?.message).toContain('package.json (scripts)');
});

it('the notice names each hook in `.githooks`, at any depth', async () => {
  const { folder, put } = await openBench();
  await put('.githooks/pre-commit', 'x');
  const end = await createLaterWatch({ folder }).begin();
  await put('.githooks/pre-commit', 'evil');
  await put('sub/.githooks/steps/lint', 'evil');
  const names = (await end())[0]?.message.replace(/^.*: /, '').split(', ').toSorted();
  expect(names).toEqual(['.githooks/pre-commit', 'sub/.githooks/steps/lint']);
});

it('a turn that changed no such file returns no notice, and the next turn starts again', async () => {
  const { folder, put } = await openBench();
  await put('.envrc', 'a');
  const watch = createLaterWatch({ folder });
  const first = await watch.begin();
  await put('src/a.js', 'x');
  expect(await first()).toEqual([]);
  const second = await watch.begin();
  await put('.envrc', 'b');
  expect(await second()).toHaveLength(1);
  expect(await (await watch.begin())()).toEqual([]);
});

it('the notice names a file that became a link, and no removed file', async () => {
  const { folder, outside, put } = await openBench();
  await put('.envrc', 'a');
  await put('a/.envrc', 'a');
  const end = await createLaterWatch({ folder }).begin();
  await rm(join(folder, 'a'), { recursive: true });
  await unlink(join(folder, '.envrc'));
  await writeFile(join(outside, 'envrc'), 'evil');
  await symlink(join(outside, 'envrc'), join(folder, '.envrc'));
  expect((await end())[0]?.message).toMatch(/: \.envrc$/);
});

it('the notice names an invalid package.json, and shows names on one line', async () => {
  const { folder, put } = await openBench();
  await mkdir(join(folder, 'a'));
  const end = await createLaterWatch({ folder }).begin();
  await put('a\u202eb/package.json', '{ "scripts": ');
  expect((await end())[0]?.message).toContain('a\\u{202e}b/package.json (scripts)');
});

it('a notice reports the folder limit once, even if the turn changed nothing', async () => {
  const { folder, put } = await openBench();
  for (const path of ['a/x', 'b/x', 'c/x']) await put(path, '');
  const watch = createLaterWatch({ folder, most: 3 });
  const first = await watch.begin();
  expect(await first()).toEqual([
    {
      code: 'workspace/watch-limit',
      message: 'not all files that run later on this machine are watched: only the first 3 folders are searched',
      next: expect.stringContaining('check the other files yourself'),
    },
  ]);
  expect(await (await watch.begin())()).toEqual([]);
  const inTime = await createLaterWatch({ folder, most: 4 }).begin();
  expect(await inTime()).toEqual([]);
});

it('a notice reports a limit in addition to the changed files', async () => {
  const { folder, put } = await openBench();
  await put('a/x', '');
  const end = await createLaterWatch({ folder, most: 1 }).begin();
  await put('.envrc', 'evil');
  expect((await end()).map(({ code }) => code)).toEqual(['workspace/runs-later', 'workspace/watch-limit']);
});

it('the notice names a new repository and new start files', async () => {
  const { folder, put } = await openBench();
  await put('bin/old', 'x');
  const environment = { PATH: `/usr/bin:${folder}/bin` };
  const end = await createLaterWatch({ folder, home: folder, environment }).begin();
  for (const name of ['sub/HEAD', 'sub/config', 'sub/objects/x', 'sub/refs/x', '.zshenv', 'bin/new'])
    await put(name, 'x');
  const names = (await end())[0]?.message.replace(/^.*: /, '').split(', ').toSorted();
  expect(names).toEqual(['.zshenv', 'bin/new', 'sub']);
});
