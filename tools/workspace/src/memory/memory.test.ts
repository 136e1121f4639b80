// Tests the memory of a workspace. It tests the writes and refusals of its tool, and the notes of its context source.

import type { SourceView, ToolContext } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { CHAIN_START, digest, position, timestamp } from '@tidemark/log';
import { canonicalText } from '@tidemark/model';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bench } from '../../tests/bench.ts';
import { openBench } from '../../tests/bench.ts';
import { historyOf } from '../../tests/history-of.ts';
import { view } from '../../tests/source-view.ts';
import { memorySource } from './memory-source.ts';
import { createMemoryUpdateTool } from './memory-update-tool.ts';

const MEMORY = '.tidemark/MEMORY.md';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function update(bench: Bench, input: object, given?: Partial<ToolContext>): ReturnType<Bench['call']> {
  return bench.call(createMemoryUpdateTool(bench.confinement), { file: 'MEMORY.md', ...input }, given);
}

describe('memory_update', () => {
  test('has a definition with unchanged bytes, because users have these bytes in their prompt caches', async () => {
    const { name, description, schema } = createMemoryUpdateTool((await openBench()).confinement);
    expect(sha256(canonicalText({ name, description, schema })).slice(0, 16)).toBe('6339f8032ef5c49d');
  });

  test('adds lines and reports how much of the file is used', async () => {
    const bench = await openBench();
    const first = await update(bench, { operation: 'add', text: 'The tax is in cents.' });
    expect(first).toMatchObject({
      text: 'MEMORY.md has 21 bytes of 4096',
      facts: [{ kind: 'memory.changed', data: { file: 'MEMORY.md', operation: 'add', bytes: 21 } }],
    });
    const second = await update(bench, { operation: 'add', text: 'Tests run with npm test.\n' });
    expect(await bench.content(MEMORY)).toBe('The tax is in cents.\nTests run with npm test.\n');
    expect(second.facts).toEqual([
      {
        kind: 'memory.changed',
        data: {
          file: 'MEMORY.md',
          operation: 'add',
          before: sha256('The tax is in cents.\n'),
          after: sha256('The tax is in cents.\nTests run with npm test.\n'),
          bytes: 46,
        },
      },
    ]);
  });

  test('adds text on a line of its own after an unfinished last line, and keeps the line ends', async () => {
    const bench = await openBench();
    await bench.put(MEMORY, 'one\r\ntwo');
    await update(bench, { operation: 'add', text: 'three' });
    expect(await bench.content(MEMORY)).toBe('one\r\ntwo\r\nthree\r\n');
  });

  test('replaces a text that occurs once and refuses a text that occurs twice', async () => {
    const bench = await openBench();
    await bench.put(MEMORY, 'The tax is 19%.\nThe tax is due.\n');
    expect(await update(bench, { operation: 'replace', old_text: 'The tax is', text: 'It is' })).toMatchObject({
      code: 'workspace/many-matches',
    });
    await update(bench, { operation: 'replace', old_text: '19%', text: '20%' });
    expect(await bench.content(MEMORY)).toBe('The tax is 20%.\nThe tax is due.\n');
  });

  test.each([
    [{ operation: 'replace', text: 'x' }, '`old_text` is missing'],
    [{ operation: 'add', text: ' ' }, '`text` is blank'],
    [{ operation: 'add', text: 'x', old_text: 'y' }, '`old_text` is not used with add'],
    [{ operation: 'replace', text: 'x', old_text: 'x' }, 'nothing would change'],
    [
      { operation: 'add', text: 'x', file: '../MEMORY.md' },
      '`file` must be one of "MEMORY.md", "USER.md", got "../MEMORY.md"',
    ],
  ])('refuses the arguments %j', async (input, words) => {
    const bench = await openBench();
    expect(await update(bench, input)).toMatchObject({ code: 'problem', text: expect.stringContaining(words) });
    expect(await readdir(bench.folder)).toEqual([]);
  });

  test('gives a hint above the soft limit, and refuses a write above the hard limit with the next step', async () => {
    const bench = await openBench();
    const long = await update(bench, { operation: 'add', text: 'x'.repeat(2_500) });
    expect(long.text).toBe(
      'MEMORY.md has 2501 bytes of 4096. At most 2048 are recommended: consolidate it soon, in fewer words',
    );
    const before = await bench.content(MEMORY);
    const refused = await update(bench, { operation: 'add', text: 'y'.repeat(1_600) });
    expect(refused).toMatchObject({
      code: 'workspace/memory-full',
      text: expect.stringMatching(
        /would have 4102 bytes, and the maximum is 4096; .* operation consolidate .* below 2048 bytes/,
      ),
    });
    expect(await bench.content(MEMORY)).toBe(before);
    await update(bench, { operation: 'consolidate', text: 'Only xs.' });
    expect(await bench.content(MEMORY)).toBe('Only xs.\n');
  });

  test('applies smaller limits to USER.md', async () => {
    const bench = await openBench();
    const asked = { file: 'USER.md', operation: 'add' };
    expect((await update(bench, { ...asked, text: 'x'.repeat(1_536) })).text).toContain('At most 1536');
    expect(await update(bench, { ...asked, text: 'x'.repeat(1_536) })).toMatchObject({ code: 'workspace/memory-full' });
  });

  test('writes nothing if the file already has exactly this content', async () => {
    const bench = await openBench();
    await update(bench, { operation: 'add', text: 'Once.' });
    const again = await update(bench, { operation: 'consolidate', text: 'Once.' });
    expect([again.text, again.facts]).toEqual([
      'MEMORY.md already has exactly this content; nothing was written',
      undefined,
    ]);
  });

  test('creates no other file and follows no link out of the workspace', async () => {
    const bench = await openBench();
    await update(bench, { operation: 'add', text: 'One.' });
    expect(await readdir(join(bench.folder, '.tidemark'))).toEqual(['MEMORY.md']);
    await writeFile(join(bench.outside, 'theirs.md'), 'theirs');
    await symlink(join(bench.outside, 'theirs.md'), join(bench.folder, '.tidemark/USER.md'));
    const led = await update(bench, { file: 'USER.md', operation: 'add', text: 'Mine.' });
    expect(led).toMatchObject({ code: 'problem', text: expect.stringContaining('is outside the workspace') });
  });

  test('refuses a memory folder that is a link out of the workspace', async () => {
    const bench = await openBench();
    await symlink(bench.outside, join(bench.folder, '.tidemark'));
    expect(await update(bench, { operation: 'add', text: 'Mine.' })).toMatchObject({ code: 'problem' });
    expect(await readdir(bench.outside)).toEqual([]);
  });

  test('loses no line when several sessions write at the same time', async () => {
    const bench = await openBench();
    const lines = Array.from({ length: 24 }, (_, index) => `- line ${index}`);
    // `update` creates a new tool for each call. Therefore these calls run in the same way as calls of separate
    // sessions.
    const said = await Promise.all(lines.map((text) => update(bench, { operation: 'add', text })));
    expect(said.filter(({ code }) => code !== undefined)).toEqual([]);
    expect((await bench.content(MEMORY)).trimEnd().split('\n').toSorted()).toEqual(lines.toSorted());
    expect(await readdir(join(bench.folder, '.tidemark'))).toEqual(['MEMORY.md']);
  });

  test('waits for the lock of another writer until its call is aborted, and ignores a lock left long ago', async () => {
    const bench = await openBench();
    const lock = await bench.put('.tidemark/.tidemark-MEMORY.md.lock', '');
    const stop = new AbortController();
    const waiting = update(bench, { operation: 'add', text: 'One.' }, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ code: 'ABORT_ERR' });
    await utimes(lock, 0, 0);
    expect((await update(bench, { operation: 'add', text: 'Two.' })).code).toBeUndefined();
    expect(await bench.content(MEMORY)).toBe('Two.\n');
  });

  test('reports the real path of its file to rules, after following a link inside the workspace', async () => {
    const bench = await openBench();
    await bench.put('docs/notes.md', '');
    await mkdir(join(bench.folder, '.tidemark'));
    await symlink('../docs/notes.md', join(bench.folder, '.tidemark/USER.md'));
    const tool = createMemoryUpdateTool(bench.confinement);
    const effects = async (file: string): Promise<unknown> =>
      (await bench.judge(tool, { file, operation: 'add', text: 'One.' })).effects;
    expect([tool.effectKinds, await effects('MEMORY.md'), await effects('USER.md')]).toEqual([
      ['paths'],
      { paths: [{ path: '.tidemark/MEMORY.md' }] },
      { paths: [{ path: 'docs/notes.md' }] },
    ]);
  });

  test('consolidates only content that the session was shown or wrote itself', async () => {
    const bench = await openBench();
    await bench.put(MEMORY, 'By hand.\n');
    const whole = { operation: 'consolidate', text: 'Anew.' };
    expect(await update(bench, whole)).toMatchObject({ code: 'workspace/changed' });
    const noted = await memorySource({ folder: bench.folder }).revision(view(bench.folder));
    const history = historyOf([note('other', 'x'), note('memory', noted ?? ''), note('other', 'y')]);
    await bench.put(MEMORY, 'By hand, later.\n');
    expect(await update(bench, whole, { history })).toMatchObject({ code: 'workspace/changed' });
    await bench.put(MEMORY, 'By hand.\n');
    expect((await update(bench, whole, { history })).code).toBeUndefined();
    expect((await update(bench, { ...whole, text: 'Once more.' })).code).toBeUndefined();
  });
});

function note(source: string, revision: string): Recorded {
  return {
    kind: 'context.noted',
    v: 1,
    position: position(0),
    fence: 1,
    chain: CHAIN_START,
    at: timestamp('2026-11-20T12:00:00.000Z'),
    data: { source, revision, cause: 'initial', body: 'x' },
  };
}

describe('the memory source', () => {
  const look = (folder: string, noted?: string): SourceView => view(folder, { noted });

  test('has no revision if there are no memory files', async () => {
    const { folder } = await openBench();
    expect(await memorySource({ folder }).revision(look(folder))).toBeUndefined();
  });

  test('has no revision if the memory folder is the folder of the logs', async () => {
    const { folder } = await openBench();
    const forbidden = [join(folder, '.tidemark')];
    expect(await memorySource({ folder, forbidden }).revision(look(folder))).toBeUndefined();
  });

  test('shows both files whole at first, and later only the change, no matter which writer made it', async () => {
    const bench = await openBench();
    const { folder } = bench;
    const source = memorySource({ folder });
    const lines = Array.from({ length: 20 }, (_, index) => `- fact ${index} of the project`);
    await bench.put(MEMORY, lines.join('\n'));
    await bench.put('.tidemark/USER.md', 'Prefers short answers.\n');
    const first = look(folder);
    const noted = await source.revision(first);
    const whole = await source.render(first, 'initial');
    expect(whole).toContain('- fact 0 of the project\n');
    expect(whole).toContain('USER.md (23 of 3072 bytes) says:\nPrefers short answers.');
    await bench.put(MEMORY, lines.with(10, '- another fact').join('\n'));
    const then = look(folder, noted);
    expect(await source.revision(then)).not.toBe(noted);
    const change = await source.render(then, 'changed');
    expect(change).toContain('-- fact 10 of the project\n+- another fact');
    expect(change).not.toContain('fact 0 ');
    expect(change).not.toContain('USER.md');
  });

  test('shows a changed file whole if its earlier content is unknown', async () => {
    const bench = await openBench();
    await bench.put(MEMORY, 'Now.\n');
    const seen = look(bench.folder, 'MEMORY.md 0123456789ab, USER.md -');
    const source = memorySource({ folder: bench.folder });
    await source.revision(seen);
    expect(await source.render(seen, 'changed')).toBe('MEMORY.md (5 of 4096 bytes) now says:\nNow.');
  });

  test('reports a file that is gone and a file that cannot be used', async () => {
    const { folder, outside } = await openBench();
    await mkdir(join(folder, '.tidemark'));
    await symlink(outside, join(folder, '.tidemark/USER.md'));
    const seen = look(folder, `MEMORY.md ${digest('a'.repeat(64)).slice(0, 12)}, USER.md -`);
    const words = await memorySource({ folder }).render(seen, 'changed');
    expect(words).toMatch(/^MEMORY\.md was removed; .*\n\nUSER\.md cannot be used: .* is outside the workspace/s);
  });

  test.each([
    ['a link to a file that may contain keys', '../.env', /^.*MEMORY\.md cannot be used: \.env is refused/s],
    ['a link into `.git`', '../.git/config', /MEMORY\.md cannot be used: \.git\/config is refused/],
    ['a link to an endless device', '/dev/zero', /MEMORY\.md cannot be used: .* is outside the workspace/],
    ['a link to itself', 'MEMORY.md', /MEMORY\.md cannot be used: .* form a loop/],
  ])('shows no content of %s, writes nothing there, and shows the other file', async (_what, target, said) => {
    const bench = await openBench();
    await bench.put('.env', 'API_KEY=a-key-of-mine');
    await bench.put('.git/config', '[core]');
    await bench.put('.tidemark/USER.md', 'Prefers tabs.');
    await symlink(target, join(bench.folder, MEMORY));
    const words = await memorySource({ folder: bench.folder }).render(look(bench.folder), 'initial');
    expect(words).toMatch(said);
    expect(words).toContain('Prefers tabs.');
    expect(words).not.toMatch(/a-key-of-mine|core/);
    expect(await update(bench, { operation: 'add', text: 'One.' })).toMatchObject({ code: 'problem' });
    expect([await bench.content('.env'), await bench.content('.git/config')]).toEqual([
      'API_KEY=a-key-of-mine',
      '[core]',
    ]);
  });

  test('reports a pipe in place of a memory file without waiting for it, and a file that is not text', async () => {
    const bench = await openBench();
    await mkdir(join(bench.folder, '.tidemark'));
    execFileSync('mkfifo', [join(bench.folder, MEMORY)]);
    await bench.put('.tidemark/USER.md', Buffer.from([0xff, 0xfe, 0x00]));
    const words = await memorySource({ folder: bench.folder }).render(look(bench.folder), 'initial');
    expect(words).toMatch(/MEMORY\.md cannot be used: .* is a pipe.*USER\.md cannot be used: .* is not UTF-8 text/s);
  });

  test('reports that a file is longer than its limit', async () => {
    const bench = await openBench();
    await bench.put('.tidemark/USER.md', 'x'.repeat(5_000));
    const words = await memorySource({ folder: bench.folder }).render(look(bench.folder), 'initial');
    expect(words).toContain('USER.md (5000 of 3072 bytes; at most 1536 are recommended) says:');
  });
});
