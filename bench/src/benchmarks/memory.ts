// What an open session holds in memory late in its life against early, the same distance behind an epoch that repacked.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { sum } from '../figures.ts';
import { bodilessEncoder } from '../other-encoders.ts';
import { quietFiles } from '../quiet-files.ts';
import type { SteadySession } from '../steady-session.ts';
import { beginSteady } from '../steady-session.ts';
import { withTemporaryHome } from '../temporary-home.ts';

const EARLY = 10_000;
const LATE = process.env['TIDEMARK_FULL'] === '1' ? 1_000_000 : 200_000;
/** Events between two checkpoints. */
const EPOCH = 2_500;

export const benchmark: Benchmark = {
  name: 'memory',
  against: 'the heap of the same open session at 10,000 events',
  target: 1.1,
  run,
};

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    await measureAt(`${home}/warm`, [EARLY]);
    const [early = NaN, late = NaN] = await measureAt(`${home}/measured`, [EARLY, LATE]);
    return { ratio: late / early, details: { earlyBytes: early, lateBytes: late, events: LATE, epochEvents: EPOCH } };
  });
}

/** Bytes that the session holds once it has so many events. */
async function measureAt(home: string, lengths: readonly number[]): Promise<readonly number[]> {
  const before = heldBytes();
  const log = openNdjsonStore({ home, files: quietFiles().files });
  const steady = await beginSteady({ log, encoder: bodilessEncoder(), calls: 8, bytes: 200 });
  const held: number[] = [];
  for (const length of lengths) {
    await growTo(steady, length);
    held.push(heldBytes() - before);
  }
  await steady.session.writer.close();
  return held;
}

/** Every length is a whole number of epochs, so that each is measured at an epoch's end. */
async function growTo({ session, step, compact }: SteadySession, length: number): Promise<void> {
  let next = Math.ceil((session.state.length + 1) / EPOCH) * EPOCH;
  while (session.state.length < length) {
    await step();
    if (session.state.length < next || next >= length) continue;
    await compact();
    next += EPOCH;
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Spaces of the heap that hold no data: compiled code and what the compiler learnt grow with any long run. */
const CODE_SPACES = ['code_space', 'code_large_object_space', 'trusted_space', 'trusted_large_object_space'];

function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  const data = getHeapSpaceStatistics().filter((space) => !CODE_SPACES.includes(space.space_name));
  return sum(data.map((space) => space.space_used_size)) + process.memoryUsage().external;
}
