// Counts the flushes of the log in a step. The log is flushed before the request is sent and before the tools run.
// Calls that write run one after another, each after its own flush, and are counted separately.

import type { EffectClass } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { quietFiles } from '../quiet-files.ts';
import { beginSteady } from '../steady-session.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'flushes',
  against: 'no alternative: flushes of the log in a step with 4 parallel calls that read',
  target: 3,
  run,
};

const STEPS = 100;

async function run(): Promise<Measured> {
  const reading = await flushesOf('read');
  const writing = await flushesOf('write');
  return { ratio: reading, details: { reading, writing, steps: STEPS } };
}

/** Returns the number of flushes per step of one turn. The one flush at the turn's end is included. */
async function flushesOf(effect: EffectClass): Promise<number> {
  const quiet = quietFiles();
  await withTemporaryHome(async (home) => {
    const log = openNdjsonStore({ home, files: quiet.files });
    const { turn, close } = await beginSteady({ log, calls: 4, bytes: 500, effect });
    await turn(STEPS);
    await close();
  });
  return quiet.flushes / STEPS;
}
