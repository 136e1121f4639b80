import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createConfinement } from '../confine/confine.ts';
import { createLsTool } from './ls-tool.ts';

test('ls lists names sorted by code units, and marks folders and symlinks', async () => {
  const { folder, outside, put, call, confinement } = await openBench();
  for (const name of ['b.txt', 'B.txt', 'é.txt', '.hidden', 'src/a.ts', 'a\nb']) await put(name, '');
  await symlink(outside, join(folder, 'out'));
  expect((await call(createLsTool(confinement), {})).text.split('\n')).toEqual([
    '.hidden',
    'B.txt',
    'a\\u{a}b',
    'b.txt',
    `out -> ${outside}`,
    'src/',
    'é.txt',
  ]);
});

test('ls lists as many levels as requested, but never enters a link, .git, node_modules or the folder of the logs', async () => {
  const { folder, put, call } = await openBench();
  for (const name of ['.git/config', 'node_modules/a/x.js', 'src/deep/er.ts', 'src/a.ts', 'log/1'] as const)
    await put(name, '');
  await symlink('src', join(folder, 'alias'));
  const tool = createLsTool(createConfinement({ folder, forbidden: [join(folder, 'log')] }));
  const said = async (input: object): Promise<readonly string[]> => (await call(tool, input)).text.split('\n');
  expect(await said({ depth: 2 })).toEqual([
    '.git/',
    'alias -> src',
    'log/',
    'node_modules/',
    'src/',
    'src/a.ts',
    'src/deep/',
  ]);
  expect(await said({ path: 'node_modules', depth: 2 })).toEqual(['a/', 'a/x.js']);
  expect(await said({ path: 'alias' })).toEqual(['a.ts', 'deep/']);
});

test('ls lists at most 1,000 entries and reports the limit', async () => {
  const { put, call, confinement } = await openBench();
  for (let i = 0; i < 1_001; i += 1) await put(`many/${String(i).padStart(4, '0')}`, '');
  const lines = (await call(createLsTool(confinement), { path: 'many' })).text.split('\n');
  expect(lines).toHaveLength(1_001);
  expect(lines.at(-2)).toBe('0999');
  expect(lines.at(-1)).toBe(
    '[only the first 1000 entries are shown; list a subfolder, set a smaller depth, or use find]',
  );
});

test('ls reports an empty folder, a file, a missing path and a path outside the workspace', async () => {
  const { folder, put, call, confinement } = await openBench();
  await mkdir(join(folder, 'empty'));
  await put('src.txt', 'abc');
  const tool = createLsTool(confinement);
  expect((await call(tool, { path: 'empty' })).text).toBe('[empty is empty]');
  expect((await call(tool, { path: 'src.txt' })).text).toBe('[src.txt is a file of 3 bytes, not a folder: use read]');
  expect((await call(tool, { path: 'src' })).text).toBe('src does not exist. Similar names: src.txt.');
  expect(await call(tool, { path: '..' })).toMatchObject({ code: 'problem' });
  expect(await call(tool, { path: '.git' })).toMatchObject({ code: 'problem' });
  expect(await call(tool, { depth: 9 })).toMatchObject({ code: 'problem' });
});
