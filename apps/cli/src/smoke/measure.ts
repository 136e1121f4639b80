// Measures the cache with up to six calls. The first call sends the engine's first request. The second sends the same
// bytes again (transport). The third sends the engine's next request (contract). The other three calls send the first
// request again with one change: at its end, at the end of the front, or in its first sentence.

import { defined } from '@tidemark/core';
import type { Outgoing } from '@tidemark/model';
import { inputTokens, writtenTokens } from '@tidemark/model';

import type { SmokeEngine } from './engine.ts';
import { withEngine } from './engine.ts';
import type { MeteredCall } from './meter.ts';
import type { RequestPlace } from './words.ts';

/**
 * Names of the calls in a smoke test, in order. The first three calls are required. The other calls are made if the
 * price limit allows them.
 */
export const PROBES = ['first', 'same-bytes', 'next-request', 'tail', 'front-end', 'first-sentence'] as const;
/** Name of one call in a smoke test. */
export type ProbeName = (typeof PROBES)[number];
/** Number of calls that a verdict needs. */
export const NEEDED = 3;

/** Usage of one call, in tokens. A field is absent if the provider did not report it. */
export interface Probe {
  readonly name: ProbeName;
  readonly input?: number;
  readonly fresh?: number;
  readonly read?: number;
  readonly written?: number;
}

/**
 * Verdict on a request. `hit`: the request read all tokens that the earlier call read or wrote. `miss`: the request did
 * not read all these tokens. `unknown`: the provider does not report its cache reads.
 */
export type ReadVerdict = 'hit' | 'miss' | 'unknown';

/** Result of a smoke test. */
export interface SmokeResult {
  readonly probes: readonly Probe[];
  /** Verdict for the first request when it is sent again with the same bytes. */
  readonly transport: ReadVerdict;
  /** Verdict for the engine's next request after its first request. */
  readonly contract: ReadVerdict;
}

/**
 * Makes the first `calls` of the probes and returns their verdicts.
 *
 * @throws ProviderError when a call failed.
 */
export async function measureSmoke(engine: SmokeEngine, calls: number): Promise<SmokeResult> {
  const probes = await withEngine(engine, undefined, async ({ ask }) => {
    const { meter, words } = engine;
    const first = await ask(words.prompts[0]);
    const again = await meter.send(first.outgoing);
    const next = await ask(words.prompts[1]);
    const made = [first, again, next];
    for (const name of PROBES.slice(NEEDED, calls)) {
      if (isPlace(name)) made.push(await meter.send(replaceWords(first.outgoing, words.changes[name])));
    }
    return made.map((call, index) => probeOf(PROBES[index] ?? 'first', call));
  });
  const [first, again, next] = probes;
  return { probes, transport: judge(first, again), contract: judge(first, next) };
}

function isPlace(name: ProbeName): name is RequestPlace {
  return name === 'tail' || name === 'front-end' || name === 'first-sentence';
}

/**
 * Replaces words in the body of a request.
 *
 * @throws Error when the words do not occur exactly one time. In that case, the request was not built from these words.
 */
function replaceWords(outgoing: Outgoing, [was, is]: readonly [string, string]): Outgoing {
  const parts = new TextDecoder().decode(outgoing.body).split(was);
  if (parts.length !== 2)
    throw new Error(`the request contains this text ${parts.length - 1} times instead of once: ${was}`);
  return { ...outgoing, body: new TextEncoder().encode(parts.join(is)) };
}

function probeOf(name: ProbeName, { usage }: MeteredCall): Probe {
  const { fresh, read, writes } = usage;
  const input = inputTokens(usage);
  return defined({ name, input, fresh, read, written: writes === undefined ? undefined : writtenTokens(writes) });
}

/**
 * Returns `hit` if `after` read everything that `before` read or wrote. If the provider does not report its writes,
 * `after` must read at least as many tokens as `before` read, and more than 0. If one of the calls has no count of read
 * tokens, returns `unknown`.
 */
function judge(before: Omit<Probe, 'name'> | undefined, after: Omit<Probe, 'name'> | undefined): ReadVerdict {
  if (before?.read === undefined || after?.read === undefined) return 'unknown';
  const left = before.read + (before.written ?? 0);
  return after.read > 0 && after.read >= left ? 'hit' : 'miss';
}
