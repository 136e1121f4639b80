import { createHash } from 'node:crypto';
import { chmod, open, truncate } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createReadTool } from './read-tool.ts';

const png = (width: number, height: number, size = 64): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

describe('the `read` tool', () => {
  test('shows a file unchanged, and reports it with the digest of the whole file', async () => {
    const { put, call, confinement } = await openBench();
    const path = await put('src/größe 日本.txt', 'eins\n  zwei\t\n');
    const digest = createHash('sha256').update('eins\n  zwei\t\n').digest('hex');
    expect(await call(createReadTool(confinement), { path: 'src/größe 日本.txt' })).toEqual({
      text: 'eins\n  zwei\t\n',
      files: [{ path, digest, as: 'read' }],
      code: undefined,
    });
  });

  test('reports the digest of the whole file for any page of it', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.txt', '1\n2\n3\n');
    const tool = createReadTool(confinement);
    const [whole, page] = [
      await call(tool, { path: 'a.txt' }),
      await call(tool, { path: 'a.txt', offset: 2, limit: 1 }),
    ];
    expect(page.text).toBe('2\n[lines 2-2 of 3; read on with offset 3]');
    expect(page.files).toEqual(whole.files?.map((touch) => ({ ...touch, shows: { from: 2, to: 4, of: 6 } })));
    const rest = await call(tool, { path: 'a.txt', offset: 2 });
    expect(rest.files?.[0]?.shows).toEqual({ from: 2, to: 6, of: 6 });
    const bytes = await call(tool, { path: 'a.txt', offset: 3, skip_bytes: 1 });
    expect(bytes.files?.[0]?.shows).toEqual({ from: 5, to: 6, of: 6 });
  });

  test('reports the part that a page shows after it was made smaller', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.txt', 'line\n'.repeat(1_000));
    const page = await call(
      createReadTool(confinement),
      { path: 'a.txt' },
      { room: () => ({ bytes: 2_048, lines: 100 }) },
    );
    const lines = page.text.split('\n').length - 1;
    expect(page.files?.[0]?.shows).toEqual({ from: 0, to: 5 * lines, of: 5_000 });
  });

  test('shows CRLF as line feeds with a note, and reports an empty file as empty', async () => {
    const { put, call, confinement } = await openBench();
    await put('dos.txt', '\uFEFFa\r\nb\r\n');
    await put('empty', '');
    const tool = createReadTool(confinement);
    expect((await call(tool, { path: 'dos.txt' })).text).toBe(
      'a\nb\n[lines end in CRLF, which `edit` and `write` keep]',
    );
    expect((await call(tool, { path: 'empty' })).text).toBe('[empty is empty]');
  });

  test('reports binary files, UTF-16 text and folders', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.out', Buffer.from([0x7f, 0x45, 0, 0]));
    await put('wide.txt', Buffer.from('\uFEFFabc', 'utf16le'));
    const tool = createReadTool(confinement);
    expect(await call(tool, { path: 'a.out' })).toMatchObject({
      code: 'workspace/not-text',
      text: expect.stringContaining('is binary (4 bytes)'),
    });
    expect((await call(tool, { path: 'wide.txt' })).text).toContain('UTF-16');
    expect((await call(tool, { path: '.' })).text).toBe('. is a folder, not a file. List it with `ls`.');
  });

  test('detects an image by its content and returns it with its size in pixels', async () => {
    const { put, call, confinement } = await openBench();
    await put('picture.txt', png(640, 480));
    const { text, images, files } = await call(createReadTool(confinement), { path: 'picture.txt' });
    expect(text).toBe('[picture.txt: image/png, 640 x 480 pixels, 64 bytes]');
    expect(images).toMatchObject([{ mediaType: 'image/png', width: 640, height: 480 }]);
    expect(Buffer.from(images?.[0]?.data ?? []).equals(png(640, 480))).toBe(true);
    expect(files).toMatchObject([{ as: 'read', shows: 'other-form' }]);
  });

  test('returns an image of any size in pixels, but refuses an image that is damaged or has too many bytes', async () => {
    const { put, call, confinement } = await openBench();
    await put('wide.png', png(20_001, 10));
    await truncate(await put('heavy.png', png(10, 10)), 64 * 1024 * 1024 + 1);
    await put('damaged.png', png(0, 10));
    const tool = createReadTool(confinement);
    expect((await call(tool, { path: 'wide.png' })).images).toMatchObject([{ width: 20_001 }]);
    expect(await call(tool, { path: 'heavy.png' })).toMatchObject({ code: 'workspace/too-large' });
    expect(await call(tool, { path: 'damaged.png' })).toMatchObject({ code: 'workspace/not-text' });
  });

  test('suggests names similar to a missing one, but no refused name', async () => {
    const { put, call, confinement } = await openBench();
    for (const name of ['src/taxes.ts', 'src/tax.test.ts', 'src/zebra.ts', '.env']) await put(name, '');
    const tool = createReadTool(confinement);
    expect((await call(tool, { path: 'src/tax.ts' })).text).toBe(
      'src/tax.ts does not exist. Similar names: src/tax.test.ts, src/taxes.ts.',
    );
    expect((await call(tool, { path: 'env' })).text).toBe('env does not exist. List files with `ls` or `find`.');
    expect((await call(tool, { path: 'no/such/folder' })).text).toContain('with `ls`');
  });

  test('refuses invalid arguments and names the valid ones', async () => {
    const { call, confinement } = await openBench();
    const tool = createReadTool(confinement);
    for (const input of [
      undefined,
      'a.txt',
      [],
      { path: 1 },
      { path: 'a', offset: 0 },
      { path: 'a', offset: 1.5 },
      { path: 'a', lines: 3 },
    ])
      expect(await call(tool, input), JSON.stringify(input)).toMatchObject({
        code: 'problem',
        text: expect.stringContaining('The arguments are path, offset, limit, skip_bytes, page.'),
      });
    expect(await call(tool, { path: '../outside/x' })).toMatchObject({ code: 'problem' });
  });

  test('keeps one page of a file of 128 MiB in memory, and hashes the whole file', async () => {
    const { put, call, confinement } = await openBench();
    const path = await put('huge.log', 'first line\n'.repeat(1_000));
    await truncate(path, 128 * 1024 * 1024);
    const before = process.memoryUsage();
    const { text, files } = await call(createReadTool(confinement), { path: 'huge.log', limit: 1 });
    const after = process.memoryUsage();
    expect(text).toBe('first line\n[lines 1-1 of 1001; read on with offset 2]');
    expect(files?.[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(32 * 1024 * 1024);
  });

  test('stops in the middle of a file when it is aborted', async () => {
    const { put, call, confinement } = await openBench();
    const path = await put('huge.log', 'x\n'.repeat(8_192));
    await truncate(path, 256 * 1024 * 1024);
    const abort = new AbortController();
    const reading = call(createReadTool(confinement), { path: 'huge.log' }, { signal: abort.signal });
    setImmediate(() => abort.abort(Object.assign(new Error('given up'), { code: 'test/given-up' })));
    expect(await reading).toMatchObject({ code: 'test/given-up' });
  });

  test.skipIf(process.getuid?.() === 0)(
    'reports a missing permission (skipped as root, which may read every file)',
    async () => {
      const { put, call, confinement } = await openBench();
      await chmod(await put('closed', 'x'), 0);
      expect((await call(createReadTool(confinement), { path: 'closed' })).text).toContain('denies it to this user');
    },
  );

  test('closes every file that it opened', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.txt', 'x');
    const tool = createReadTool(confinement);
    const next = async (): Promise<number> => {
      await using handle = await open(confinement.folder);
      return handle.fd;
    };
    const before = await next();
    await call(tool, { path: 'a.txt' });
    await call(tool, { path: 'a.txt', offset: 9 });
    await call(tool, { path: '.' });
    expect(await next()).toBe(before);
  });
});
