// Tests the amount of work that `show` needs for a long session. The work is counted, not timed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RequestAt } from '@tidemark/agent';
import { FOLD_REVISION, rebuildRequest, verifySession } from '@tidemark/agent';
import { emptyState, evolve } from '@tidemark/context';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { playLongSession } from '../../tests/long-session.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import { encoders } from './encoders.ts';

/** Number of turns. TIDEMARK_FULL=1 creates a log of more than 100 MB. */
const TURNS = process.env['TIDEMARK_FULL'] === '1' ? 90 : 6;
const STEPS = 40;

const home = mkdtempSync(join(tmpdir(), 'tidemark-show-long-'));
let session: string;

beforeAll(async () => {
  session = await playLongSession(home, { turns: TURNS, steps: STEPS, resultBytes: 45_000 });
}, 300_000);

afterAll(() => rmSync(home, { recursive: true }));

interface Work {
  /** Number of records read, by the start position of the read. */
  readonly reads: ReadonlyMap<number, number>;
  readonly artifacts: number;
  readonly spansLowered: number;
}

async function worked(...args: readonly string[]): Promise<Ran & { readonly work: Work }> {
  const reads = new Map<number, number>();
  let artifacts = 0;
  const real = openNdjsonStore({ home });
  async function* read(...asked: Parameters<NdjsonStore['read']>): AsyncGenerator<Recorded> {
    const from = asked[1] ?? 0;
    for await (const record of real.read(...asked)) {
      reads.set(from, (reads.get(from) ?? 0) + 1);
      yield record;
    }
  }
  const get: NdjsonStore['artifacts']['get'] = (name) => {
    artifacts += 1;
    return real.artifacts.get(name);
  };
  const store: NdjsonStore = { ...real, read, artifacts: { ...real.artifacts, get } };
  const lowering = vi.spyOn(anthropicEncoder, 'lowerSpan');
  const ran = await pretendRun(args, { store });
  const spansLowered = lowering.mock.calls.length;
  lowering.mockRestore();
  return { ...ran, work: { reads, artifacts, spansLowered } };
}

test('`show` of a late step rebuilds only its request and the previous one', async () => {
  const step = TURNS * STEPS - 2;
  const { exit, out, work } = await worked('show', session, String(step));
  expect(exit).toBe(0);
  expect(out).toContain(`step ${step} of ${session}`);
  const lowering = vi.spyOn(anthropicEncoder, 'lowerSpan');
  await verifySession(openNdjsonStore({ home }), sessionId(session), { encoders });
  const all = lowering.mock.calls.length;
  lowering.mockRestore();
  // `show` lowers only the spans of one or two adjacent epochs. The limit does not depend on the length of the session.
  expect(work.spansLowered).toBeLessThan(200);
  expect(work.spansLowered).toBeLessThan(all / 4);
  expect(work.artifacts).toBeLessThan(20);
});

test('`show` of an early step reads no further than its answer', async () => {
  const { out, work } = await worked('show', session, '2');
  expect(out).toContain('step 2 of');
  expect(work.reads.get(0)).toBeLessThan(40);
});

test('`show` lists the steps without folding the records of the snapshot again', async () => {
  const kept = await openNdjsonStore({ home }).getSnapshot(sessionId(session), FOLD_REVISION);
  if (kept === undefined) throw new Error('the session has no snapshot');
  const { out, work } = await worked('show', session);
  const { records }: { readonly records: number } = JSON.parse((await worked('show', session, '--json')).out);
  expect(out).toContain(`${TURNS * STEPS} steps`.replace(/^(\d)(\d{3}) /, '$1,$2 '));
  expect(work.reads.get(0)).toBe(records);
  expect(work.reads.get(kept.length) ?? 0).toBe(records - kept.length);
  expect(work.spansLowered).toBe(0);
});

test('every request can be rebuilt byte for byte from its own state, after the whole log was folded', async () => {
  const store = openNdjsonStore({ home });
  const requests: RequestAt[] = [];
  let state = emptyState();
  for await (const record of store.read(sessionId(session))) {
    state = evolve(state, record);
    if (record.kind === 'request.prepared') requests.push({ record, state });
  }
  expect(new Set(requests.map((one) => one.record.data.epoch)).size).toBeGreaterThan(3);
  for (const request of requests.slice(0, 6 * STEPS)) {
    const { digest } = await rebuildRequest(store, request, encoders);
    expect([request.record.position, digest]).toEqual([request.record.position, request.record.data.digest]);
  }
});
