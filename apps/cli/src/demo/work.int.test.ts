// Tests the demo in separate processes, as a user runs it. The work that the demo shows really happens, and its cost is
// close to the ideal cost. After the demo no files remain, even if it fails.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Log, Recorded, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';

/**
 * Test timeout in milliseconds. The demo starts four processes of the command and several tools, which is slow on a
 * busy machine.
 */
const PATIENCE = { timeout: 240_000 };

const COMMAND = inject('command');

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-demos-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function startDemo(folder: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [COMMAND, 'demo', ...args], {
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function textOf(stream: ChildProcess['stdout']): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}

test(
  'the demo uses a skill, pages a long output, runs a subagent, updates a memory, and costs close to the ideal price',
  PATIENCE,
  async () => {
    const demo = startDemo(root, '--json', '--keep');
    const [out, err] = await Promise.all([textOf(demo.stdout), textOf(demo.stderr)]);
    expect(err).toBe('');
    const summary: Summary = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ ok: true, explained: 0, verified: { differences: 0 } });
    expect(summary.billed / summary.ideal).toBeLessThan(1.02);

    expect(summary.verified.sessions).toBe(2);
    expect(out.match(/"by":"subagent"/g)).toHaveLength(2);

    const store = openNdjsonStore({ home: summary.home });
    const records = await Array.fromAsync(store.read(sessionId(summary.session)));
    expect(kindsOf(records, 'skill.loaded', 'subagent.ended', 'memory.changed')).toEqual([
      'skill.loaded',
      'subagent.ended',
      'memory.changed',
    ]);
    expect(records.flatMap((one) => (one.kind === 'tool.returned' ? (one.data.shaping ?? []) : []))).toEqual([
      { by: 'tail', kept: 1_999, total: 2_401, unit: 'lines' },
    ]);
    const notes = records.flatMap((one) => (one.kind === 'context.noted' ? [one.data] : []));
    expect(notes.flatMap(({ source, cause }) => (source === 'memory' ? [cause] : []))).toEqual(['initial', 'changed']);

    const { sessions } = await store.sessions();
    const child = sessions.find(({ startedBy }) => startedBy?.session === summary.session)?.session ?? '';
    expect(await frontRead(store, sessionId(child))).toBeGreaterThanOrEqual(0.95);

    const tidemark = async (...args: readonly string[]): Promise<string> =>
      (await pretendRun([...args, summary.session], { store })).out;
    expect(await tidemark('skills')).toMatch(
      /1 skill, loaded once, \d+ tokens\n.*\nchange-money\t1\t\d+\ton demand 1\tworkspace/,
    );
    expect(await tidemark('verify')).toContain('all bytes identical');
    // The demo kills its process in the middle of an answer. The log cannot tell what this call has cost.
    const cost = await tidemark('cost');
    expect(cost).toMatch(/^paid\t≥ \$/m);
    expect(cost).toContain('1 call without token counts, not in the sums');
    expect(cost).toMatch(/nothing paid again\t12\t.*\t1\.0[01]\n/);
  },
);

interface Summary {
  readonly billed: number;
  readonly ideal: number;
  readonly home: string;
  readonly session: string;
  readonly verified: { readonly sessions: number };
}

/** Returns the share of the session's front, from 0 to 1, that the first call read from the cache. */
async function frontRead(store: Log, session: SessionId): Promise<number> {
  let front = Number.NaN;
  for await (const { kind, data } of store.read(session)) {
    if (kind === 'epoch.opened') front = data.padding?.natural ?? front;
    if (kind === 'answer.received') return (data.usage.read ?? 0) / front;
  }
  return 0;
}

function kindsOf(records: readonly Recorded[], ...kinds: readonly Recorded['kind'][]): readonly string[] {
  return records.flatMap(({ kind }) => (kinds.includes(kind) ? [kind] : []));
}

describe('the demo leaves no files behind', () => {
  test.each([
    ['the terminal is closed', (demo: ChildProcess) => demo.kill('SIGHUP'), 129],
    ['it is interrupted', (demo: ChildProcess) => demo.kill('SIGINT'), 130],
    ['nobody reads on', (demo: ChildProcess) => demo.stdout?.destroy(), 141],
  ])('when %s', async (how, end, exit) => {
    const folder = await mkdtemp(join(root, 'ends-'));
    const demo = startDemo(folder);
    const closed = once(demo, 'exit');
    demo.stdout?.on('data', (chunk: Buffer) => chunk.includes('→') && end(demo));
    expect([how, ...(await closed)]).toEqual([how, exit, null]);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('the demo reports that it needs a temporary folder if it cannot create one', async () => {
  const demo = startDemo(join(root, 'is-not-there'));
  const [out, err, [exit]] = await Promise.all([textOf(demo.stdout), textOf(demo.stderr), once(demo, 'exit')]);
  expect({ out, exit }).toEqual({ out: '', exit: 3 });
  expect(err).toMatch(/^error: the demo cannot create a temporary folder: .*\nnext: .*TMPDIR/);
});
