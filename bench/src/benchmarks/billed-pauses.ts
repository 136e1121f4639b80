// Measures the billed input of a session in which half of the pauses exceed five minutes, on each provider's simulator.
// The details also contain the cost with TTLs chosen by an oracle that knows every pause and never warms the cache.

import { unitPrice } from '@tidemark/context';
import { timestamp } from '@tidemark/log';

import type { Benchmark, Measured } from '../benchmark.ts';
import { largest } from '../figures.ts';
import { play } from '../lives-played.ts';
import { rowOf } from '../model-row.ts';
import type { ScriptedSession } from '../scripted-sessions.ts';
import { pausedSessions, ratioOf } from '../scripted-sessions.ts';

export const benchmark: Benchmark = {
  name: 'billed-pauses',
  against: 'every new token written once, every old one read, however long ago; the worst model',
  target: 1.15,
  run,
};

const TODAY = timestamp('2026-11-20T00:00:00.000Z');

async function run(): Promise<Measured> {
  const sessions = await pausedSessions();
  return {
    ratio: largest(sessions.map(ratioOf)),
    details: Object.fromEntries(sessions.map((one) => [one.model, inWords(one)])),
  };
}

function inWords(session: ScriptedSession): string {
  const ratio = ratioOf(session).toFixed(3);
  const { driven, model } = session;
  const capabilities = rowOf(model);
  const price = unitPrice(capabilities, TODAY, 0);
  // The oracle is computed only for a model with a one-hour TTL. Other models offer no choice of TTLs.
  if (price === undefined || !capabilities.ttls.includes('1h')) return ratio;
  const { oracle } = play(driven.steps, { capabilities, price });
  return `${ratio}, with all pauses known ${(oracle / driven.bill.ideal.toNumber()).toFixed(3)}`;
}
