// Tests `verify`, `why` and `show` on an import of a transcript in which the real Claude Code recorded its requests.

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-observed-'));
const store = openNdjsonStore({ home: join(folder, 'home') });
const run = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });
const FIXTURES = join(import.meta.dirname, '../../../../packages/recording/fixtures/claude-code');
let file = '';
let main = '';

async function imported(path: string): Promise<string> {
  return (await run('import', path)).out.split('\n')[0] ?? '';
}

/** Imports the transcript with changed lines, and returns the session. */
async function changed(name: string, change: (lines: readonly string[]) => readonly string[]): Promise<string> {
  const path = join(folder, `${name}.jsonl`);
  writeFileSync(path, `${change(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n')}\n`);
  return imported(path);
}

const isOf = (type: string) => (line: string) => line.startsWith(`{"type":"${type}",`);

beforeAll(async () => {
  cpSync(FIXTURES, folder, { recursive: true });
  file = globSync(join(folder, '*.jsonl'))[0] ?? '';
  main = await imported(file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('`import` prints the number of recorded requests', async () => {
  expect((await run('import', file)).out).toContain('8 recorded requests: ');
});

test('`import` of a subagent file gives the session its title and its parent', async () => {
  const [path = ''] = globSync(join(folder, '*/subagents/*.jsonl'));
  expect((await run('import', path)).out).toContain(`a subagent of ${main}`);
  const { sessions } = JSON.parse((await run('sessions', '--tree', '--json')).out);
  const [, child] = sessions;
  expect(child).toMatchObject({ title: 'Count the words', depth: 1, startedBy: { session: main, depth: 1 } });
  expect((await run('import', path)).out).toContain('it was already imported; nothing was added');
});

test('`import` of a subagent file names the file of the main session if that session was not imported', async () => {
  const [path = ''] = globSync(join(folder, '*/subagents/*.jsonl'));
  const { out } = await pretendRun(['import', path], { store: pretendStore(createMemoryStore()) });
  expect(out).toContain('a subagent without a link to its main session');
  expect(out).toContain(basename(file));
});

test('a subagent is linked to the session that contains its call, not to another session of the same conversation', async () => {
  const [path = ''] = globSync(join(folder, '*/subagents/*.jsonl'));
  const other = pretendStore(createMemoryStore());
  const early = join(folder, 'early.jsonl');
  writeFileSync(early, `${readFileSync(file, 'utf8').split('\n').slice(0, 12).join('\n')}\n`);
  const { out: first } = await pretendRun(['import', early], { store: other });
  expect(first).toContain(main.slice(0, main.lastIndexOf('-')));
  expect((await pretendRun(['import', path], { store: other })).out).toContain('a subagent without a link');
});

test('`verify` rebuilds all recorded requests to their recorded digests', async () => {
  const { exit, out } = await run('verify', main);
  expect(exit).toBe(0);
  expect(out).toContain('8 recorded requests of another program: all rebuilt to their recorded digests');
  expect(out).toContain('3 breaks of their prefix, derived; L3 is not claimed for them');
});

test('`verify` names the parts that the transcript does not contain, and ends with 0', async () => {
  const session = await changed('lost', (lines) => lines.toSpliced(lines.findIndex(isOf('api-request-blob')), 1));
  const { exit, out } = await run('verify', session);
  expect(exit).toBe(0);
  expect(out).toContain('1 rebuilt to their recorded digests, 7 cannot be compared');
  expect(out).toContain('step 0: the transcript does not contain 1 part: message 0');
});

test('`verify` ends with 1 if a rebuilt request does not have its recorded digest', async () => {
  const session = await changed('other', (lines) =>
    lines.map((line) => (isOf('api-request')(line) ? line.replace('"max_tokens":32000', '"max_tokens":32001') : line)),
  );
  const { exit, out } = await run('verify', session);
  expect(exit).toBe(1);
  expect(out).toContain('0 rebuilt to their recorded digests, 8 differ');
});

test('`why` names the span, the first different character and the derived cause of each break', async () => {
  const { out } = await run('why', main);
  expect(out).toMatch(/step 6 at \S+, as it was sent\n {2}breaks at block 3, byte 23: system text/);
  expect(out).toContain(
    'was: {"text":"You work in a shop.","type":"text"}\n  is:  {"text":"You work in a bakery.","type":"text"}',
  );
  expect(out).toContain("cause: role, the agent's own system text changed (derived from the two requests)");
  expect(out).toMatch(/step 2 .*\n {2}breaks at block 0[^]*cause: tools, the tool list changed/);
  expect(out).toMatch(/step 7 .*\n {2}breaks at block 4[^]*cause: compaction, a checkpoint replaced older history/);
  expect(out).toMatch(/step 5 .*\n {2}paid again: .*\n {2}cause: expired, .*9\.0 minutes earlier/);
  expect(out).not.toContain('this is a bug');
  expect(out).not.toContain('does not contain the requests');
});

test('`why --json` contains the derived cause and the price of each break', async () => {
  const { explained, requests, unrecorded } = JSON.parse((await run('why', main, '--json')).out);
  expect([requests, unrecorded]).toEqual([8, 0]);
  expect(explained).toMatchObject([
    { step: 2, observed: { cause: 'tools' }, divergence: { at: 0, byte: 16 }, miss: { cause: 'tools' } },
    { step: 5, observed: {}, miss: { cause: 'expired' } },
    { step: 6, observed: { cause: 'role' }, divergence: { at: 3, byte: 23 }, miss: { cause: 'role' } },
    { step: 7, observed: { cause: 'compaction' }, divergence: { at: 4 } },
  ]);
  for (const { miss } of explained.slice(0, 3)) expect(Number(miss.cost)).toBeGreaterThan(0);
});

test('`cost` groups the calls by the derived causes that `why` names', async () => {
  const { explained } = JSON.parse((await run('why', main, '--json')).out);
  const named = explained.flatMap(({ miss }: { miss?: { cause: string } }) => (miss === undefined ? [] : [miss.cause]));
  const { groups } = JSON.parse((await run('cost', main, '--json')).out);
  const causes = groups.flatMap(({ name }: { name: string | null }) => (name === null ? [] : [name]));
  expect(causes.toSorted()).toEqual(named.toSorted());
  expect(causes).toEqual(expect.arrayContaining(['tools', 'expired', 'role']));
});

test('`why` reports the calls without a recorded request, and how to see them as they would have been sent', async () => {
  const session = await changed('partly', (lines) => {
    const last = lines.findLastIndex(isOf('api-request'));
    return lines.toSpliced(last, 1);
  });
  const { out } = await run('why', session);
  expect(out).toContain(
    `The recording does not contain the requests of 1 call: \`tidemark replay --keep ${session}\` shows them as they would have been sent`,
  );
});

test('`show` prints a recorded request as its spans, with the record of each span and the markers', async () => {
  const { out } = await run('show', main, '1');
  expect(out).toContain(`step 1 of ${main}, as it was sent: `);
  expect(out).toContain('extends the previous request at block 8');
  expect(out).toContain('the rebuilt body has the recorded digest');
  expect(out).toMatch(/12\tmessages\tuser result\trecord \d+\t.*▼ 5m/);
  const { spans, observed, relation } = JSON.parse((await run('show', main, '1', '--json')).out);
  expect(relation).toBe('extends');
  expect(observed).toMatchObject({ missing: [], rebuilt: observed.digest });
  expect(spans).toHaveLength(13);
});

test('`show --diff` prints what a recorded request adds, or where it breaks', async () => {
  const { spans } = JSON.parse((await run('show', main, '1', '--diff', '--json')).out);
  expect(spans.map(({ holds }: { holds: string }) => holds)).toEqual(['text', 'call', 'call', 'result', 'result']);
  const { out } = await run('show', main, '6', '--diff');
  expect(out).toMatch(/► -\t3\t\tsystem text[^]*You work in a shop/);
  expect(out).toContain('byte 23\n  was: {"text":"You work in a shop."');
});

test('`show` names the parts of a recorded request that the transcript does not contain', async () => {
  const session = await changed('hole', (lines) => lines.toSpliced(lines.findIndex(isOf('api-request-blob')), 1));
  const { out } = await run('show', session, '1');
  expect(out).toContain('not in the transcript: message 0');
  expect(out).toContain('which cannot be compared');
});

test('`show` names at most five missing parts and counts the others', async () => {
  const session = await changed('emptied', (lines) => lines.filter((line) => !isOf('api-request-blob')(line)));
  const { out } = await run('show', session, '5');
  expect(out).toMatch(/not in the transcript: (?:message \d+, ){4}message \d+ and \d+ more\n/);
});

test('`show` reports a step that has no request', async () => {
  expect((await run('show', main, '99')).exit).not.toBe(0);
});

test('`replay` replays a recording with recorded requests, and the replayed session has none of them', async () => {
  const { exit, out } = await run('replay', main, '--keep', '--json');
  expect(exit).toBe(0);
  const kept = /replay-claude-code-[\w-]+/.exec(out)?.[0] ?? '';
  const { kinds } = JSON.parse((await run('show', kept, '--json')).out);
  expect(kinds['request.observed']).toBeUndefined();
  expect((await run('verify', kept)).exit).toBe(0);
});
