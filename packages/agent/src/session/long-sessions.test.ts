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

/** Size of the test log in megabytes. The log in the issue had 80 MB. TIDEMARK_FULL=1 selects this size. */
const MEGABYTES = process.env['TIDEMARK_FULL'] === '1' ? 80 : 8;

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-long-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('a long session', () => {
  it('anthropics/claude-code#79196: the cost of opening depends on what is packed, not on the length of the log', async () => {
    const short = await takenIn(2);
    const long = await takenIn(20);
    expect(long.length).toBeGreaterThan(short.length + 5_000);
    expect(long.read).toBe(short.read);
    expect(long.bytes / short.bytes).toBeCloseTo(1, 1);
  });

  it(`anthropics/claude-code#72667: a log of ${MEGABYTES} MB is opened from its snapshot and the records after it`, async () => {
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

    // Without the snapshot, the whole log is read and the damage is found. This proves that the log was not read with
    // the snapshot.
    await rm(join(home, 'sessions', ID, 'snapshot'));
    await expect(openSession(openNdjsonStore({ home }), ID)).rejects.toMatchObject({ code: 'log/damaged' });
  });
});

/**
 * Records a complete turn with the given number of prompts. If the turn were incomplete, its prompts would be moved to
 * the next turn.
 */
async function say({ session }: Small, prompts: number, bytes = 100): Promise<void> {
  const at = second(0);
  const said = Array.from({ length: prompts }, (_, index) => prompt('x'.repeat(bytes), index));
  await commit(session, [
    { kind: 'turn.started', at, data: { trigger: 'user' } },
    ...said,
    { kind: 'turn.ended', at, data: { outcome: 'completed' } },
  ]);
}

async function compact(small: Small): Promise<void> {
  const { session } = small;
  const range = { from: position(0), to: position(session.state.length - 1) };
  const data = { range, strategy: 'deterministic', trigger: 'test', checkpoint: 'so far', limitations: [] } as const;
  await commit(session, [{ kind: 'history.compacted', at: second(0), data }, prompt('go on')]);
  await answer(small, await prepare(small));
}

/**
 * Records a session with the given number of epochs and opens it again. Returns the length of its log, the number of
 * records read to open it, and the size of its snapshot in bytes.
 */
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

async function spoil(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write('?', at);
  } finally {
    await file.close();
  }
}
