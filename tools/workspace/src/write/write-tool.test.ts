import { createHash } from 'node:crypto';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  lstat,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createReadTool } from '../read/read-tool.ts';
import { replaceFile } from './replace-file.ts';
import { showDiff } from './show-diff.ts';
import { createWriteTool } from './write-tool.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the `write` tool', () => {
  test('creates a file with its folders, and reports its size', async () => {
    const { folder, call, content, confinement } = await openBench();
    const { text, files } = await call(createWriteTool(confinement), { path: 'ä/b/c.txt', content: 'eins\nzwei' });
    expect(text).toBe('created ä/b/c.txt: 9 bytes, 2 lines');
    expect(files).toEqual([
      { path: join(folder, 'ä/b/c.txt'), digest: sha256('eins\nzwei'), as: 'written', before: 'absent' },
    ]);
    expect(await content('ä/b/c.txt')).toBe('eins\nzwei');
    expect((await call(createWriteTool(confinement), { path: 'empty', content: '' })).text).toContain(
      '0 bytes, 0 lines',
    );
  });

  test('replaces a file that was read, shows the diff, keeps the mode and leaves no other file behind', async () => {
    const { folder, put, call, content, confinement } = await openBench();
    await chmod(await put('run.sh', 'a\nb\nc\n'), 0o755);
    await call(createReadTool(confinement), { path: 'run.sh' });
    const { text } = await call(createWriteTool(confinement), { path: 'run.sh', content: 'a\nB\nc\n' });
    expect(text).toBe('wrote run.sh: 6 bytes, 3 lines (before: 6 bytes)\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c');
    expect(await content('run.sh')).toBe('a\nB\nc\n');
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readdir(folder)).toEqual(['run.sh']);
  });

  test('keeps the bytes before the change, and records their digest', async () => {
    const { put, call, confinement } = await openBench();
    const kept: string[] = [];
    const undo = { largest: 20, keep: async (bytes: Uint8Array) => void kept.push(Buffer.from(bytes).toString()) };
    const tool = createWriteTool(confinement);
    const touch = async (path: string, content: string): Promise<unknown> =>
      (await call(tool, { path, content }, { undo })).files?.[0]?.before;
    await put('a.txt', 'old\n');
    await call(createReadTool(confinement), { path: 'a.txt' });
    expect(await touch('a.txt', 'old\n')).toBe(sha256('old\n'));
    expect(kept).toEqual([]);
    expect(await touch('a.txt', 'new\n')).toBe(sha256('old\n'));
    expect(await touch('b.txt', 'x'.repeat(30))).toBe('absent');
    expect(await touch('b.txt', 'y')).toBe(sha256('x'.repeat(30)));
    expect(kept).toEqual(['old\n']);
  });

  test('keeps the bytes of a file that is too large for a diff', async () => {
    const { put, call, confinement } = await openBench();
    const kept: number[] = [];
    const undo = { largest: 4_000_000, keep: async ({ length }: Uint8Array) => void kept.push(length) };
    await put('large.txt', 'line\n'.repeat(400_000));
    await call(createReadTool(confinement), { path: 'large.txt' });
    const { text } = await call(createWriteTool(confinement), { path: 'large.txt', content: 'x' }, { undo });
    expect(text).toMatch(/\(too large for a diff\)$/);
    expect(kept).toEqual([2_000_000]);
  });

  test('replaces a file that it wrote itself, without reading the file again', async () => {
    const { call, content, confinement } = await openBench();
    const tool = createWriteTool(confinement);
    await call(tool, { path: 'a', content: '1' });
    expect(await call(tool, { path: 'a', content: '2' })).toMatchObject({ code: undefined });
    expect(await content('a')).toBe('2');
  });

  test('refuses a file that was never read, unless the file is empty', async () => {
    const { put, call, content, confinement } = await openBench();
    await put('a.txt', 'work of somebody');
    await put('empty', '');
    const tool = createWriteTool(confinement);
    expect(await call(tool, { path: 'a.txt', content: 'x' })).toMatchObject({ code: 'workspace/unread' });
    expect(await content('a.txt')).toBe('work of somebody');
    expect(await call(tool, { path: 'empty', content: 'x' })).toMatchObject({ code: undefined });
  });

  test('refuses a file that changed since it was read', async () => {
    const { put, call, content, confinement } = await openBench();
    const path = await put('a.txt', 'one');
    await call(createReadTool(confinement), { path: 'a.txt' });
    await appendFile(path, ' two');
    expect(await call(createWriteTool(confinement), { path: 'a.txt', content: 'x' })).toMatchObject({
      code: 'workspace/changed',
    });
    expect(await content('a.txt')).toBe('one two');
  });

  test('creates a file again if it was read and then deleted', async () => {
    const { put, call, content, confinement } = await openBench();
    const path = await put('a.txt', 'one');
    await call(createReadTool(confinement), { path: 'a.txt' });
    await unlink(path);
    expect((await call(createWriteTool(confinement), { path: 'a.txt', content: 'x' })).text).toContain('created');
    expect(await content('a.txt')).toBe('x');
  });

  test('writes nothing if the content would not change', async () => {
    const { put, call, confinement } = await openBench();
    const path = await put('a.txt', 'one\r\n');
    await call(createReadTool(confinement), { path: 'a.txt' });
    const before = await stat(path);
    expect((await call(createWriteTool(confinement), { path: 'a.txt', content: 'one\n' })).text).toContain(
      'already has',
    );
    expect((await stat(path)).ino).toBe(before.ino);
  });

  test('keeps the CRLF and the byte order mark of the replaced file, and reports both', async () => {
    const { put, call, content, confinement } = await openBench();
    await put('dos.txt', '\uFEFFa\r\nb\r\n');
    await call(createReadTool(confinement), { path: 'dos.txt' });
    const { text, files } = await call(createWriteTool(confinement), { path: 'dos.txt', content: 'a\nc\n' });
    expect(await content('dos.txt')).toBe('\uFEFFa\r\nc\r\n');
    expect(text).toContain('kept its line endings (CRLF) and its byte order mark');
    expect(text).toContain('-b\n+c');
    expect(files?.[0]?.digest).toBe(sha256('\uFEFFa\r\nc\r\n'));
  });

  test('keeps the CRLF and the byte order mark of a file above 1 MiB, and reports both and the missing diff', async () => {
    const { put, call, content, confinement } = await openBench();
    // Each line has 10 bytes, so some chunks of 256 KiB end inside `ä` and some inside CRLF.
    await put('dos.txt', `\uFEFF${'äbcdef \r\n'.repeat(210_000)}`);
    await call(createReadTool(confinement), { path: 'dos.txt', limit: 1 });
    const { text, files } = await call(createWriteTool(confinement), { path: 'dos.txt', content: 'a\nc\n' });
    expect(await content('dos.txt')).toBe('\uFEFFa\r\nc\r\n');
    expect(text).toBe(
      'wrote dos.txt: 9 bytes, 2 lines (before: 2100003 bytes); kept its line endings (CRLF) and its byte order mark\n(too large for a diff)',
    );
    expect(files?.[0]?.digest).toBe(sha256('\uFEFFa\r\nc\r\n'));
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x0d, 0x0a, 0xff])],
    ['an incomplete character at its end', Buffer.from([0x0d, 0x0a, 0xc3])],
    ['as many LF as CRLF', '\r\n\n'],
  ])('uses line feeds for a file with %s, of any size', async (_what, bytes) => {
    for (const length of [0, 1_100_000]) {
      const { folder, put, call, content, confinement } = await openBench();
      await put('a', '');
      await writeFile(join(folder, 'a'), Buffer.concat([Buffer.alloc(length, 'x'), Buffer.from(bytes)]));
      await call(createReadTool(confinement), { path: 'a' });
      await call(createWriteTool(confinement), { path: 'a', content: 'b\nc\n' });
      expect(await content('a')).toBe('b\nc\n');
    }
  });

  test('writes through a link to the real file inside the workspace, and keeps the link', async () => {
    const { folder, put, call, content, confinement } = await openBench();
    await put('v2.txt', 'two');
    await symlink('v2.txt', join(folder, 'latest.txt'));
    await call(createReadTool(confinement), { path: 'latest.txt' });
    const { files } = await call(createWriteTool(confinement), { path: 'latest.txt', content: 'three' });
    expect(files?.[0]?.path).toBe(join(folder, 'v2.txt'));
    expect(await content('v2.txt')).toBe('three');
    expect(await content('latest.txt')).toBe('three');
  });

  test('marks a path outside as not confined, even through a link with a missing target', async () => {
    const { folder, outside, judge, run, confinement } = await openBench();
    await symlink(join(outside, 'new.txt'), join(folder, 'link'));
    const tool = createWriteTool(confinement);
    expect(await judge(tool, { path: 'a', content: '' })).toMatchObject({ confined: true, title: 'write a' });
    expect(await judge(tool, { path: '../outside/x', content: '' })).toMatchObject({ confined: false });
    const call = await judge(tool, { path: 'link', content: 'x' });
    expect(call).toMatchObject({ confined: false, title: `write ${join(outside, 'new.txt')}` });
    await run(call);
    expect(await readFile(join(outside, 'new.txt'), 'utf8')).toBe('x');
  });

  test('refuses a folder, a path below a file, and files that may contain keys', async () => {
    const { put, call, confinement } = await openBench();
    await put('dir/file', 'x');
    const tool = createWriteTool(confinement);
    expect(await call(tool, { path: 'dir', content: '' })).toMatchObject({ code: 'workspace/not-a-file' });
    expect((await call(tool, { path: 'dir/file/x', content: '' })).text).toContain('is a file, not a folder');
    expect(await call(tool, { path: '.git/hooks/pre-commit', content: '' })).toMatchObject({ code: 'problem' });
    expect(await call(tool, { path: '.env', content: '' })).toMatchObject({ code: 'problem' });
  });

  test('writes nothing after it was aborted', async () => {
    const { folder, call, confinement } = await openBench();
    const signal = AbortSignal.abort(Object.assign(new Error('given up'), { code: 'test/given-up' }));
    const { code } = await call(createWriteTool(confinement), { path: 'sub/a', content: 'x' }, { signal });
    expect(code).toBe('test/given-up');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('`replaceFile`', () => {
  test('writes nothing if another writer changed the file while the call ran', async () => {
    const { put, content, folder, confinement } = await openBench();
    const path = await put('a.txt', 'one');
    const place = await confinement.place('a.txt');
    if ('problem' in place) throw new Error(place.problem);
    const before = await lstat(place.path, { bigint: true });
    await writeFile(path, 'two');
    await expect(replaceFile(place, Buffer.from('x'), before)).rejects.toMatchObject({ code: 'workspace/changed' });
    await expect(replaceFile(place, Buffer.from('x'), undefined)).rejects.toMatchObject({ code: 'workspace/changed' });
    await rm(path);
    await expect(replaceFile(place, Buffer.from('x'), before)).rejects.toMatchObject({ code: 'workspace/file-system' });
    await writeFile(path, 'two');
    expect(await content('a.txt')).toBe('two');
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  test('replaces only the given name: another hard link to the old file keeps the old content', async () => {
    const { folder, put, call, content, confinement } = await openBench();
    await link(await put('a.txt', 'old'), join(folder, 'b.txt'));
    await call(createReadTool(confinement), { path: 'a.txt' });
    await call(createWriteTool(confinement), { path: 'a.txt', content: 'new' });
    expect([await content('a.txt'), await content('b.txt')]).toEqual(['new', 'old']);
  });

  test.skipIf(process.getuid?.() === 0)(
    'refuses a read-only file (skipped as root, which may write every file)',
    async () => {
      const { put, call, confinement, folder } = await openBench();
      await chmod(await put('a.txt', 'old'), 0o444);
      await call(createReadTool(confinement), { path: 'a.txt' });
      const { text } = await call(createWriteTool(confinement), { path: 'a.txt', content: 'new' });
      expect(text).toContain('denies it to this user');
      await mkdir(join(folder, 'closed'), { mode: 0o500 });
      expect((await call(createWriteTool(confinement), { path: 'closed/a', content: '' })).text).toContain('denies it');
    },
  );
});

describe('`showDiff`', () => {
  test('returns at most 120 lines, and reports how many it omits or why there is no diff', async () => {
    const before = Array.from({ length: 400 }, (_, i) => `${i}`).join('\n');
    const diff = await showDiff(
      before,
      before.replace(/\d+/g, (n) => (Number(n) % 2 === 0 ? `${n}!` : n)),
    );
    expect(diff.split('\n')).toHaveLength(121);
    expect(diff).toMatch(/\(\d+ more lines of the diff are not shown\)$/);
    expect(await showDiff('x'.repeat(600_000), 'y'.repeat(600_000))).toBe('(too large for a diff)');
    expect(await showDiff('a\n'.repeat(2_000), 'b\n'.repeat(2_000))).toBe('(too many changes for a diff)');
  });

  test('marks a missing line end at the end of the file', async () =>
    expect(await showDiff('a', 'a\n')).toContain('No newline at end of file'));
});
