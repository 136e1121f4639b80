// The simulator as a provider in this process, on a clock that a benchmark moves: each request arrives at the time that the
// log says of it.

import type { Provider, StreamPart } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import type { ScriptedAnswer, Simulator } from '@tidemark/simulator';

import type { VirtualTime } from './virtual-time.ts';

/** What a provider over the simulator needs. */
export interface SimulatedProviderOptions {
  readonly simulator: Simulator;
  readonly time: VirtualTime;
  /** What to answer next. */
  readonly answer: () => ScriptedAnswer;
  /** Waited for between the beginning of an answer and its end. */
  readonly begun?: () => Promise<void>;
}

/** How long an answer takes, in milliseconds: far below the life of an entry. */
const ANSWER_MS = 4_000;

/** A provider whose `send` throws an Error for a request that the simulator refuses: the script is wrong then, or the engine. */
export function simulatedProvider(options: SimulatedProviderOptions): Provider {
  return { name: 'anthropic', encoder: anthropicEncoder, send: ({ body, betas }) => send(options, body, betas) };
}

async function* send(
  { simulator, time, answer, begun }: SimulatedProviderOptions,
  body: Uint8Array,
  betas: readonly string[],
): AsyncGenerator<StreamPart> {
  const said = simulator.messages({ body, betas, at: time.now, answer: answer() });
  if (said.outcome === 'refused') throw new Error(`refused (${said.status} ${said.type}): ${said.message}`);
  const decoded = decodeMessage(JSON.stringify(said.message));
  yield { type: 'began', usage: decoded.usage };
  await begun?.();
  time.pass(ANSWER_MS);
  yield { type: 'finished', answer: decoded };
}
