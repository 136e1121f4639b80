// Runs the engine for a smoke test. The session has no tools, is stored in memory, and makes one call per turn.

import { defined } from '@tidemark/core';
import type { Surroundings } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log } from '@tidemark/log';

import type { SmokeMeter, MeteredCall } from './meter.ts';
import { ANSWER_TOKENS } from './price.ts';
import type { SmokeWords } from './words.ts';

/** Parts from which the engine of a smoke test is created. */
export interface SmokeEngine {
  readonly meter: SmokeMeter;
  readonly model: string;
  /** The user's changes to the catalog, if any. */
  readonly catalog?: unknown;
  readonly words: SmokeWords;
  readonly log: Log;
  readonly surroundings: Surroundings;
  readonly ttl: '5m' | '1h';
}

/** Session of a smoke test. Each call of `ask` sends the next prompt. */
export interface SmokeSession {
  readonly id: string;
  /**
   * Sends a prompt and returns its call.
   *
   * @throws ProviderError when the call failed.
   */
  ask(prompt: string): Promise<MeteredCall>;
}

/**
 * Opens the session `id`, or a new session if `id` is `undefined`. Runs `work` on the session, closes the engine and
 * returns the result of `work`.
 */
export async function withEngine<T>(
  engine: SmokeEngine,
  id: string | undefined,
  work: (asking: SmokeSession) => Promise<T>,
): Promise<T> {
  const { meter, model, catalog, words, log, surroundings, ttl } = engine;
  const agent = createAgent({
    model,
    provider: meter.provider,
    store: log,
    // The full front, which the command also sends in normal use. The texts of the smoke test have the right size for
    // this front.
    context: { runtimeInstructions: 'full' },
    instructions: words.role,
    limits: { maxSteps: 1 },
    maxOutputTokens: ANSWER_TOKENS,
    connection: { retry: { attempts: 1 } },
    cache: { ttl },
    host: { clock: surroundings },
    modelOptions: defined({ catalog }),
  });
  try {
    const live = await agent.open(id);
    return await work({ id: live.id, ask: (prompt) => askIn(live, meter, prompt) });
  } finally {
    await agent.close();
  }
}

async function askIn(live: AgentSession, meter: SmokeMeter, prompt: string): Promise<MeteredCall> {
  const before = meter.calls.length;
  const { outcome, error } = await live.prompt(prompt);
  const call = meter.calls[before];
  if (call !== undefined) return call;
  throw (
    meter.failure ?? new Error(`the engine's call ended with the outcome ${outcome}: ${error?.message ?? 'no error'}`)
  );
}
