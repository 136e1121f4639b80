import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { mkdtemp, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRegularFile, readRegularFile, readRegularFileSync } from './regular-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
const at = (name: string): string => join(folder, name);

const READERS = [
  ['readRegularFile', readRegularFile],
  ['readRegularFileSync', async (...given: Parameters<typeof readRegularFileSync>) => readRegularFileSync(...given)],
] as const;

describe.each(READERS)('%s', (name, read) => {
  it('reads a file of exactly the maximum size, an empty file, and a file of /proc that reports size 0', async () => {
    await writeFile(at('three'), 'abc');
    await writeFile(at('none'), '');
    expect((await read(at('three'), { most: 3 })).toString()).toBe('abc');
    expect((await read(at('none'), { most: 0 })).length).toBe(0);
    if (process.platform === 'linux')
      expect((await read('/proc/self/status', { most: 65_536 })).toString()).toContain('Pid:');
  });

  it('refuses a pipe, a device, a folder, and links to them, without waiting', async () => {
    const pipe = at(`pipe-${name}`);
    execFileSync('mkfifo', [pipe]);
    await symlink('/dev/zero', at(`zero-${name}`));
    await symlink(pipe, at(`link-${name}`));
    for (const path of [pipe, '/dev/zero', '/dev/null', folder, at(`zero-${name}`), at(`link-${name}`)])
      await expect(read(path, { most: 10 }), path).rejects.toMatchObject({ code: 'file/not-a-file', path });
  });

  it('refuses a socket', async () => {
    const server = createServer();
    const path = at(`socket-${name}`);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(read(path, { most: 10 })).rejects.toMatchObject({ code: 'file/not-a-file' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('refuses a file above the maximum size without reading it, even if it is huge', async () => {
    await writeFile(at('huge'), '');
    await truncate(at('huge'), 20 * 1024 ** 3);
    await expect(read(at('huge'), { most: 1_000 })).rejects.toMatchObject({ code: 'file/too-large', path: at('huge') });
  });

  it('follows a symlink unless `links` is `refuse`', async () => {
    await writeFile(at('real'), 'abc');
    await symlink(at('real'), at(`short-${name}`));
    expect((await read(at(`short-${name}`), { most: 9 })).toString()).toBe('abc');
    await expect(read(at(`short-${name}`), { most: 9, links: 'refuse' })).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('throws errors of the operating system unchanged', async () => {
    await expect(read(at('nothing'), { most: 9 })).rejects.toMatchObject({ code: 'ENOENT' });
    if (process.platform === 'linux')
      await expect(read('/proc/self/mem', { most: 9 })).rejects.toMatchObject({ code: 'EIO' });
  });
});

it('`readRegularFile` refuses a file that grows past the limit while it is read', async () => {
  await writeFile(at('growing'), 'x'.repeat(10));
  const reading = readRegularFile(at('growing'), { most: 15 });
  appendFileSync(at('growing'), 'y'.repeat(100_000));
  await expect(reading).rejects.toMatchObject({ code: 'file/too-large' });
});

it('`openRegularFile` leaves no descriptor open when it refuses a path', async () => {
  const next = async (): Promise<number> => {
    await using handle = await openRegularFile(at('real'));
    return handle.fd;
  };
  const before = await next();
  for (const path of [folder, '/dev/zero']) await openRegularFile(path).catch(() => undefined);
  expect(await next()).toBe(before);
});
