import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, Recorded } from '@tidemark/log';
import { position } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { commit, keepSnapshot, openSession } from './session.ts';

/** Megabytes of the log that hung; TIDEMARK_FULL=1 asks for all of them. */
const MEGABYTES = process.env['TIDEMARK_FULL'] === '1' ? 80 : 8;

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-long-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('a long session', () => {
  it('anthropics/claude-code#79196: what an opening takes in follows what is packed, not the log', async () => {
    const short = await takenIn(2);
    const long = await takenIn(20);
    expect(long.length).toBeGreaterThan(short.length + 5_000);
    expect(long.read).toBe(short.read);
    expect(long.bytes / short.bytes).toBeCloseTo(1, 1);
  });

  it(`anthropics/claude-code#72667: a log of ${MEGABYTES} MB is opened by its snapshot and what stands behind it`, async () => {
    const small = await begin(openNdjsonStore({ home }));
    for (let megabyte = 0; megabyte < MEGABYTES; megabyte += 1) await say(small, 10, 100_000);
    await compact(small);
    await keepSnapshot(small.session);
    await say(small, 5);
    await small.session.writer.close();
    await spoil(join(home, 'sessions', ID, 'log.ndjson'), 100_000);

    const log = openNdjsonStore({ home });
    const session = await openSession(log, ID);
    expect(session.state.length).toBe(small.session.state.length);
    const next: Small = { log, session, promptStreams: { main: undefined } };
    await answer(next, await prepare(next, 1));
    expect(next.promptStreams.main?.lowered).toBe(8);
    await session.writer.close();

    // All of it is read where there is no snapshot, or this test shows nothing.
    await rm(join(home, 'sessions', ID, 'snapshot'));
    await expect(openSession(openNdjsonStore({ home }), ID)).rejects.toMatchObject({ code: 'log/damaged' });
  });
});

/** A turn with so many prompts, which comes to its end: what is said in a turn that does not is carried into the next. */
async function say({ session }: Small, prompts: number, bytes = 100): Promise<void> {
  const at = second(0);
  const said = Array.from({ length: prompts }, (_, index) => prompt('x'.repeat(bytes), index));
  await commit(session, [
    { kind: 'turn.started', at, data: { trigger: 'user' } },
    ...said,
    { kind: 'turn.ended', at, data: { outcome: 'completed' } },
  ]);
}

/** Packs a checkpoint in the place of all that was said so far. */
async function compact(small: Small): Promise<void> {
  const { session } = small;
  const range = { from: position(0), to: position(session.state.length - 1) };
  const data = { range, strategy: 'deterministic', trigger: 'test', checkpoint: 'so far', limitations: [] } as const;
  await commit(session, [{ kind: 'history.compacted', at: second(0), data }, prompt('go on')]);
  await answer(small, await prepare(small));
}

/** What is read when a session of so many epochs is opened, and what its snapshot holds. */
async function takenIn(
  epochs: number,
): Promise<{ readonly length: number; readonly read: number; readonly bytes: number }> {
  const folder = join(home, String(epochs));
  const small = await begin(openNdjsonStore({ home: folder }));
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    await say(small, 300);
    await compact(small);
    await say(small, 100);
  }
  await keepSnapshot(small.session);
  await say(small, 50);
  await small.session.writer.close();
  const counted = counting(openNdjsonStore({ home: folder }));
  const session = await openSession(counted.log, ID);
  await session.writer.close();
  const bytes = (await counted.log.getSnapshot(ID))?.bytes.length ?? 0;
  return { length: session.state.length, read: counted.read(), bytes };
}

/** The same log, with the records that are read counted. */
function counting(log: Log): { readonly log: Log; readonly read: () => number } {
  let count = 0;
  async function* read(...asked: Parameters<Log['read']>): AsyncGenerator<Recorded> {
    for await (const record of log.read(...asked)) {
      count += 1;
      yield record;
    }
  }
  return { log: { ...log, read }, read: () => count };
}

/** Changes one byte of a file. */
async function spoil(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write('?', at);
  } finally {
    await file.close();
  }
}
