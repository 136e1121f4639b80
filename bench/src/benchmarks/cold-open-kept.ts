// Measures the opening of a long session with the snapshot that the agent wrote. Records before the snapshot are not
// read again.

import type { SessionId } from '@tidemark/log';
import { openSession } from '@tidemark/agent';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { beginSteady } from '../steady-session.ts';
import { timedAsync } from '../stopwatch.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'cold-open-kept',
  against: 'reading the records after the snapshot, in a session of 100,000 records',
  target: 2,
  run,
};

const EVENTS = 100_000;
const ROUNDS = 15;
/** Number of steps in a turn. */
const STEPS = 5;
/** Number of events between two checkpoints. */
const EPOCH = 5_000;
/** Number of records after the snapshot, chosen just below the number at which the next snapshot is due. */
const TAIL = 900;

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const { id, tail, kept } = await writeLog(home);
    const open: number[] = [];
    const read: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      read.push(await readTail(openNdjsonStore({ home }), id));
      open.push(
        await timedAsync(() => openSession(openNdjsonStore({ home }), id).then(({ writer }) => writer.close())),
      );
    }
    return {
      ratio: median(open) / median(read),
      details: { openMs: median(open), readMs: median(read), tail, snapshotBytes: kept, events: EVENTS },
    };
  });
}

/**
 * Writes a log that ends with as many records after the snapshot as possible, so that opening the session must read the
 * maximum number of records.
 */
async function writeLog(
  home: string,
): Promise<{ readonly id: SessionId; readonly tail: number; readonly kept: number }> {
  const log = openNdjsonStore({ home });
  const steady = await beginSteady({ log, calls: 8, bytes: 300 });
  let next = EPOCH;
  let tail = 0;
  for (;;) {
    await steady.turn(STEPS);
    const kept = await log.getSnapshot(steady.id);
    tail = steady.length - (kept?.length ?? 0);
    if (steady.length >= EVENTS && tail >= TAIL) {
      await steady.close();
      return { id: steady.id, tail, kept: kept?.bytes.length ?? 0 };
    }
    if (steady.length < next) continue;
    steady.compact();
    next += EPOCH;
  }
}

/** Returns the milliseconds to read the records after the snapshot. Finding the snapshot's place is not included. */
async function readTail(store: NdjsonStore, id: SessionId): Promise<number> {
  const kept = await store.getSnapshot(id);
  return timedAsync(async () => {
    for await (const record of store.read(id, kept?.length))
      if (record.kind === 'unknown') throw new Error(record.name);
  });
}
