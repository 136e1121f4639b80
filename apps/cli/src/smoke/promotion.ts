// Tests if a provider supports promotion. With promotion, a long-lived marker after a short-lived entry makes the whole
// prefix long-lived, at the price of only the new tokens. The test writes an entry with the short lifetime and promotes
// it. Then it waits longer than the short lifetime, and reads the entry.

import type { Usage } from '@tidemark/model';
import { writtenTokens } from '@tidemark/model';

import type { SmokeEngine } from './engine.ts';
import { withEngine } from './engine.ts';
import type { MeteredCall } from './meter.ts';

/**
 * Result of a promotion test. `promotes`: after the pause, the last call read all tokens that the promoting call left
 * in the cache. `does not`: the last call read fewer tokens. `unclear`: the promoting call did not read the short-lived
 * entry, or wrote no long-lived tokens.
 */
export interface Promotion {
  readonly outcome: 'promotes' | 'does not' | 'unclear';
  /** Usage of the three calls, in order: write, promote, read. */
  readonly usages: readonly Usage[];
  /** Tokens that the promoting call left in the cache. */
  readonly held: number;
  /** Tokens that the last call read after the pause. */
  readonly read: number;
}

/** Pause before the last call, in milliseconds. It is slightly longer than the short lifetime of five minutes. */
export const PROMOTION_PAUSE_MS = 315_000;
/** Number of calls in a promotion test. */
export const PROMOTION_CALLS = 3;

/**
 * Runs the promotion test and returns its result.
 *
 * @param pause waits for the given number of milliseconds
 * @throws ProviderError when a call failed.
 */
export async function tryPromotion(engine: SmokeEngine, pause: (ms: number) => Promise<void>): Promise<Promotion> {
  const { prompts } = engine.words;
  const written = await withEngine({ ...engine, ttl: '5m' }, undefined, async ({ id, ask }) => ({
    id,
    call: await ask(prompts[0]),
  }));
  const [promoting, reading] = await withEngine({ ...engine, ttl: '1h' }, written.id, async ({ ask }) => {
    const promote = await ask(prompts[1]);
    await pause(PROMOTION_PAUSE_MS);
    return [promote, await ask(prompts[2])] as const;
  });
  return judge(written.call, promoting, reading);
}

function judge(written: MeteredCall, promoting: MeteredCall, reading: MeteredCall): Promotion {
  const left = heldBy(written);
  const held = heldBy(promoting);
  const read = reading.usage.read ?? 0;
  const long = promoting.usage.writes?.find(({ ttl }) => ttl === '1h')?.tokens ?? 0;
  const tried = left > 0 && (promoting.usage.read ?? 0) >= left && long > 0;
  return {
    outcome: !tried ? 'unclear' : read >= held ? 'promotes' : 'does not',
    usages: [written.usage, promoting.usage, reading.usage],
    held,
    read,
  };
}

function heldBy({ usage: { read = 0, writes = [] } }: MeteredCall): number {
  return read + writtenTokens(writes);
}
