import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { workspaceFiles } from './workspace-files.ts';

async function folderWith(files: readonly string[], ignored: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), 'x');
  }
  await writeFile(join(folder, '.gitignore'), ignored);
  return folder;
}

test('`workspaceFiles` lists files with any name, and leaves out ignored files and `.git`', async () => {
  const folder = await folderWith(
    ['a b.txt', 'src/tax.js', '.github/ci.yml', 'dist/out.js', '.git/config', 'line\nbreak.md'],
    'dist/\n',
  );
  const files = await workspaceFiles(folder, { signal: new AbortController().signal, most: 100 });
  expect(files.toSorted()).toEqual(['.github/ci.yml', '.gitignore', 'a b.txt', 'line\nbreak.md', 'src/tax.js']);
});

test('`workspaceFiles` lists links to listed files and folders, and no other links', async () => {
  const folder = await folderWith(['src/tax.js', 'dist/out.js'], 'dist/\n');
  for (const [target, path] of [
    ['src/tax.js', 'file.js'],
    ['src', 'folder'],
    ['tax.js', 'src/same.js'],
    ['dist/out.js', 'ignored.js'],
    ['/etc/hosts', 'outside'],
    ['gone', 'broken'],
    ['.', 'all'],
  ] as const)
    await symlink(target, join(folder, path));
  const files = await workspaceFiles(folder, { signal: new AbortController().signal, most: 100 });
  expect(files.toSorted()).toEqual(['.gitignore', 'file.js', 'folder/', 'src/same.js', 'src/tax.js']);
});

test('`workspaceFiles` returns at most the given number of files', async () => {
  const folder = await folderWith(['1', '2', '3', '4'], '');
  expect(await workspaceFiles(folder, { signal: new AbortController().signal, most: 2 })).toHaveLength(2);
});
