// Time of `verify` per call. It depends on the length of the log and not on the total size of all bodies. A call late
// in a long session therefore takes as long as an early one.

import type { Log, SessionId } from '@tidemark/log';
import type { Verification } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createMemoryStore } from '@tidemark/store-memory';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { beginSteady } from '../steady-session.ts';
import { timedAsync } from '../stopwatch.ts';

export const benchmark: Benchmark = {
  name: 'verify',
  against: 'time per call of verifying 1,000 calls',
  target: 1.3,
  run,
};

const FEW = 1_000;
const MANY = 10_000;
const ROUNDS = 3;

async function run(): Promise<Measured> {
  const few = await sessionOf(FEW);
  const many = await sessionOf(MANY);
  const fewMs: number[] = [];
  const manyMs: number[] = [];
  const labelledBreaks = await verify(many);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let repeat = 0; repeat < MANY / FEW / 2; repeat += 1) fewMs.push(await timedAsync(() => verify(few)));
    manyMs.push(await timedAsync(() => verify(many)));
  }
  const perCall = { few: median(fewMs) / FEW, many: median(manyMs) / MANY };
  return {
    ratio: perCall.many / perCall.few,
    details: { manyMsPerCall: perCall.many, fewMsPerCall: perCall.few, manyMs: median(manyMs), labelledBreaks },
  };
}

interface Session {
  readonly log: Log;
  readonly id: SessionId;
}

async function sessionOf(calls: number): Promise<Session> {
  const log = createMemoryStore();
  const { id, turn, close } = await beginSteady({ log, calls: 0, bytes: 200 });
  for (let count = 0; count < calls; count += 1) await turn(1);
  await close();
  return { log, id };
}

async function verify({ log, id }: Session): Promise<number> {
  return countLabelledBreaks(
    await verifySession(log, id, {
      encoders: (revision) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined),
    }),
  );
}

/**
 * Returns the number of breaks in the session, all of which have an epoch with a cause. A session of 10,000 calls has
 * such breaks, because it fills the window and is compacted.
 *
 * @throws Error for a request that differs from what was sent, and for a break without a cause.
 */
export function countLabelledBreaks({
  differences,
  breaks,
  requests,
}: Pick<Verification, 'differences' | 'breaks' | 'requests'>): number {
  const unlabelled = breaks.filter(({ cause }) => cause === undefined);
  if (differences.length + unlabelled.length === 0) return breaks.length;
  throw new Error(
    `of ${requests} requests ${differences.length} differ and ${unlabelled.length} break without a cause: the fold has a fault`,
  );
}
