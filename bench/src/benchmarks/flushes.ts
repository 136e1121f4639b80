// Flushes that a step costs: before its request is sent and before its tools run.

import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Benchmark, Measured } from '../benchmark.ts';
import { bodilessEncoder } from '../other-encoders.ts';
import { quietFiles } from '../quiet-files.ts';
import { beginSteady } from '../steady-session.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'flushes',
  against: 'nothing: flushes of the log in a step with 4 parallel calls',
  target: 3,
  run,
};

const STEPS = 100;

async function run(): Promise<Measured> {
  const quiet = quietFiles();
  await withTemporaryHome(async (home) => {
    const log = openNdjsonStore({ home, files: quiet.files });
    const { session, step } = await beginSteady({ log, encoder: bodilessEncoder(), calls: 4, bytes: 500 });
    for (let count = 0; count < STEPS; count += 1) await step();
    await session.writer.close();
  });
  return { ratio: quiet.flushes / STEPS, details: { flushes: quiet.flushes, steps: STEPS, bytes: quiet.bytes } };
}
