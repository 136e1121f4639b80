import { chmod, mkdir, readdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { attachInstructions } from '../sources/attached-files.ts';
import { createEditTool } from '../edit/edit-tool.ts';
import { createLsTool } from '../ls/ls-tool.ts';
import { createMemoryUpdateTool } from '../memory/memory-update-tool.ts';
import { createReadTool } from '../read/read-tool.ts';
import { createWriteTool } from '../write/write-tool.ts';
import { holdByPath, holdFolder, makeFolderOf } from './held-folder.ts';

const isLinux = process.platform === 'linux';

/**
 * Returns the targets of open descriptors. Includes only `/` and targets below the test folder, because `holdFolder`
 * opens only such folders.
 */
async function openFolders(root: string): Promise<readonly string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target === '/' || target.startsWith(root)).toSorted();
}

describe('a held folder', () => {
  test.skipIf(!isLinux)(
    'remains the same folder when its path is replaced by a link (skipped without /proc)',
    async () => {
      const { folder, outside, put } = await openBench();
      await put('a/inside', '');
      await using held = await holdFolder({ path: join(folder, 'a'), shown: 'a' });
      await rename(join(folder, 'a'), join(folder, 'b'));
      await symlink(outside, join(folder, 'a'));
      expect(await readdir(held?.at('.') ?? '')).toEqual(['inside']);
      await expect(held?.assertInPlace()).rejects.toMatchObject({ code: 'workspace/moved' });
    },
  );

  test('is refused if any part of its path is a symlink', async () => {
    const { folder, put } = await openBench();
    await put('real/sub/x', '');
    await symlink('real', join(folder, 'link'));
    for (const path of ['link', 'link/sub']) {
      const target = { path: join(folder, path), shown: path };
      await expect(holdFolder(target)).rejects.toMatchObject({ code: 'workspace/moved' });
      const below = { path: join(folder, path, 'new/file'), shown: path };
      await expect(makeFolderOf(below)).rejects.toMatchObject({ code: 'workspace/moved' });
    }
    expect(await readdir(join(folder, 'real'))).toEqual(['sub']);
  });

  test('is `undefined` if the folder does not exist, and opening it throws if a part of its path is a file', async () => {
    const { folder, put } = await openBench();
    await put('file', '');
    expect(await holdFolder({ path: join(folder, 'a/b'), shown: 'a/b' })).toBeUndefined();
    const below = { path: join(folder, 'file/b'), shown: 'file/b' };
    await expect(holdFolder(below)).rejects.toThrow('a part of this path is a file');
    await expect(makeFolderOf({ path: join(folder, 'file/b/c'), shown: 'file/b/c' })).rejects.toThrow('is a file');
  });

  test('is created only once when several writers create it at the same time', async () => {
    const { folder } = await openBench();
    for (let round = 0; round < 20; round += 1) {
      const target = { path: join(folder, `new-${round}/a/b/file`), shown: 'file' };
      const held = await Promise.all(Array.from({ length: 8 }, () => makeFolderOf(target)));
      for (const each of held) await each[Symbol.asyncDispose]();
      expect(await readdir(join(folder, `new-${round}`))).toEqual(['a']);
    }
  });

  test('that is held by path instead of by descriptor is refused after its path becomes a link', async () => {
    const { folder, outside, put } = await openBench();
    await put('a/b/file', '');
    const target = { path: join(folder, 'a'), shown: 'a' };
    const held = await holdByPath(target, false);
    expect([held.at('b'), (await held.statsOf('none'))?.size]).toEqual([join(folder, 'a/b'), undefined]);
    expect(await readdir((await held.enter('b', 'a/b')).at('.'))).toEqual(['file']);
    await rename(join(folder, 'a'), join(folder, 'was'));
    await symlink(outside, join(folder, 'a'));
    await expect(held.assertInPlace()).rejects.toMatchObject({ code: 'workspace/moved' });
    await expect(holdByPath(target, true)).rejects.toMatchObject({ code: 'workspace/moved' });
    expect(await readdir(outside)).toEqual([]);
  });
});

test.skipIf(!isLinux)(
  'file tools close every folder descriptor, even after errors (skipped without /proc)',
  async () => {
    const { folder, outside, confinement, put, call, judge, run } = await openBench();
    await put('a/notes.txt', 'plain');
    const [read, write, edit] = [createReadTool, createWriteTool, createEditTool].map((make) => make(confinement));
    if (read === undefined || write === undefined || edit === undefined) throw new Error('three tools were made');
    const moved = await judge(write, { path: 'a/late.txt', content: 'x' });
    const before = await openFolders(folder);
    await call(read, { path: 'a/notes.txt' });
    await call(read, { path: 'a/none/none.txt' });
    await call(read, { path: 'a' });
    await call(write, { path: 'a/b/c/new.txt', content: 'x' });
    await call(write, { path: 'a/notes.txt/below', content: 'x' });
    await call(edit, { path: 'a/notes.txt', old_text: 'plain', new_text: 'changed' });
    await call(edit, { path: 'a/notes.txt', old_text: 'none', new_text: 'x' });
    await call(createLsTool(confinement), { depth: 4 });
    await call(createMemoryUpdateTool(confinement), { file: 'MEMORY.md', operation: 'add', text: 'x' });
    await attachInstructions({ folder, project: true, own: [] });
    await rename(join(folder, 'a'), join(folder, 'b'));
    await symlink(outside, join(folder, 'a'));
    expect(await run(moved)).toMatchObject({ code: 'workspace/moved' });
    expect(await openFolders(folder)).toEqual(before);
  },
);

test('`write` creates a file in a folder that may be entered but not listed', async () => {
  const { folder, confinement, call, content } = await openBench();
  await mkdir(join(folder, 'blind'), { mode: 0o300 });
  onTestFinished(() => chmod(join(folder, 'blind'), 0o700));
  expect((await call(createWriteTool(confinement), { path: 'blind/a', content: 'x' })).code).toBeUndefined();
  expect(await content('blind/a')).toBe('x');
});
