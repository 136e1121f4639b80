// Requests of one session, in the order of its log: those that this runtime sent, those that another program sent and
// recorded, and those of an import whose recording contains only the conversation. Each is rebuilt when it is shown.

import type { Encoders, ObservedReader, ObservedRequest } from '@tidemark/agent';
import { createObservedReader, newHash, rebuildRequest } from '@tidemark/agent';
import type { AppendOnly, Sequence, State } from '@tidemark/context';
import { emptyState, evolve, itemAt } from '@tidemark/context';
import type { AnswerReceived, Chain, EpochCause, Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { CHAIN_START } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { conversationSequence } from './conversation-sequence.ts';

/**
 * Way in which a request is known. `sent`: this runtime sent it, and its bytes are rebuilt. `observed`: another program
 * sent it and recorded it. `imported`: the recording contains no request, so it is shown as it would have been sent.
 */
export type RequestSource = 'sent' | 'observed' | 'imported';

/** Kind and time of a record. */
export interface RecordName {
  readonly kind: string;
  readonly at: string;
}

/** Answer of a request, as far as this page needs it. */
export type AnswerOfRequest = Pick<AnswerReceived, 'usage'> &
  Partial<Pick<AnswerReceived, 'cost' | 'miss'>> & { readonly position: number };

/** One request of a session, not yet rebuilt. */
export interface KnownRequest {
  readonly source: RequestSource;
  /** Position of its record: the request, or the answer of an imported call. */
  readonly position: number;
  readonly step: number;
  readonly stream: string;
  readonly purpose: string;
  readonly at: string;
  readonly model: string;
  readonly provider: string;
  readonly state: State;
  readonly prepared?: RecordedOf<'request.prepared'>;
  readonly observed?: ObservedRequest;
  /** Causes of the epoch that the request opened. */
  readonly opened?: readonly EpochCause[];
  answer?: AnswerOfRequest;
}

/** Requests of a session up to the end of its log. */
export interface SessionRequests {
  readonly session: SessionId;
  readonly requests: readonly KnownRequest[];
  /** Kinds and times of all records, by position. */
  readonly names: readonly RecordName[];
  /** Returns the blocks of a request with its running digests and sums. */
  sequence(request: KnownRequest): Promise<RequestSequence>;
}

/** Blocks of a rebuilt request. */
export interface RequestSequence {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities | undefined;
  /** True if the rebuilt blocks have the digest that was recorded. Absent if none was recorded. */
  readonly verified?: boolean;
}

/** Reads the requests of sessions. */
export type RequestReader = (session: SessionId) => Promise<SessionRequests>;

/** Number of sessions whose requests are kept in memory. */
const SESSIONS_KEPT = 3;

/**
 * Creates a reader that keeps the fold of the sessions that were read last. A session that was read before costs only
 * its new records.
 */
export function createRequestReader(log: Log, encoders: Encoders): RequestReader {
  const held = new Map<SessionId, Promise<RequestsReading>>();
  return async (session) => {
    const before = held.get(session);
    held.delete(session);
    const reading = readOn(log, encoders, session, before);
    held.set(session, reading);
    for (const oldest of held.keys()) if (held.size > SESSIONS_KEPT) held.delete(oldest);
    try {
      return await reading;
    } catch (error) {
      if (held.get(session) === reading) held.delete(session);
      throw error;
    }
  };
}

interface RequestsReading extends SessionRequests {
  readonly requests: KnownRequest[];
  readonly names: RecordName[];
  /** Absent in a session of this runtime, which contains no requests of other programs. */
  observer: ObservedReader | undefined;
  readonly open: Map<number, KnownRequest>;
  imported: boolean;
  state: State;
  chain: Chain;
}

/** Adds the records that are new. If the log is not the one that was read before, reads it from its beginning. */
async function readOn(
  log: Log,
  encoders: Encoders,
  session: SessionId,
  before: Promise<RequestsReading> | undefined,
): Promise<RequestsReading> {
  const known = await before?.catch(() => undefined);
  const from = known === undefined ? 0 : Math.max(0, known.state.length - 1);
  let reading = known;
  for await (const record of log.read(session, from)) {
    if (record.position === from && reading !== undefined && from > 0) {
      if (record.chain !== reading.chain) return readOn(log, encoders, session, undefined);
      continue;
    }
    reading ??= beginReading(log, encoders, session);
    if (record.kind === 'session.created' && record.data.imported !== undefined)
      reading.observer ??= createObservedReader(log.artifacts, { sized: true });
    // A wait at each record would take time, and most sessions have no observer.
    addRecord(reading, record, reading.observer && (await reading.observer.read(record)));
  }
  return reading ?? beginReading(log, encoders, session);
}

function beginReading(log: Log, encoders: Encoders, session: SessionId): RequestsReading {
  const longest = new Map<number, Promise<RequestSequence>>();
  const requests: KnownRequest[] = [];
  return {
    session,
    requests,
    names: [],
    observer: undefined,
    open: new Map(),
    imported: false,
    state: emptyState(),
    chain: CHAIN_START,
    sequence: (request) => sequenceOf({ log, encoders, requests, longest }, request),
  };
}

function addRecord(reading: RequestsReading, record: Recorded, observed: ObservedRequest | undefined): void {
  const { kind, at, position } = record;
  reading.state = evolve(reading.state, record);
  reading.chain = record.chain;
  reading.names.push({ kind, at });
  if (observed !== undefined) return addRequest(reading, observedRequest(observed, reading.state));
  switch (record.kind) {
    case 'session.created':
      reading.imported = record.data.imported !== undefined;
      return;
    case 'request.prepared':
      return addRequest(reading, sentRequest(record, reading.state));
    case 'answer.received':
    case 'answer.interrupted': {
      const { request, usage = {}, cost } = record.data;
      const miss = record.kind === 'answer.received' ? record.data.miss : undefined;
      const answer: AnswerOfRequest = { position, usage, ...(cost && { cost }), ...(miss && { miss }) };
      const asked = request === undefined ? importedRequest(reading, record) : reading.open.get(request);
      if (asked !== undefined) asked.answer = answer;
      return;
    }
    default:
  }
}

function addRequest(reading: RequestsReading, request: KnownRequest): void {
  reading.requests.push(request);
  reading.open.set(request.position, request);
}

function sentRequest(prepared: RecordedOf<'request.prepared'>, state: State): KnownRequest {
  const { data, position, at } = prepared;
  const { step, stream, purpose, relation } = data;
  const epoch = state.epoch?.opened;
  return {
    source: 'sent',
    position,
    step,
    stream,
    purpose,
    at,
    state,
    prepared,
    model: epoch?.model ?? '',
    provider: epoch?.provider ?? '',
    ...(relation === 'opens' && stream === 'main' && { opened: openingCauses(state) }),
  };
}

function openingCauses({ epoch }: State): readonly EpochCause[] {
  return epoch === undefined ? [] : [epoch.opened.cause, ...(epoch.opened.also ?? [])];
}

function observedRequest(observed: ObservedRequest, state: State): KnownRequest {
  const { data, position, at } = observed.record;
  const { step, stream, purpose = 'main', model, provider } = data;
  return { source: 'observed', position, step, stream, purpose, at, model, provider, state, observed };
}

function importedRequest(
  reading: RequestsReading,
  { position, at, data }: RecordedOf<'answer.received' | 'answer.interrupted'>,
): KnownRequest | undefined {
  if (!reading.imported) return undefined;
  const { step, stream, model, provider } = data;
  const before = reading.requests.findLast((one) => one.source === 'imported' && one.stream === stream);
  const opens = before !== undefined && before.state.epoch?.position !== reading.state.epoch?.position;
  const request: KnownRequest = {
    source: 'imported',
    position,
    step,
    stream,
    purpose: 'main',
    model,
    provider,
    at: data.startedAt ?? at,
    state: reading.state,
    ...(opens && { opened: openingCauses(reading.state) }),
  };
  addRequest(reading, request);
  return request;
}

interface Rebuilding {
  readonly log: Log;
  readonly encoders: Encoders;
  readonly requests: readonly KnownRequest[];
  /** Blocks of the longest rebuilt request, by the position of its epoch. */
  readonly longest: Map<number, Promise<RequestSequence>>;
}

async function sequenceOf(rebuilding: Rebuilding, request: KnownRequest): Promise<RequestSequence> {
  const { prepared, observed } = request;
  const row = findModel(defaultCatalog(), request.model, request.provider);
  if (observed !== undefined) {
    const { digest, record } = observed;
    const verified = record.data.digest === undefined ? undefined : digest === record.data.digest;
    return { sequence: observed.sequence, capabilities: row, ...(verified !== undefined && { verified }) };
  }
  if (prepared === undefined)
    return {
      sequence: conversationSequence(request.state, request.model, request.position, newHash),
      capabilities: row,
    };
  if (request.stream !== 'main') return rebuild(rebuilding, request);
  const whole = await longestOf(rebuilding, request);
  const { blocks, digest } = prepared.data.sequence;
  const cut = cutSequence(whole.sequence, blocks);
  if (itemAt(cut.prefixes, -1) === digest) return { ...whole, sequence: cut, verified: true };
  return rebuild(rebuilding, request);
}

/** Returns the longest request of the epoch of a request. The requests of an epoch are beginnings of it (L3). */
async function longestOf(rebuilding: Rebuilding, request: KnownRequest): Promise<RequestSequence> {
  const { longest, requests } = rebuilding;
  const epoch = request.state.epoch?.position ?? -1;
  const held = await longest.get(epoch);
  if (held !== undefined && held.sequence.blocks.length >= (request.prepared?.data.sequence.blocks ?? 0)) return held;
  const last = requests.findLast((one) => one.stream === 'main' && one.state.epoch?.position === epoch) ?? request;
  const made = rebuild(rebuilding, last);
  longest.set(epoch, made);
  // The first key is the oldest. A session rarely shows more than two epochs at once.
  for (const oldest of longest.keys()) if (longest.size > EPOCHS_KEPT) longest.delete(oldest);
  made.catch(() => longest.delete(epoch));
  return made;
}

const EPOCHS_KEPT = 4;

async function rebuild({ log, encoders }: Rebuilding, request: KnownRequest): Promise<RequestSequence> {
  const { prepared, state } = request;
  if (prepared === undefined) throw new TypeError('only a sent request can be rebuilt');
  const { promptStream, digest } = await rebuildRequest(log, { record: prepared, state }, encoders);
  const { sequence, materials } = promptStream;
  return { sequence, capabilities: materials.capabilities, verified: digest === prepared.data.digest };
}

/** Returns the first `blocks` blocks of a sequence. */
export function cutSequence(sequence: Sequence, blocks: number): Sequence {
  const cut = <T>({ buffer, length }: AppendOnly<T>): AppendOnly<T> => ({ buffer, length: Math.min(length, blocks) });
  const { prefixes, tokens, thinking, media } = sequence;
  return {
    ...sequence,
    blocks: cut(sequence.blocks),
    prefixes: cut(prefixes),
    tokens: cut(tokens),
    thinking: cut(thinking),
    media: cut(media),
  };
}
