// The smoke itself: the engine's first request, the same bytes again (transport), the engine's next request (contract), and
// the first one changed at its tail, at the end of the front and in its first sentence.

import { defined } from '@tidemark/core';
import type { Outgoing } from '@tidemark/model';
import { inputTokens, writtenTokens } from '@tidemark/model';

import type { SmokeEngine } from './engine.ts';
import { withEngine } from './engine.ts';
import type { MeteredCall } from './meter.ts';
import type { RequestPlace } from './words.ts';

/** What each call of a smoke is, in their order. The first three must be made; the others where the price allows. */
export const PROBES = ['first', 'same-bytes', 'next-request', 'tail', 'front-end', 'first-sentence'] as const;
/** One call of a smoke. */
export type ProbeName = (typeof PROBES)[number];
/** How many calls a verdict needs. */
export const NEEDED = 3;

/** What a call came to, in tokens. Absent is what the provider did not tell. */
export interface Probe {
  readonly name: ProbeName;
  readonly input?: number;
  readonly fresh?: number;
  readonly read?: number;
  readonly written?: number;
}

/** Whether what the first call left was read. */
export type ReadVerdict = 'hit' | 'miss' | 'unknown';

/** What a smoke measured. */
export interface SmokeResult {
  readonly probes: readonly Probe[];
  /** The same bytes, sent twice. */
  readonly transport: ReadVerdict;
  /** The engine's own two requests. */
  readonly contract: ReadVerdict;
}

/**
 * Makes the first `calls` of the probes.
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

/** @throws Error where the words do not stand in the body exactly once: the request is not what it was made from. */
function replaceWords(outgoing: Outgoing, [was, is]: readonly [string, string]): Outgoing {
  const parts = new TextDecoder().decode(outgoing.body).split(was);
  if (parts.length !== 2) throw new Error(`the request holds ${parts.length - 1} times, not once: ${was}`);
  return { ...outgoing, body: new TextEncoder().encode(parts.join(is)) };
}

/** A call by its usage. */
function probeOf(name: ProbeName, { usage }: MeteredCall): Probe {
  const { fresh, read, writes } = usage;
  const input = inputTokens(usage);
  return defined({ name, input, fresh, read, written: writes === undefined ? undefined : writtenTokens(writes) });
}

/** Where the provider tells what it writes, all of that must be read; where writes are free and not told, something. */
function judge(before: Omit<Probe, 'name'> | undefined, after: Omit<Probe, 'name'> | undefined): ReadVerdict {
  if (before?.read === undefined || after?.read === undefined) return 'unknown';
  const left = before.read + (before.written ?? 0);
  return after.read > 0 && after.read >= left ? 'hit' : 'miss';
}
