import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from './make-folder.ts';

test('`makeFolder` makes the missing folders, for their owner only, and returns the highest folder that it made', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tidemark-folder-'));
  expect(await makeFolder(join(root, 'a', 'b', 'c'), 0o700)).toBe(join(root, 'a'));
  expect(await makeFolder(join(root, 'a', 'b', 'd'), 0o700)).toBe(join(root, 'a', 'b', 'd'));
  expect(await makeFolder(join(root, 'a', 'b'), 0o700)).toBeUndefined();
  for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, path))).mode & 0o777).toBe(0o700);
  makeFolderSync(join(root, 'x', 'y'), 0o700);
  makeFolderSync(join(root, 'x', 'y'));
  expect((await stat(join(root, 'x', 'y'))).mode & 0o777).toBe(0o700);
  await writeFile(join(root, 'file'), '');
  await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(root, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await rm(root, { recursive: true });
});

test.skipIf(process.platform !== 'linux')(
  '`makeFolder` throws where the file system allows no new folders (skipped: only Linux has /proc)',
  async () => {
    await expect(makeFolder('/proc/tidemark/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => makeFolderSync('/proc/tidemark/a/b')).toThrow('ENOENT');
  },
);

test('concurrent calls of `makeFolder` for the same path all succeed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tidemark-folder-'));
  for (let round = 0; round < 20; round += 1) {
    const path = join(root, String(round), 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  }
  await rm(root, { recursive: true });
});
