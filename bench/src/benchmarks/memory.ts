// Memory of an open session late in its life, compared with its memory early in its life. Both are measured at the same
// distance after an epoch that repacked the history.

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
/** Number of events between two checkpoints. */
const EPOCH = 5_000;
/** Number of steps in a turn. */
const STEPS = 5;

export const benchmark: Benchmark = {
  name: 'memory',
  against: 'the heap of the same open session at 10,000 events',
  target: 1.1,
  run,
};

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    // Tables of the JavaScript engine grow to their full size in the first session, so that session is not measured.
    await measureAt(`${home}/warm`, [WARM]);
    const [early = NaN, late = NaN] = await measureAt(`${home}/measured`, [EARLY, LATE]);
    return { ratio: late / early, details: { earlyBytes: early, lateBytes: late, events: LATE, epochEvents: EPOCH } };
  });
}

/** Returns the bytes of memory that the session uses at each of these lengths. A length is a number of events. */
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

/**
 * Grows the session to a length. Each length is a whole number of epochs, so every measurement is at the end of an
 * epoch.
 */
async function growTo(steady: SteadySession, length: number): Promise<void> {
  let next = Math.ceil((steady.length + 1) / EPOCH) * EPOCH;
  while (steady.length < length) {
    await steady.turn(STEPS);
    // Lets the event loop turn, as a provider with a socket does. Objects held only by weak references are released
    // then.
    await setImmediate();
    if (steady.length < next || next >= length) continue;
    // A table of weak references never becomes smaller. Collecting garbage at regular intervals keeps the size of the
    // table equal for all lengths.
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    steady.compact();
    next += EPOCH;
  }
}

setFlagsFromString('--expose-gc');
// Turns off the optimizing compiler. Its feedback about the code is stored in the data spaces and grows with any long
// run.
setFlagsFromString('--no-opt');
/** Runs the engine's most thorough garbage collection, which also drops caches of sources and of compiled code. */
const collectGarbage: (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void =
  runInNewContext('gc');

/** Heap spaces without data. They contain compiled code and data of the compiler, which grow with any long run. */
const CODE_SPACES = ['code_space', 'code_large_object_space', 'trusted_space', 'trusted_large_object_space'];

async function heldBytes(): Promise<number> {
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate();
    collectGarbage({ type: 'major', flavor: 'last-resort' });
  }
  const data = getHeapSpaceStatistics().filter((space) => !CODE_SPACES.includes(space.space_name));
  return sum(data.map((space) => space.space_used_size)) + process.memoryUsage().external;
}
