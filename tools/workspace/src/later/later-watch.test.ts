// What a turn changed that runs later on this machine.

import { mkdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createLaterWatch } from './later-watch.ts';

const scripts = (text: string, version = '1'): string => JSON.stringify({ version, scripts: { test: text } });

it('tells of each file that was made or changed, at any depth, and of nothing else', async () => {
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

it('reads a `package.json` of 20,000 levels without a stack overflow, and tells of it', async () => {
  const { folder, put } = await openBench();
  await put('package.json', scripts('node --test'));
  const end = await createLaterWatch({ folder }).begin();
  await put('package.json', `{"scripts":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`);
  expect((await end())[0]?.message).toContain('package.json (scripts)');
});

it('tells of each hook in `.githooks`, at any depth', async () => {
  const { folder, put } = await openBench();
  await put('.githooks/pre-commit', 'x');
  const end = await createLaterWatch({ folder }).begin();
  await put('.githooks/pre-commit', 'evil');
  await put('sub/.githooks/steps/lint', 'evil');
  const names = (await end())[0]?.message.replace(/^.*: /, '').split(', ').toSorted();
  expect(names).toEqual(['.githooks/pre-commit', 'sub/.githooks/steps/lint']);
});

it('says nothing of a turn that changed none, and begins again with the next turn', async () => {
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

it('tells of a file that became a link, and of none that was removed', async () => {
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

it('tells of a package.json that is no JSON, and shows names on one line', async () => {
  const { folder, put } = await openBench();
  await mkdir(join(folder, 'a'));
  const end = await createLaterWatch({ folder }).begin();
  await put('a\u202eb/package.json', '{ "scripts": ');
  expect((await end())[0]?.message).toContain('a\\u{202e}b/package.json (scripts)');
});

it('tells once that it stops at a number of folders, also after a turn that changed nothing', async () => {
  const { folder, put } = await openBench();
  for (const path of ['a/x', 'b/x', 'c/x']) await put(path, '');
  const watch = createLaterWatch({ folder, most: 3 });
  const first = await watch.begin();
  expect(await first()).toEqual([
    {
      code: 'workspace/watch-limit',
      message: 'files that run later on this machine are not all watched: only the first 3 folders are searched',
      next: expect.stringContaining('look at the rest yourself'),
    },
  ]);
  expect(await (await watch.begin())()).toEqual([]);
  const inTime = await createLaterWatch({ folder, most: 4 }).begin();
  expect(await inTime()).toEqual([]);
});

it('tells of a limit next to the files that changed', async () => {
  const { folder, put } = await openBench();
  await put('a/x', '');
  const end = await createLaterWatch({ folder, most: 1 }).begin();
  await put('.envrc', 'evil');
  expect((await end()).map(({ code }) => code)).toEqual(['workspace/runs-later', 'workspace/watch-limit']);
});

it('tells of a repository and of start files that a tool made', async () => {
  const { folder, put } = await openBench();
  await put('bin/old', 'x');
  const environment = { PATH: `/usr/bin:${folder}/bin` };
  const end = await createLaterWatch({ folder, home: folder, environment }).begin();
  for (const name of ['sub/HEAD', 'sub/config', 'sub/objects/x', 'sub/refs/x', '.zshenv', 'bin/new'])
    await put(name, 'x');
  const names = (await end())[0]?.message.replace(/^.*: /, '').split(', ').toSorted();
  expect(names).toEqual(['.zshenv', 'bin/new', 'sub']);
});
