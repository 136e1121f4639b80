// Tests an object storage in a folder: modes, left-over files, and faults of the file system.

import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { digestOf, fails, gather } from '@tidemark/log/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFolderObjects } from '../src/folder-objects.ts';
import type { ObjectStore } from '../src/object-store.ts';

async function opened(): Promise<{ readonly folder: string; readonly objects: ObjectStore }> {
  const above = await mkdtemp(join(tmpdir(), 'tidemark-objects-'));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  const folder = join(above, 'deep', 'objects');
  return { folder, objects: openFolderObjects(folder) };
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('objects in a folder', () => {
  it('can be read only by their owner', async () => {
    const { folder, objects } = await opened();
    await objects.put('a/b', Buffer.from('x'));
    await objects.copy('a/b', 'c/d');
    for (const name of ['a', 'c']) expect(await modeOf(join(folder, name))).toBe('700');
    for (const name of ['a/b', 'c/d']) expect(await modeOf(join(folder, name))).toBe('600');
  });

  it('leave no file behind if their source fails', async () => {
    const { folder, objects } = await opened();
    await objects.put('a/b', Buffer.from('before'));
    const read = (): Readable =>
      Readable.from(
        (function* () {
          yield Buffer.from('half');
          throw new Error('the disk is gone');
        })(),
      );
    await fails(objects.put('a/b', { size: 9, sha256: digestOf('x'), read }), 'artifact/write-failed');
    expect(await readdir(join(folder, 'a'))).toEqual(['b']);
    expect((await objects.stat('a/b'))?.size).toBe(6);
  });

  it('do not include the files of other programs', async () => {
    const { folder, objects } = await opened();
    await objects.put('a/b', Buffer.from('x'));
    for (const name of ['.incoming-1', 'a/.hidden', 'two words']) await writeFile(join(folder, name), 'x');
    expect((await gather(objects.list(''))).map(({ key }) => key)).toEqual(['a/b']);
  });

  it('lose the temporary files of killed processes after a day', async () => {
    const { folder, objects } = await opened();
    await objects.put('a/b', Buffer.from('x'));
    for (const name of ['old', 'new']) await writeFile(join(folder, 'a', `.incoming-${name}`), 'half');
    const then = new Date(Date.now() - 25 * 3_600_000);
    for (const name of ['.incoming-old', 'b']) await utimes(join(folder, 'a', name), then, then);
    await objects.tidy();
    expect((await readdir(join(folder, 'a'))).toSorted()).toEqual(['.incoming-new', 'b']);
  });

  it('report a fault of the file system with the folder and its code, without the key', async () => {
    const { folder, objects } = await opened();
    await mkdir(join(folder, 'a', 'secret'), { recursive: true });
    const write = await fails(objects.put('a/secret', Buffer.from('x')), 'artifact/write-failed');
    expect(write.message).toContain(`folder ${folder} (EISDIR)`);
    const read = await fails(objects.get('a/secret'), 'artifact/read-failed');
    expect(`${write.message}${read.message}`).not.toContain('secret');
    expect(await readdir(join(folder, 'a'))).toEqual(['secret']);
    await symlink('loop', join(folder, 'loop'));
    await fails(objects.stat('loop'), 'artifact/read-failed');
  });
});
