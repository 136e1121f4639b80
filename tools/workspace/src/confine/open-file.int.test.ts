import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createEditTool } from '../edit/edit-tool.ts';
import { createReadTool } from '../read/read-tool.ts';
import { createWriteTool } from '../write/write-tool.ts';

describe('between the check of a call and its run', () => {
  test('a file that is replaced by a link to the outside is not read', async () => {
    const { folder, outside, confinement, put, judge, run } = await openBench();
    await writeFile(join(outside, 'secret'), 'SECRET');
    const path = await put('notes.txt', 'plain');
    const call = await judge(createReadTool(confinement), { path: 'notes.txt' });
    await unlink(path);
    await symlink(join(outside, 'secret'), join(folder, 'notes.txt'));
    const { code, text } = await run(call);
    expect(code).toBe('workspace/file-system');
    expect(text).not.toContain('SECRET');
  });

  test('a folder that is replaced by a link to the outside is not used for reads or writes', async () => {
    const { folder, outside, confinement, put, judge, run } = await openBench();
    await put('a/notes.txt', 'plain');
    await writeFile(join(outside, 'notes.txt'), 'SECRET');
    const read = await judge(createReadTool(confinement), { path: 'a/notes.txt' });
    const write = await judge(createWriteTool(confinement), { path: 'a/sub/new.txt', content: 'x' });
    const edit = await judge(createEditTool(confinement), { path: 'a/notes.txt', old_text: 'SECRET', new_text: 'x' });
    await rename(join(folder, 'a'), join(folder, 'b'));
    await symlink(outside, join(folder, 'a'));
    for (const call of [read, write, edit])
      expect(await run(call), call.title).toMatchObject({ code: 'workspace/moved' });
    expect(await readFile(join(outside, 'notes.txt'), 'utf8')).toBe('SECRET');
    expect(await readdir(outside)).toEqual(['notes.txt']);
  });
});

test('a pipe without a writer is refused at once', async () => {
  const { folder, confinement, call } = await openBench();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(await call(createReadTool(confinement), { path: 'pipe' })).toMatchObject({ code: 'workspace/not-a-file' });
  expect(await call(createWriteTool(confinement), { path: 'pipe', content: '' })).toMatchObject({
    code: 'workspace/not-a-file',
  });
  await mkdir(join(folder, 'sub'));
  expect((await call(createReadTool(confinement), { path: 'sub' })).text).toBe(
    'sub is a folder, not a file. List it with `ls`.',
  );
});
