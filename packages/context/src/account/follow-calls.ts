// Converts the records of one session into calls, one record at a time. The state contains only the data that the next
// call needs, so its size does not depend on the length of the session.

import { defined } from '@tidemark/core';
import type {
  AnswerReceived,
  EpochCause,
  EpochOpened,
  Miss,
  MissCause,
  Event,
  EventOf,
  Kind,
  Position,
  Recorded,
  RecordedOf,
  SessionId,
  Timestamp,
} from '@tidemark/log';
import { milliseconds, timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens, outputTokens, allWritten } from '@tidemark/model';
import type { ObservedFront } from './arrivals.ts';
import { arrivedTokens, observedChange, observedFront } from './arrivals.ts';
import type { Between, LeftByCall } from './judge-import.ts';
import { judgeImport, leftBy } from './judge-import.ts';
import type { ModelCall } from './model-call.ts';
import type { SentCall } from './sent-call.ts';
import { causesOf, cutOffCall, sentCall, unsentOf, UNKNOWN } from './sent-call.ts';

/** State of the conversion after the records so far. */
export interface Following {
  /**
   * Session whose calls are returned. A fork's log begins with records of its ancestors. These records update the
   * state, but their calls are returned only when the ancestor itself is followed.
   */
  readonly session: SessionId;
  /** Session that the latest record belongs to. */
  readonly owner: SessionId;
  readonly epoch: EpochOpened | undefined;
  /** Requests that have no end yet, by stream. */
  readonly sent: { readonly [stream: string]: SentCall };
  /**
   * Cache state after the previous call of the main stream. It is used for a call without a request record. `opened` is
   * the cause of an epoch that opened after the previous call.
   */
  readonly left: LeftByCall | undefined;
  readonly opened: EpochOpened['cause'] | undefined;
  /** Estimated tokens of the texts that were recorded after the previous call of the main stream. */
  readonly arrived: number;
  /** Latest recorded request of another program. */
  readonly observed: ObservedFront | undefined;
  /** Recorded request of the previous call. */
  readonly answered: ObservedFront | undefined;
  readonly unread: Unread;
}

/** Returns the catalog row that prices the calls of a model, or `undefined` if the model is unknown. */
export type RowOf = (provider: string, model: string) => Capabilities | undefined;

/**
 * State after one more record, and the calls that can now be returned. A call is returned only one time: after it is
 * known how many of its written tokens were read, or that it was cut off.
 */
export interface FollowedRecord {
  readonly following: Following;
  readonly calls: readonly ModelCall[];
}

/** Returns the initial state for a session. */
export function beginFollowing(session: SessionId): Following {
  return {
    session,
    owner: session,
    epoch: undefined,
    sent: {},
    unread: {},
    observed: undefined,
    answered: undefined,
    ...NOTHING_SENT,
  };
}

/** State of the main stream before its first call. */
const NOTHING_SENT = { left: undefined, opened: undefined, arrived: 0 };

/** Returns the state after one more record, and the calls that can be returned because of this record. */
export function followRecord(following: Following, record: Event | Recorded, rowOf: RowOf): FollowedRecord {
  switch (record.kind) {
    case 'session.created':
      return quiet({ ...following, owner: record.data.id });
    case 'epoch.opened':
      return quiet({ ...following, epoch: record.data, opened: record.data.cause });
    case 'request.prepared':
      return takeRequest(following, record, rowOf);
    case 'answer.received':
    case 'answer.interrupted':
    case 'answer.failed':
      return takeEnd(following, record, rowOf);
    case 'request.observed':
      return quiet({ ...following, observed: observedFront(record.data) });
    default:
      return quiet(withArrival(following, record));
  }
}

/**
 * Adds a request. An earlier request of the same stream that has no end was cut off: a stream sends its requests one
 * after the other, and a failed attempt has an end (`answer.failed`).
 */
function takeRequest(following: Following, record: RecordOf<'request.prepared'>, rowOf: RowOf): FollowedRecord {
  const { sent, session } = following;
  const { stream } = record.data;
  const before = Object.hasOwn(sent, stream) ? sent[stream] : undefined;
  const isOwn = before?.session === session;
  return {
    following: { ...following, sent: { ...sent, [stream]: sentCall(record, following) } },
    calls: before !== undefined && isOwn ? [cutOffCall(before, rowOf(before.provider, before.model))] : [],
  };
}

/** Adds the estimated size of a record's texts to `arrived`. */
function withArrival(following: Following, record: Event | Recorded): Following {
  const tokens = arrivedTokens(record);
  return tokens === 0 ? following : { ...following, arrived: following.arrived + tokens };
}

/**
 * Returns the remaining calls at the end of the log. A later call could still read tokens that they wrote. The calls of
 * requests without an end come last: they were cut off, or their answer is still arriving.
 */
export function endFollowing({ unread, sent, session }: Following, rowOf: RowOf): readonly ModelCall[] {
  const open = Object.values(sent).map((one) => cutOffCall(one, rowOf(one.provider, one.model)));
  return [...stillUnread(unread), ...open].filter((call) => call.session === session);
}

function quiet(following: Following): FollowedRecord {
  return { following, calls: [] };
}

/** An event, or the record of it. Only a record has a position. */
type RecordOf<K extends Kind> = EventOf<K> | RecordedOf<K>;

function positionOf(record: Event | Recorded): Position | undefined {
  return 'position' in record ? record.position : undefined;
}

type CallEnd = RecordOf<'answer.received'> | RecordOf<'answer.interrupted'> | RecordOf<'answer.failed'>;

function takeEnd(following: Following, record: CallEnd, rowOf: RowOf): FollowedRecord {
  const { stream, usage } = record.data;
  const request = Object.hasOwn(following.sent, stream) ? following.sent[stream] : undefined;
  const { [stream]: _request, ...sent } = following.sent;
  const rest: Following = { ...following, sent };
  // A call that failed without a usage was not accepted by the provider and is not billed.
  if (usage === undefined && record.kind === 'answer.failed') return quiet(rest);
  const call = callOf(following, record, request, rowOf);
  if (call.billed !== undefined) return takeBilled(rest, call, record);
  const { unread, calls } = resolveUnread(following.unread, call, request?.data.history === 'none');
  const main = stream === 'main' ? afterCall(call, record, following) : {};
  return {
    following: { ...rest, unread, ...main },
    calls: calls.filter(({ session }) => session === following.session),
  };
}

/**
 * Adds a call that another record bills. The cache state after the call is kept, because the next call reads from the
 * cache. The call is returned only if its usage exceeds the billed usage. A copy that was cut off has less output.
 */
function takeBilled(following: Following, call: ModelCall, record: CallEnd): FollowedRecord {
  const { usage, billed = {}, session } = call;
  const isWhole =
    (outputTokens(usage) ?? 0) <= (outputTokens(billed) ?? 0) && inputTokens(usage) === inputTokens(billed);
  const next = call.stream === 'main' ? afterCall(call, record, following) : {};
  return { following: { ...following, ...next }, calls: isWhole || session !== following.session ? [] : [call] };
}

/**
 * Returns the state of the main stream after a call. The texts of the answer are counted in `arrived`, because the next
 * call sends them.
 */
function afterCall(call: ModelCall, record: CallEnd, { left, observed }: Following): Partial<Following> {
  return { left: leftBy(call, left), opened: undefined, arrived: arrivedTokens(record), answered: observed };
}

function callOf(following: Following, record: CallEnd, request: SentCall | undefined, rowOf: RowOf): ModelCall {
  const { epoch, owner } = following;
  const { data } = record;
  const { provider, model } = record.kind === 'answer.failed' ? (epoch ?? UNKNOWN) : record.data;
  const { billed, cost, costAtMost, estimated } = record.kind === 'answer.failed' ? NOTHING_KNOWN : record.data;
  const row = rowOf(provider, model);
  const contract = epoch?.contract;
  const call: ModelCall = defined({
    session: owner,
    stream: data.stream,
    step: data.step,
    at: sentAt(record, request),
    duration: durationOf(record, request),
    request: request?.position ?? data.request,
    answer: positionOf(record),
    opened: openedBy(following, data.stream),
    provider,
    model,
    usage: data.usage ?? {},
    unread: { wasted: 0, waiting: 0 },
    contract,
    billed: billed?.usage,
    cost,
    costAtMost,
    estimated,
    row,
    diagnosis: 'diagnosis' in data ? data.diagnosis : undefined,
  });
  if (request === undefined)
    return data.stream === 'main' ? { ...call, ...judgeImport(call, between(following, record)) } : call;
  return { ...call, ...judgeOwn(record, request) };
}

function between({ left, opened, arrived, observed, answered }: Following, { data }: CallEnd): Between {
  const diagnosis = 'diagnosis' in data ? data.diagnosis : undefined;
  return { left, opened, arrived, ...defined({ diagnosis, observed: observedChange(answered, observed) }) };
}

const NOTHING_KNOWN: Partial<Pick<AnswerReceived, 'billed' | 'cost' | 'costAtMost' | 'estimated'>> = {};

function sentAt({ at, data }: Pick<CallEnd, 'at' | 'data'>, request: SentCall | undefined): Timestamp {
  return request?.at ?? (data.startedAt === undefined ? at : timestamp(data.startedAt));
}

/** Returns the milliseconds from the request to its answer. Unknown if a clock went back. */
function durationOf({ at, data }: CallEnd, request: SentCall | undefined): number | undefined {
  if (request === undefined && data.startedAt === undefined) return undefined;
  const passed = milliseconds(at) - milliseconds(sentAt({ at, data }, request));
  return passed < 0 ? undefined : passed;
}

/** Returns the causes of the epoch if this call is its first call. Only calls of the main stream open epochs. */
function openedBy({ epoch, opened }: Following, stream: string): readonly EpochCause[] | undefined {
  return stream === 'main' && opened !== undefined && epoch !== undefined ? causesOf(epoch) : undefined;
}

/**
 * Returns three token counts of a call that this runtime sent: the tokens that it could have read (`held`), the tokens
 * that it paid again (`again`), and the tokens that it sent for the first time (`unsent`). The forecast is in the
 * request record, and the miss is in the answer record.
 */
function judgeOwn(
  record: CallEnd,
  { data, opened }: SentCall,
): Pick<ModelCall, 'held' | 'again' | 'unsent' | 'forecast'> {
  const { forecast } = data;
  const unsent = unsentOf(forecast, record.data.usage);
  const read = record.data.usage?.read;
  // The record of an interrupted or failed answer contains no miss, so the tokens that the call could have read are
  // unknown.
  if (record.kind !== 'answer.received' || read === undefined) return { unsent, forecast };
  const { miss } = record.data;
  if (miss === undefined) return { held: read, unsent, forecast };
  return { held: read + miss.tokens, again: { ...miss, ...namedCauses(miss, opened) }, unsent, forecast };
}

/** Returns the causes of a miss. The cause `opened` is replaced by the causes of the epoch that was opened. */
function namedCauses(
  { cause, also = [] }: Miss,
  opened: SentCall['opened'],
): Pick<NonNullable<ModelCall['again']>, 'cause' | 'also'> {
  const named = [cause, ...also].flatMap((one): readonly (EpochCause | MissCause)[] =>
    one === 'opened' && opened.length > 0 ? opened : [one],
  );
  const [first = cause, ...rest] = named;
  return { cause: first, ...(rest.length === 0 ? {} : { also: rest }) };
}

// The next functions track each write until it is read or wasted. A cache entry is read from its beginning, so the
// unread part of a write is always the end of a prefix. If a later call with the same key in `Unread` writes, no call
// can read this part any more.

/**
 * A call with written tokens that are not all read yet. `from` and `to` are the token offsets of the unread part in the
 * prefix of the call's request.
 */
interface UnreadWrite {
  readonly call: ModelCall;
  readonly from: number;
  readonly to: number;
}

/** Calls with unread writes, by provider and model. Calls whose request contains no history have a separate key. */
export type Unread = { readonly [line: string]: UnreadWrite };

/** Effect of one more call on the calls with unread writes. */
export interface Resolved {
  readonly unread: Unread;
  /** Calls whose wasted tokens are now known. */
  readonly calls: readonly ModelCall[];
}

/**
 * Applies one more call, which reads cache entries of earlier calls and writes its own. `alone` is true if the request
 * contains the front but no history.
 */
function resolveUnread(before: Unread, call: ModelCall, alone: boolean): Resolved {
  const { read } = call.usage;
  const written = allWritten(call.usage);
  if (read === undefined || written === undefined) return { unread: before, calls: [call] };
  const line = `${call.provider} ${call.model}`;
  const name = alone ? `${line} alone` : line;
  const moved = readBy(before, line, read);
  const replaced = Object.hasOwn(moved, name) ? moved[name] : undefined;
  const { [name]: _replaced, ...others } = moved;
  const stays = written === 0 && replaced !== undefined ? { [name]: replaced } : {};
  const joins = written === 0 ? {} : { [name]: { call, from: read, to: read + written } };
  const done = written === 0 ? [call] : replaced === undefined ? [] : [wastedWrite(replaced)];
  return { unread: { ...others, ...stays, ...joins }, calls: done };
}

function readBy(unread: Unread, line: string, read: number): Unread {
  const moved = Object.entries(unread)
    .filter(([name]) => name === line || name === `${line} alone`)
    .map(([name, one]) => [name, { ...one, from: Math.min(one.to, Math.max(one.from, read)) }] as const);
  return { ...unread, ...Object.fromEntries(moved) };
}

function wastedWrite({ call, from, to }: UnreadWrite): ModelCall {
  return { ...call, unread: { wasted: to - from, waiting: 0 } };
}

function stillUnread(unread: Unread): readonly ModelCall[] {
  return Object.values(unread).map(({ call, from, to }) => ({ ...call, unread: { wasted: 0, waiting: to - from } }));
}
