// The fold from the records of one session to its calls. It keeps what the next call needs, whatever the session's length.

import { defined } from '@tidemark/core';
import type {
  AnswerReceived,
  CallForecast,
  EpochCause,
  EpochOpened,
  Miss,
  MissCause,
  Recorded,
  RecordedOf,
  RequestPrepared,
  SessionId,
  Timestamp,
  Usage,
} from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens, outputTokens, allWritten } from '@tidemark/model';
import { expectedInput } from '../state/scales.ts';
import type { LeftByCall } from './judge-import.ts';
import { judgeImport, leftBy } from './judge-import.ts';
import type { ModelCall } from './model-call.ts';

/** The fold after some records. */
export interface Following {
  /** Whose calls are told. A fork's log begins with records of its ancestors: they are followed, and told by those. */
  readonly session: SessionId;
  /** Whose record came last. */
  readonly owner: SessionId;
  readonly epoch: EpochOpened | undefined;
  /** Requests on their way, by stream. */
  readonly sent: { readonly [stream: string]: SentCall };
  /** Where a log holds no requests: what the call before left behind, and the cause of an epoch that opened since. */
  readonly left: LeftByCall | undefined;
  readonly opened: EpochOpened['cause'] | undefined;
  readonly unread: Unread;
}

interface SentCall {
  readonly at: Timestamp;
  readonly data: RequestPrepared;
  /** The causes of the epoch that it was made in. */
  readonly opened: readonly EpochOpened['cause'][];
}

/** Finds the row that prices a model's calls. */
export type RowOf = (provider: string, model: string) => Capabilities | undefined;

/** One more record, and the calls that are whole with it: each is told once, when it is known what became of its writes. */
export interface FollowedRecord {
  readonly following: Following;
  readonly calls: readonly ModelCall[];
}

/** Nothing read yet of this session. */
export function beginFollowing(session: SessionId): Following {
  return { session, owner: session, epoch: undefined, sent: {}, left: undefined, opened: undefined, unread: {} };
}

/** One more record. */
export function followRecord(following: Following, record: Recorded, rowOf: RowOf): FollowedRecord {
  switch (record.kind) {
    case 'session.created':
      return quiet({ ...following, owner: record.data.id });
    case 'epoch.opened':
      return quiet({ ...following, epoch: record.data, opened: record.data.cause });
    case 'request.prepared':
      return quiet({ ...following, sent: { ...following.sent, [record.data.stream]: sentAs(record, following) } });
    case 'answer.received':
    case 'answer.interrupted':
    case 'answer.failed':
      return takeEnd(following, record, rowOf);
    default:
      return quiet(following);
  }
}

/** The calls that wait at the end of the log for somebody to read what they wrote. */
export function endFollowing({ unread, session }: Following): readonly ModelCall[] {
  return stillUnread(unread).filter((call) => call.session === session);
}

function quiet(following: Following): FollowedRecord {
  return { following, calls: [] };
}

function sentAs({ at, data }: RecordedOf<'request.prepared'>, { epoch }: Following): SentCall {
  return { at, data, opened: epoch === undefined ? [] : [epoch.cause, ...(epoch.also ?? [])] };
}

type CallEnd = RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'> | RecordedOf<'answer.failed'>;

function takeEnd(following: Following, record: CallEnd, rowOf: RowOf): FollowedRecord {
  const { stream, usage } = record.data;
  const request = Object.hasOwn(following.sent, stream) ? following.sent[stream] : undefined;
  const { [stream]: _request, ...sent } = following.sent;
  const rest: Following = { ...following, sent };
  // What failed before anything was counted was not accepted: nobody bills it.
  if (usage === undefined && record.kind === 'answer.failed') return quiet(rest);
  const call = callOf(following, record, request, rowOf);
  if (call.billed !== undefined) return takeBilled(rest, call);
  const { unread, calls } = resolveUnread(following.unread, call, request?.data.history === 'none');
  const main = stream === 'main' ? { left: leftBy(call, following.left), opened: undefined } : {};
  return {
    following: { ...rest, unread, ...main },
    calls: calls.filter(({ session }) => session === following.session),
  };
}

/** A call that another record bills: the next one reads what it left, and only what goes beyond that record is told. */
function takeBilled(following: Following, call: ModelCall): FollowedRecord {
  const { usage, billed = {}, session } = call;
  const isWhole = outputTokens(usage) === outputTokens(billed) && inputTokens(usage) === inputTokens(billed);
  const next = call.stream === 'main' ? { left: leftBy(call, following.left), opened: undefined } : {};
  return { following: { ...following, ...next }, calls: isWhole || session !== following.session ? [] : [call] };
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
  });
  if (request === undefined) return data.stream === 'main' ? { ...call, ...judgeImport(call, following) } : call;
  return { ...call, ...judgeOwn(record, request) };
}

const UNKNOWN = { provider: 'unknown', model: 'unknown' };

const NOTHING_KNOWN: Partial<Pick<AnswerReceived, 'billed' | 'cost' | 'costAtMost' | 'estimated'>> = {};

function sentAt({ at, data }: CallEnd, request: SentCall | undefined): Timestamp {
  return request?.at ?? (data.startedAt === undefined ? at : timestamp(data.startedAt));
}

/** A call of our own: its request holds the forecast, and its answer the miss. */
function judgeOwn(
  record: CallEnd,
  { data, opened }: SentCall,
): Pick<ModelCall, 'held' | 'again' | 'unsent' | 'forecast'> {
  const { forecast } = data;
  const unsent = unsentOf(forecast, record.data.usage);
  const read = record.data.usage?.read;
  // A cut answer has no miss on record: what it could have read is not known.
  if (record.kind !== 'answer.received' || read === undefined) return { unsent, forecast };
  const { miss } = record.data;
  if (miss === undefined) return { held: read, unsent, forecast };
  return { held: read + miss.tokens, again: { ...miss, ...namedCauses(miss, opened) }, unsent, forecast };
}

/** The causes of a miss, a change of ours by the names of its epoch. */
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

/** What was forecast as new, at the size that the whole request turned out to have; what was read was no news. */
function unsentOf(forecast: CallForecast, usage: Usage = {}): number {
  const { unsent } = forecast;
  const expected = expectedInput(forecast);
  const input = inputTokens(usage) ?? expected;
  const scaled = expected === 0 ? input : Math.round((unsent * input) / expected);
  return Math.min(scaled, input - (usage.read ?? 0));
}

// Follows what became of each write. A cache is read from the front, so the unread part of a write is the end of a prefix. The
// next call that writes from further in front puts other entries in its place, and what was unread stays unread.

/** A call whose writes were not all read yet: the tokens from one place of its prefix to another. */
interface UnreadWrite {
  readonly call: ModelCall;
  readonly from: number;
  readonly to: number;
}

/** Calls that wait for a reader: by model, and apart for those that hold nothing of the conversation. */
export type Unread = { readonly [line: string]: UnreadWrite };

/** What one more call does to those that wait. */
export interface Resolved {
  readonly unread: Unread;
  /** Calls whose fate is known now. */
  readonly calls: readonly ModelCall[];
}

/** One more call: it reads what waits, and writes. `alone`: it holds nothing of the conversation but the front. */
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

/** The calls that still wait at the end of a log: a later call may read what they wrote. */
function stillUnread(unread: Unread): readonly ModelCall[] {
  return Object.values(unread).map(({ call, from, to }) => ({ ...call, unread: { wasted: 0, waiting: to - from } }));
}
