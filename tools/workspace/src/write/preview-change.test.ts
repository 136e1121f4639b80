// Tests the preview of `write`, `edit` and `memory_update` that a person sees. Also tests that only the previewed
// change is made.

import type { Tool, ToolPreview } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bench } from '../../tests/bench.ts';
import { openBench } from '../../tests/bench.ts';
import { createBashTool } from '../bash/bash-tool.ts';
import { createEditTool } from '../edit/edit-tool.ts';
import { createMemoryUpdateTool } from '../memory/memory-update-tool.ts';
import { createReadTool } from '../read/read-tool.ts';
import { createWriteTool } from './write-tool.ts';

const signal = new AbortController().signal;
const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const digestOf = (text: string | Uint8Array): Digest => digest(sha256(text));

async function previewOf(bench: Bench, tool: Tool, input: unknown): Promise<ToolPreview> {
  const { preview } = await bench.judge(tool, input);
  if (preview === undefined) throw new Error('it makes no preview');
  return preview({ signal, fileSeen: (path) => bench.seen.get(path) });
}

async function approvedRun(bench: Bench, tool: Tool, input: unknown, between: () => Promise<unknown>) {
  const approved = await previewOf(bench, tool, input);
  const call = await bench.judge(tool, input);
  await between();
  return bench.run(call, { approved });
}

describe('the preview of a change', () => {
  test('of a new file shows all its content', async () => {
    const bench = await openBench();
    const content = `${Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n')}\n`;
    const preview = await previewOf(bench, createWriteTool(bench.confinement), { path: 'src/a.ts', content });
    expect(preview).toMatchObject({ kind: 'diff', base: 'absent' });
    expect(preview).not.toHaveProperty('unseen');
    expect(preview.text.split('\n')).toEqual([
      '--- /dev/null',
      '+++ src/a.ts',
      '@@ -0,0 +1,500 @@',
      ...Array.from({ length: 500 }, (_, i) => `+line ${i}`),
    ]);
    expect((await previewOf(bench, createWriteTool(bench.confinement), { path: 'e', content: '' })).text).toContain(
      '(an empty file)',
    );
  });

  test('of an edit shows the diff against the current file, and does not change the file', async () => {
    const bench = await openBench();
    await bench.put('a.txt', 'one\ntwo\nthree');
    const edit = { path: 'a.txt', old_text: 'two', new_text: 'TWO' };
    expect(await previewOf(bench, createEditTool(bench.confinement), edit)).toEqual({
      kind: 'diff',
      text: '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n\\ No newline at end of file',
      base: sha256('one\ntwo\nthree'),
    });
    expect(await bench.content('a.txt')).toBe('one\ntwo\nthree');
  });

  test('contains the whole change: applied to the old file, it produces the new file', async () => {
    const bench = await openBench();
    const words = fc.array(fc.constantFrom('a', 'b', 'ä', '', ' ', '\r'), { maxLength: 12 });
    const texts = fc.tuple(words, fc.boolean()).map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));
    await fc.assert(
      fc.asyncProperty(texts, texts, async (before, after) => {
        await bench.put('x', before);
        bench.seen.set(join(bench.folder, 'x'), {
          path: join(bench.folder, 'x'),
          digest: digestOf(before),
          as: 'read',
        });
        const input = { path: 'x', content: after };
        const { text } = await previewOf(bench, createWriteTool(bench.confinement), input);
        await bench.call(createWriteTool(bench.confinement), input);
        const written = await bench.content('x');
        if (text.includes('has exactly this content')) expect(written).toBe(before);
        else if (text.includes('stay CRLF')) expect(written).toMatch(/^([^\r\n]*\r\n)+[^\r\n]*$/);
        else expect(applyPatch(before, `${text}\n`, { autoConvertLineEndings: false })).toBe(written);
      }),
      { numRuns: 150 },
    );
  });

  test('of more than two thousand edits shows every line as replaced', async () => {
    const bench = await openBench();
    const before = 'a\n'.repeat(3_000);
    await bench.put('a.txt', before);
    const edit = { path: 'a.txt', old_text: 'a', new_text: 'b', replace_all: true };
    const { text, unseen } = await previewOf(bench, createEditTool(bench.confinement), edit);
    expect(unseen).toBeUndefined();
    expect(applyPatch(before, `${text}\n`)).toBe('b\n'.repeat(3_000));
  });

  test('shows a line end only if it changes', async () => {
    const bench = await openBench();
    await bench.put('dos.txt', 'a\r\nb\r\n');
    await bench.call(createReadTool(bench.confinement), { path: 'dos.txt' });
    const write = createWriteTool(bench.confinement);
    const kept = await previewOf(bench, write, { path: 'dos.txt', content: 'a\nc\n' });
    expect(kept.text).toContain('(all line endings stay CRLF)\n@@ -1,2 +1,2 @@\n a\n-b\n+c');
    const mixed = await previewOf(bench, write, { path: 'dos.txt', content: 'a\r\nb\n' });
    expect(mixed.text).toContain('-b\r\n+b');
  });

  test('above 1 MiB is marked as unseen, with the sizes and digests of both versions', async () => {
    const bench = await openBench();
    const after = 'x'.repeat(1_100_000);
    const preview = await previewOf(bench, createWriteTool(bench.confinement), { path: 'big', content: after });
    expect(preview.unseen).toContain('at most 1048576 are shown');
    expect(preview.text).toContain(`+++ big: 1100000 bytes, SHA-256 ${sha256(after)}`);
  });

  test('of a file that is not text shows all new content and describes the old file', async () => {
    const bench = await openBench();
    await bench.put('a.bin', Buffer.from([0, 255, 1]));
    const path = join(bench.folder, 'a.bin');
    bench.seen.set(path, { path, digest: digestOf(Buffer.from([0, 255, 1])), as: 'read' });
    const { text } = await previewOf(bench, createWriteTool(bench.confinement), { path: 'a.bin', content: 'x\n' });
    expect(text).toMatch(
      /3 bytes, SHA-256 [0-9a-f]{64}, is not UTF-8 text; the change replaces all of it\)\n@@ -0,0 \+1,1 @@\n\+x$/,
    );
  });

  test('fails in the same cases as the call: if the old text does not match, the file was not read, or the file has changed', async () => {
    const bench = await openBench();
    const path = await bench.put('a.txt', 'one');
    const edit = createEditTool(bench.confinement);
    const write = createWriteTool(bench.confinement);
    const noMatch = { path: 'a.txt', old_text: 'zzz', new_text: 'y' };
    await expect(previewOf(bench, edit, noMatch)).rejects.toMatchObject({ code: 'workspace/no-match' });
    await expect(previewOf(bench, write, { path: 'a.txt', content: 'x' })).rejects.toMatchObject({
      code: 'workspace/unread',
    });
    await bench.call(createReadTool(bench.confinement), { path: 'a.txt' });
    await appendFile(path, '!');
    await expect(previewOf(bench, write, { path: 'a.txt', content: 'x' })).rejects.toMatchObject({
      code: 'workspace/changed',
    });
  });

  test('of `memory_update` shows the diff of the memory file', async () => {
    const bench = await openBench();
    const tool = createMemoryUpdateTool(bench.confinement);
    const add = { file: 'MEMORY.md', operation: 'add', text: 'Use tabs.' };
    expect((await previewOf(bench, tool, add)).text).toContain('+++ .tidemark/MEMORY.md\n@@ -0,0 +1,1 @@\n+Use tabs.');
    const changed = await approvedRun(bench, tool, add, () => bench.put('.tidemark/MEMORY.md', 'other\n'));
    expect(changed).toMatchObject({ code: 'workspace/changed' });
    expect(await bench.content('.tidemark/MEMORY.md')).toBe('other\n');
  });

  test('of a command shows the whole command', async () => {
    const bench = await openBench();
    const command = Array.from({ length: 500 }, (_, i) => `echo ${i} \u200B\u202E`).join('\n');
    const tool = createBashTool(bench.confinement, { sandbox: 'never' });
    expect(await previewOf(bench, tool, { command })).toEqual({ kind: 'command', text: command });
  });
});

describe('an approved call', () => {
  test('runs if the file is still as it was shown', async () => {
    const bench = await openBench();
    await bench.put('a.txt', 'one\n');
    const edit = { path: 'a.txt', old_text: 'one', new_text: 'two' };
    expect(await approvedRun(bench, createEditTool(bench.confinement), edit, async () => undefined)).toMatchObject({
      code: undefined,
    });
    expect(await bench.content('a.txt')).toBe('two\n');
  });

  test('is refused if the file changed after it was shown, even if the edit would still fit', async () => {
    const bench = await openBench();
    const path = await bench.put('a.txt', 'one\n');
    const edit = { path: 'a.txt', old_text: 'one', new_text: 'two' };
    const ran = await approvedRun(bench, createEditTool(bench.confinement), edit, () => appendFile(path, 'evil\n'));
    expect(ran).toMatchObject({ code: 'workspace/changed' });
    expect(await bench.content('a.txt')).toBe('one\nevil\n');
  });

  test('is refused if the file was created or deleted after it was shown', async () => {
    const bench = await openBench();
    const write = createWriteTool(bench.confinement);
    const path = join(bench.folder, 'new.txt');
    const came = await approvedRun(bench, write, { path: 'new.txt', content: 'x' }, () => writeFile(path, 'theirs'));
    expect(came).toMatchObject({ code: 'workspace/changed' });
    expect(await bench.content('new.txt')).toBe('theirs');
    await bench.call(createReadTool(bench.confinement), { path: 'new.txt' });
    const went = await approvedRun(bench, write, { path: 'new.txt', content: 'x' }, () => rm(path));
    expect(went).toMatchObject({ code: 'workspace/changed' });
  });
});
