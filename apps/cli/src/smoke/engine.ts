// The engine as a smoke runs it: a session without tools in memory, whose turns are one call each.

import { defined } from '@tidemark/core';
import type { Surroundings } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log } from '@tidemark/log';

import type { SmokeMeter, MeteredCall } from './meter.ts';
import { ANSWER_TOKENS } from './price.ts';
import type { SmokeWords } from './words.ts';

/** What an engine is made of. */
export interface SmokeEngine {
  readonly meter: SmokeMeter;
  readonly model: string;
  /** The user's changes to the catalog, if there are any. */
  readonly catalog?: unknown;
  readonly words: SmokeWords;
  readonly log: Log;
  readonly surroundings: Surroundings;
  readonly ttl: '5m' | '1h';
}

/** Asks the next prompt of a session: of a new one without an id. */
export interface SmokeSession {
  readonly id: string;
  /** @throws ProviderError when the call failed. */
  ask(prompt: string): Promise<MeteredCall>;
}

/** Opens a session, works with it, and closes all. */
export async function withEngine<T>(
  engine: SmokeEngine,
  id: string | undefined,
  work: (asking: SmokeSession) => Promise<T>,
): Promise<T> {
  const { meter, model, catalog, words, log, surroundings, ttl } = engine;
  const agent = createAgent(
    defined({
      model,
      provider: meter.provider,
      store: log,
      // The front that the command sends everywhere: the words are sized by it.
      runtime: 'full',
      role: words.role,
      limits: { steps: 1 },
      outputLimit: ANSWER_TOKENS,
      retry: { attempts: 1 },
      ttl,
      surroundings,
      catalog,
    }),
  );
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
  throw meter.failure ?? new Error(`the engine's call ended as ${outcome}: ${error?.message ?? 'no error'}`);
}
