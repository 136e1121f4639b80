// Tests that no tool waits without end. The tests use very large sparse files, lines of 1 GB, and pipes and devices in
// place of files.

import { execFileSync } from 'node:child_process';
import { mkdir, open, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../tests/bench.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createReadTool } from './read/read-tool.ts';
import { createFindTool } from './search/find-tool.ts';
import { createGrepTool } from './search/grep-tool.ts';
import { createWriteTool } from './write/write-tool.ts';

const SIZE = 20 * 1024 ** 3;

/** Creates a sparse file of 20 GB, which uses almost no disk space. The file begins with `words`. */
async function hugeFile(put: (name: string, content: string) => Promise<string>, words: string): Promise<string> {
  const path = await put('huge.log', words);
  await truncate(path, SIZE);
  return path;
}

describe('a file of 20 GB', () => {
  test('is reported as binary by `read` at once if it begins with NUL', async () => {
    const { put, call, confinement } = await openBench();
    await hugeFile(put, '');
    expect(await call(createReadTool(confinement), { path: 'huge.log' })).toMatchObject({
      code: 'workspace/not-text',
      text: expect.stringContaining(`is binary (${SIZE} bytes)`),
    });
  });

  test('is shown by `read` page by page, with the size of the file and without a digest', async () => {
    const { put, call, confinement } = await openBench();
    await hugeFile(put, 'some words\n'.repeat(10_000));
    const tool = createReadTool(confinement);
    const first = await call(tool, { path: 'huge.log', limit: 2 });
    expect(first.text).toBe(`some words\nsome words\n[lines 1-2 of a file of ${SIZE} bytes; read on with offset 3]`);
    expect(first.files ?? []).toEqual([]);
    expect((await call(tool, { path: 'huge.log', offset: 9_999, limit: 1 })).text).toContain(
      'lines 9999-9999 of a file',
    );
  });

  test('is refused by `read` beyond the first 256 MiB, and the error names the next step', async () => {
    const { put, call, confinement } = await openBench();
    await hugeFile(put, 'some words\n'.repeat(1_000));
    expect(await call(createReadTool(confinement), { path: 'huge.log', offset: 5_000 })).toMatchObject({
      code: 'workspace/too-large',
      text: expect.stringMatching(/the first 268435456, which have 1001 lines.*`grep`/),
    });
  });

  test('is not searched by `grep`, changed by `edit` or replaced by `write`', async () => {
    const { put, call, confinement } = await openBench();
    await hugeFile(put, 'some words\n'.repeat(10_000));
    expect(await call(createGrepTool(confinement), { pattern: 'nothing', path: 'huge.log' })).toMatchObject({
      code: 'problem',
      text: expect.stringContaining(`huge.log has ${SIZE} bytes`),
    });
    const edit = { path: 'huge.log', old_text: 'some', new_text: 'no' };
    for (const result of [
      await call(createEditTool(confinement), edit),
      await call(createWriteTool(confinement), { path: 'huge.log', content: 'x' }),
    ])
      expect(result).toMatchObject({
        code: 'workspace/too-large',
        text: expect.stringContaining('Nothing was written'),
      });
  });
});

test('a line of 1 GB is read from its beginning, and a search in it stops at 1 GiB of memory', async () => {
  const { put, call, confinement, folder } = await openBench();
  await put('before.txt', 'a needle\n');
  const path = join(folder, 'line.txt');
  await using file = await open(path, 'w');
  const piece = Buffer.alloc(64 * 1024 * 1024, 'x');
  for (let written = 0; written < 16; written += 1) await file.write(piece);
  const { text } = await call(createReadTool(confinement), { path: 'line.txt' });
  expect(text).toContain('line 1 of a file of 1073741824 bytes is longer than a page: its bytes 0 to');
  const found = await call(createGrepTool(confinement), { pattern: 'needle|x$' });
  expect(found.text).toContain('before.txt');
  expect(found.text).toContain('stopped: a line or an ignore file needs more than 1 GiB of memory');
  await rm(path);
});

describe.skipIf(process.platform === 'win32')(
  'a pipe or device in place of a file (skipped on Windows, which has no pipes in folders)',
  () => {
    const KINDS: readonly (readonly [string, (path: string) => unknown])[] = [
      ['a pipe', (path) => execFileSync('mkfifo', [path])],
      [
        'a link to a pipe',
        async (path) => {
          execFileSync('mkfifo', [`${path}.pipe`]);
          await symlink(`${path}.pipe`, path);
        },
      ],
      ['a device without end', (path) => symlink('/dev/zero', path)],
    ];
    const NAMES = ['.gitignore', '.ignore', 'deep/er/.gitignore', '.git/info/exclude'];
    test.each(KINDS.flatMap(([kind, make]) => NAMES.map((name) => [kind, name, make] as const)))(
      'ends a search if an ignore file is %s, at %s, and the error names the file',
      async (_kind, name, make) => {
        const { put, call, confinement, folder } = await openBench();
        await put('deep/er/a.txt', 'needle\n');
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await make(join(folder, name));
        for (const [tool, input] of [
          [createGrepTool(confinement), { pattern: 'needle' }],
          [createFindTool(confinement), {}],
        ] as const)
          expect(await call(tool, input)).toMatchObject({
            code: 'workspace/not-a-file',
            text: expect.stringContaining(`${name} is a pipe or a device`),
          });
      },
    );

    test('does not end a search if it is an ignore file outside the searched folder', async () => {
      const { put, call, confinement, folder } = await openBench();
      await put('a/x.txt', 'needle\n');
      await put('b/y.txt', 'needle\n');
      execFileSync('mkfifo', [join(folder, 'b/.gitignore')]);
      expect((await call(createGrepTool(confinement), { pattern: 'needle', path: 'a' })).text).toContain('a/x.txt');
    });

    test('is refused by `read` and `write` at once if it replaces `AGENTS.md`, `.npmrc` or `USER.md`', async () => {
      const { call, confinement, folder } = await openBench();
      for (const name of ['AGENTS.md', '.npmrc', 'USER.md']) {
        execFileSync('mkfifo', [join(folder, name)]);
        expect((await call(createReadTool(confinement), { path: name })).code).toMatch(/not-a-file|problem/);
        expect((await call(createWriteTool(confinement), { path: name, content: 'x' })).code).toMatch(
          /not-a-file|problem/,
        );
      }
      await writeFile(join(folder, 'a'), '');
    });
  },
);
