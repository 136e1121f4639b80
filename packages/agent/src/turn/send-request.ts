// Sends a prepared request and reads the answer to its end, for a step of a turn and for a side call; and the gate that keeps
// parallel calls from writing the same cache entry twice.

import { defined } from '@tidemark/core';
import type { State } from '@tidemark/context';
import { KEEP_WARM, LIFE, isAlive } from '@tidemark/context';
import type { MarkerRecord, RequestPrepared } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Answer, AnswerPart, Outgoing, Provider, StreamPart, Usage } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { OVER } from '../concurrency.ts';
import type { CacheWriteGate, Passage, Runtime } from '../ports/runtime.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import type { Surroundings } from '../ports/surroundings.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Session } from '../session/session.ts';

const IDLE_MS = 180_000;

/** What a request is sent with. */
export interface Sending {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly tell: (event: SessionEvent) => void;
}

/** Sends exactly the prepared bytes, and listens to the end. Nothing goes out once the signal has aborted. */
export async function sendRequest(
  sending: Sending,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  const { session, runtime, signal } = sending;
  if (runtime.gate === undefined) return send(sending, prepared, hear);
  const now = milliseconds(runtime.surroundings.now());
  const passage = await runtime.gate.enter(entriesToWrite(session.state, prepared.record.data, now), signal);
  try {
    return await send(sending, prepared, (part) => {
      passage.begun();
      hear(part);
    });
  } finally {
    passage.over();
  }
}

async function send(
  { session, runtime, signal, tell }: Sending,
  prepared: Prepared,
  hear: (part: StreamPart) => void,
): Promise<Received> {
  if (signal.aborted) return { end: 'stopped', arrived: NOTHING_SENT };
  const tooLarge = refuseTooLarge(prepared);
  if (tooLarge !== undefined) return { end: 'failed', arrived: NOTHING_SENT, error: tooLarge };
  showRequest(runtime, prepared, tell);
  const { body, betas, continues, record } = prepared;
  const { provider, surroundings, idleMs = IDLE_MS } = runtime;
  const lane = record.data.stream === 'main' ? session.state.session : undefined;
  const further = defined({ continues, lane });
  const { outputLimit } = record.data;
  return callProvider({ body, betas, outputLimit, ...further }, { provider, surroundings, idleMs, signal, hear });
}

/** A body above the limit is not sent: a server that cuts the upload short looks like a broken connection. */
function refuseTooLarge({ body, capabilities, epoch: { provider, model } }: Prepared): ProviderError | undefined {
  const { requestBytes } = capabilities;
  if (requestBytes === undefined || body.length <= requestBytes) return undefined;
  const message = `the request of ${body.length} bytes was not sent: ${model} takes ${requestBytes} at most. Next: compact, images first`;
  return new ProviderError('compaction', 'provider/too-large', message, { provider });
}

function showRequest({ onRequest }: Runtime, { body }: Prepared, tell: Sending['tell']): void {
  try {
    onRequest?.(body.slice());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `onRequest threw when it was shown a request: ${why}`;
    const next = 'The request goes out all the same. Correct onRequest: it only watches.';
    tell({ type: 'notice.raised', notice: { code: 'turn/on-request-failed', message, next } });
  }
}

// One call to a provider, from its first byte to its end: finished, stopped by the user, or failed. A provider that ignores its
// signal, or sends nothing for too long, is abandoned.

/** How a call ended. */
export type Received =
  | { readonly end: 'finished'; readonly answer: Answer }
  | { readonly end: 'stopped'; readonly arrived: PartialAnswer }
  | { readonly end: 'failed'; readonly arrived: PartialAnswer; readonly error: ProviderError };

/** How to listen. */
interface AnswerListening {
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
async function callProvider(outgoing: Omit<Outgoing, 'signal'>, listening: AnswerListening): Promise<Received> {
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

/** What of an answer has arrived so far: whole parts, and those that were still growing when the stream ended. */
interface PartialAnswer {
  readonly parts: ReadonlyMap<number, AnswerPart>;
  /** What the provider told when it began; absent while it has not. */
  readonly usage: Usage | undefined;
  /** Set where the request did not go out: nothing can be billed. */
  readonly unsent?: true;
  readonly response?: string;
  readonly model?: string;
}

/** The answer to a request that did not go out. */
const NOTHING_SENT: PartialAnswer = { parts: new Map(), usage: undefined, unsent: true };

/** A stream under way: `parts` grows in place, since a long answer comes in thousands of pieces. */
interface GrowingAnswer {
  readonly take: (part: Exclude<StreamPart, { readonly type: 'finished' }>) => void;
  readonly arrived: () => PartialAnswer;
}

/** Begins to collect. */
function collectAnswer(): GrowingAnswer {
  const parts = new Map<number, AnswerPart>();
  let began: Omit<PartialAnswer, 'parts'> = { usage: undefined };
  return {
    take(part) {
      if (part.type === 'began') {
        const { response, model, usage } = part;
        began = defined({ usage, response, model });
      } else parts.set(part.index, growPart(parts.get(part.index), part));
    },
    arrived: () => ({ ...began, parts }),
  };
}

type AnswerGrowth = Exclude<StreamPart, { readonly type: 'began' | 'finished' }>;

function growPart(before: AnswerPart | undefined, part: AnswerGrowth): AnswerPart {
  switch (part.type) {
    case 'part':
      return part.part;
    case 'text.delta':
      return { type: 'text', text: (before?.type === 'text' ? before.text : '') + part.text };
    case 'reasoning.delta':
      return { type: 'reasoning', text: (before?.type === 'reasoning' ? before.text : '') + part.text };
    case 'call.began':
      return { type: 'call', call: part.call, name: part.name, arguments: '' };
    case 'call.delta':
      return before?.type === 'call'
        ? { ...before, arguments: before.arguments + part.arguments }
        : { type: 'text', text: '' };
  }
}

/** As the answer that it would have become. */
export function asAnswer({
  parts,
  usage,
  unsent,
  response,
  model,
}: PartialAnswer): Omit<Answer, 'usage'> & Pick<PartialAnswer, 'usage' | 'unsent'> {
  const inOrder = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
  return {
    parts: inOrder,
    stop: 'other',
    truncated: 'unknown',
    usage,
    ...defined({ unsent, response, model }),
  };
}

/**
 * Returns a gate that no call holds, over a clock in milliseconds. Of several calls that share an entry that no cache holds yet,
 * the first goes out, and the others wait until its answer has begun: only then can they read what it wrote (provider facts 1.1,
 * availability). In parallel each would write it.
 */
export function createCacheWriteGate(elapsed: () => number): CacheWriteGate {
  const writing = new Map<string, Promise<void>>();
  const written = new Map<string, number>();
  const toWrite = (entries: readonly string[]): readonly string[] => {
    for (const [entry, end] of written) if (end <= elapsed()) written.delete(entry);
    return entries.filter((entry) => !written.has(entry));
  };
  return {
    async enter(entries, signal) {
      for (;;) {
        const own = toWrite(entries);
        const before = own.map((entry) => writing.get(entry)).find((one) => one !== undefined);
        if (before === undefined || signal.aborted) return claim(own, { writing, written, elapsed });
        await eitherOf(before, signal);
      }
    },
  };
}

async function eitherOf(before: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([before, aborted]);
  signal.removeEventListener('abort', abort);
}

interface Inside {
  readonly writing: Map<string, Promise<void>>;
  /** Until when each can be read at least. */
  readonly written: Map<string, number>;
  readonly elapsed: () => number;
}

function claim(entries: readonly string[], { writing, written, elapsed }: Inside): Passage {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = elapsed();
  for (const entry of entries) writing.set(entry, promise);
  const leave = (): void => {
    for (const entry of entries) if (writing.get(entry) === promise) writing.delete(entry);
    resolve();
  };
  return {
    begun() {
      for (const entry of entries) written.set(entry, begun + LIFE['5m']);
      leave();
    },
    over: leave,
  };
}

/** The entries that a prepared request will write, as far as the log knows. What is sent only to be kept writes for nobody here. */
function entriesToWrite(
  { cache }: State,
  { purpose, markers, sequence, counts }: RequestPrepared,
  now: number,
): readonly string[] {
  if (purpose === KEEP_WARM) return [];
  const alive = new Set<string>(cache.entries.filter((entry) => isAlive(entry, now)).map(({ prefix }) => prefix));
  const { tools, system, messages } = sequence.parameters;
  const parameters = ({ block }: MarkerRecord): string =>
    block < counts.tools ? tools : block < counts.tools + counts.system ? system : messages;
  return markers.filter(({ prefix }) => !alive.has(prefix)).map((marker) => `${marker.prefix} ${parameters(marker)}`);
}
