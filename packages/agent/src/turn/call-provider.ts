// One call to a provider, from its first byte to its end, whatever that is: finished, stopped by the user, failed. A provider
// that ignores its signal, or falls silent, is left behind.

import type { Answer, Outgoing, Provider, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Surroundings } from '../surroundings.ts';
import { OVER } from '../tools/unless-aborted.ts';
import type { GrowingAnswer, PartialAnswer } from './partial-answer.ts';
import { collectAnswer } from './partial-answer.ts';

/** How a call ended. */
export type Received =
  | { readonly end: 'finished'; readonly answer: Answer }
  | { readonly end: 'stopped'; readonly arrived: PartialAnswer }
  | { readonly end: 'failed'; readonly arrived: PartialAnswer; readonly error: ProviderError };

/** How to listen. */
export interface AnswerListening {
  readonly provider: Provider;
  readonly surroundings: Surroundings;
  readonly idleMs: number;
  /** Aborts when the user stops the answer. */
  readonly signal: AbortSignal;
  readonly hear: (part: StreamPart) => void;
}

/**
 * Sends and listens.
 *
 * @throws what the provider throws, if it is no ProviderError: then the provider is broken.
 */
export async function callProvider(outgoing: Omit<Outgoing, 'signal'>, listening: AnswerListening): Promise<Received> {
  const { provider, signal } = listening;
  const arriving = collectAnswer();
  const over = new AbortController();
  let iterator: AsyncIterator<StreamPart> | undefined;
  try {
    const stream = provider.send({ ...outgoing, signal: AbortSignal.any([signal, over.signal]) });
    iterator = stream[Symbol.asyncIterator]();
    return await listen(iterator, arriving, listening, over.signal);
  } catch (error) {
    const arrived = arriving.arrived();
    if (signal.aborted) return { end: 'stopped', arrived };
    if (error instanceof ProviderError) return { end: 'failed', arrived, error };
    throw error;
  } finally {
    over.abort(OVER);
    // Not awaited: a generator that hangs would never return. What it throws now concerns nobody.
    iterator?.return?.().catch(() => undefined);
  }
}

async function listen(
  iterator: AsyncIterator<StreamPart>,
  arriving: GrowingAnswer,
  listening: AnswerListening,
  over: AbortSignal,
): Promise<Received> {
  const { provider, surroundings, hear } = listening;
  let heardAt = surroundings.elapsed();
  const leaving = watch(listening, over, () => heardAt);
  for (;;) {
    const next = await Promise.race([iterator.next(), leaving]);
    if (next === 'stopped') return { end: 'stopped', arrived: arriving.arrived() };
    if (next === 'silent') throw silent(provider.name, listening.idleMs);
    if (next.done === true) throw cut(provider.name);
    heardAt = surroundings.elapsed();
    hear(next.value);
    if (next.value.type === 'finished') return { end: 'finished', answer: next.value.answer };
    arriving.take(next.value);
  }
}

/** Why to stop listening: the user said so, or nothing came for too long. */
async function watch(
  { surroundings, idleMs, signal }: AnswerListening,
  over: AbortSignal,
  heardAt: () => number,
): Promise<'stopped' | 'silent'> {
  const either = AbortSignal.any([signal, over]);
  for (let left = idleMs; left > 0; left = heardAt() + idleMs - surroundings.elapsed()) {
    await surroundings.wait(left, either);
    if (either.aborted) return 'stopped';
  }
  return 'silent';
}

function silent(provider: string, idleMs: number): ProviderError {
  const message = `nothing came from ${provider} for ${idleMs} ms: the call was cut. Next: send it again`;
  return new ProviderError('retryable', 'provider/silent', message, { provider });
}

function cut(provider: string): ProviderError {
  const message = `the stream of ${provider} ended before the answer was finished. Next: send it again`;
  return new ProviderError('retryable', 'provider/cut', message, { provider });
}
