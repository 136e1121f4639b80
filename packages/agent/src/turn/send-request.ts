// Sends a prepared request and reads the whole answer, for a step of a turn and for a side call. Also contains the gate
// that prevents parallel calls from writing the same cache entry twice.

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

export interface Sending {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly tell: (event: SessionEvent) => void;
}

/**
 * Sends exactly the prepared bytes and reads the whole answer. Calls `hear` for each part that arrives. Nothing is sent
 * after the signal is aborted.
 */
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

/**
 * Returns an error for a body above the size limit. Such a body is not sent. If it were sent, a server might close the
 * connection during the upload, which would look like a network failure.
 */
function refuseTooLarge({ body, capabilities, epoch: { provider, model } }: Prepared): ProviderError | undefined {
  const { requestBytes } = capabilities;
  if (requestBytes === undefined || body.length <= requestBytes) return undefined;
  const message = `the request of ${body.length} bytes was not sent: the maximum of ${model} is ${requestBytes} bytes`;
  return new ProviderError('compaction', 'provider/too-large', message, { provider, next: 'compact, images first' });
}

function showRequest({ onRequest }: Runtime, { body }: Prepared, tell: Sending['tell']): void {
  try {
    onRequest?.(body.slice());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `onRequest threw an error: ${why}`;
    const next = 'The request is sent anyway. Fix onRequest, which only observes requests.';
    tell({ type: 'notice.raised', notice: { code: 'turn/on-request-failed', message, next } });
  }
}

// Runs one call to a provider until its end. The call finishes, fails, or is stopped by the user. If a provider ignores
// its signal or sends nothing for too long, the call is abandoned.

/** Result of a call: finished, stopped by the user, or failed. */
export type Received =
  | { readonly end: 'finished'; readonly answer: Answer }
  | { readonly end: 'stopped'; readonly arrived: PartialAnswer }
  | { readonly end: 'failed'; readonly arrived: PartialAnswer; readonly error: ProviderError };

interface AnswerListening {
  readonly provider: Provider;
  readonly surroundings: Surroundings;
  readonly idleMs: number;
  /** Aborts when the user stops the answer. */
  readonly signal: AbortSignal;
  readonly hear: (part: StreamPart) => void;
}

/**
 * Sends the request and reads the answer.
 *
 * @throws the provider's error, if it is not a ProviderError. The provider then has a bug.
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
    // The call is not awaited, because a generator that hangs would never return. If the generator throws after the
    // call, the error has no effect.
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
    if (next === 'silent') throw silenceError(provider.name, listening.idleMs);
    if (next.done === true) throw cut(provider.name);
    heardAt = surroundings.elapsed();
    hear(next.value);
    if (next.value.type === 'finished') return { end: 'finished', answer: next.value.answer };
    arriving.take(next.value);
  }
}

/**
 * Waits until reading must stop. Resolves with `stopped` if the user stopped the call, or with `silent` if nothing
 * arrived for `idleMs` milliseconds.
 */
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

function silenceError(provider: string, idleMs: number): ProviderError {
  const message = `${provider} sent no data for ${idleMs} ms, so the call was stopped`;
  return new ProviderError('retryable', 'provider/silent', message, { provider, next: 'send it again' });
}

function cut(provider: string): ProviderError {
  const message = `the stream of ${provider} ended before the answer was finished`;
  return new ProviderError('retryable', 'provider/cut', message, { provider, next: 'send it again' });
}

/** Part of an answer that has arrived: whole parts, and parts that were incomplete when the stream ended. */
interface PartialAnswer {
  readonly parts: ReadonlyMap<number, AnswerPart>;
  /** Usage that the provider reported when the answer began. Before that, it is `undefined`. */
  readonly usage: Usage | undefined;
  /** Set if the request was not sent, so nothing can be billed. */
  readonly unsent?: true;
  readonly response?: string;
  readonly model?: string;
}

const NOTHING_SENT: PartialAnswer = { parts: new Map(), usage: undefined, unsent: true };

interface GrowingAnswer {
  readonly take: (part: Exclude<StreamPart, { readonly type: 'finished' }>) => void;
  readonly arrived: () => PartialAnswer;
}

/**
 * Starts collecting the parts of an answer. `parts` is changed in place, because a long answer arrives in thousands of
 * pieces.
 */
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

/**
 * Converts a partial answer to the form of an answer. `stop` is `other`. If the provider reported no usage, `usage` is
 * `undefined`.
 */
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
 * Returns a new cache write gate over a clock in milliseconds. Several calls may share an entry that no cache contains
 * yet. Then the first call is sent, and the other calls wait until its answer has begun. Earlier they could not read
 * the new entry (provider facts 1.1, availability), and each of them would write it again.
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
        if (before === undefined) return claim(own, { writing, written, elapsed });
        // A stopped call is never sent. If it claimed the entries, later calls would not wait for the call that really
        // writes them.
        if (signal.aborted) return claim([], { writing, written, elapsed });
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
  /** Time until which each entry can certainly be read, in milliseconds of `elapsed`. */
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

/**
 * Returns the entries that a prepared request will write, according to the log. Returns an empty list for a request
 * that only keeps the cache warm.
 */
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
