// What an open session holds in memory late in its life against early, the same distance behind an epoch that repacked.

import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { sum } from '../figures.ts';
import { quietFiles } from '../quiet-files.ts';
import type { SteadySession } from '../steady-session.ts';
import { beginSteady } from '../steady-session.ts';
import { withTemporaryHome } from '../temporary-home.ts';

const EARLY = 10_000;
const LATE = process.env['TIDEMARK_FULL'] === '1' ? 1_000_000 : 200_000;
const WARM = 50_000;
/** Events between two checkpoints. */
const EPOCH = 5_000;
/** Steps of a turn. */
const STEPS = 5;

export const benchmark: Benchmark = {
  name: 'memory',
  against: 'the heap of the same open session at 10,000 events',
  target: 1.1,
  run,
};

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    // Tables of the engine's own grow to their size in the first session.
    await measureAt(`${home}/warm`, [WARM]);
    const [early = NaN, late = NaN] = await measureAt(`${home}/measured`, [EARLY, LATE]);
    return { ratio: late / early, details: { earlyBytes: early, lateBytes: late, events: LATE, epochEvents: EPOCH } };
  });
}

/** Bytes that the session holds once it has so many events. */
async function measureAt(home: string, lengths: readonly number[]): Promise<readonly number[]> {
  const before = await heldBytes();
  const log = openNdjsonStore({ home, files: quietFiles().files });
  const steady = await beginSteady({ log, calls: 8, bytes: 200 });
  const held: number[] = [];
  for (const length of lengths) {
    await growTo(steady, length);
    held.push((await heldBytes()) - before);
  }
  await steady.close();
  return held;
}

/** Every length is a whole number of epochs, so that each is measured at an epoch's end. */
async function growTo(steady: SteadySession, length: number): Promise<void> {
  let next = Math.ceil((steady.length + 1) / EPOCH) * EPOCH;
  while (steady.length < length) {
    await steady.turn(STEPS);
    // A provider with a socket lets the event loop turn; what only weak references hold goes then.
    await setImmediate();
    if (steady.length < next || next >= length) continue;
    // A table of weak references keeps the size of its fullest moment: an equal rhythm keeps that equal.
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    steady.compact();
    next += EPOCH;
  }
}

setFlagsFromString('--expose-gc');
// What the optimizing compiler notes beside its code lies among the data, and grows with any long run.
setFlagsFromString('--no-opt');
/** As thorough as the engine can be: caches of sources and of compiled code go too. */
const collectGarbage: (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void =
  runInNewContext('gc');

/** Spaces of the heap that hold no data: compiled code and what the compiler learnt grow with any long run. */
const CODE_SPACES = ['code_space', 'code_large_object_space', 'trusted_space', 'trusted_large_object_space'];

async function heldBytes(): Promise<number> {
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate();
    collectGarbage({ type: 'major', flavor: 'last-resort' });
  }
  const data = getHeapSpaceStatistics().filter((space) => !CODE_SPACES.includes(space.space_name));
  return sum(data.map((space) => space.space_used_size)) + process.memoryUsage().external;
}
