// Rows of one session: its calls, its breaks, its skill loads and its charges. They are made of records, without any
// database.

import type { LossCause, ModelCall } from '@tidemark/context';
import { NO_CALLS, accountOf, accountOfCharge, crossCheck, groupOf } from '@tidemark/context';
import type { Chain, Money, Position, RecordedOf, SessionCreated, SkillLoaded, Timestamp } from '@tidemark/log';
import { accountValues } from './account-columns.ts';

/** Names by which the totals of calls are kept. A missing contract or cause is an empty text. */
export interface TotalKey {
  /** UTC day on which the call was sent. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly contract: string;
  /** All causes for which the call paid tokens again, joined by ` + `. */
  readonly cause: string;
  /** 1 for a charge of a tool call, which has none of these names except the day. */
  readonly charge: 0 | 1;
}

/** Row of one call. */
export interface CallEntry extends TotalKey {
  /**
   * Position of the record that ended the call, or of the request record if the call has no recorded end. It identifies
   * the call in its session.
   */
  readonly answer: Position;
  /** Position of the request record, if the log has one. */
  readonly request: Position | null;
  readonly stream: string;
  readonly step: number;
  readonly at: Timestamp;
  /** Milliseconds from the request to its answer, if known. */
  readonly duration: number | null;
  /** Causes of the epoch that the call opened, joined by ` + `. */
  readonly opened: string | null;
  /** Tokens that earlier calls had left in the cache for this call, if known. */
  readonly held: number | null;
  /** Tokens that were written with a lifetime of one hour. They are a part of the written tokens. */
  readonly writtenForHour: number;
  /** Comparison of the provider's diagnosis with the causes that the log and the counts show. */
  readonly verdict: string | null;
  readonly forecastRead: number | null;
  readonly forecastWrite: number | null;
  readonly forecastFresh: number | null;
  readonly forecastCost: Money | null;
  /**
   * 1 if a later call can still read tokens that this call wrote, or if its end may still be recorded. The row is then
   * replaced by a later update.
   */
  readonly pending: 0 | 1;
  /** Values of the columns of the call's account. */
  readonly account: readonly number[];
}

/** Row of one break: a call that paid tokens again, or that opened an epoch after the first. */
export interface BreakEntry {
  readonly answer: Position;
  readonly request: Position | null;
  readonly stream: string;
  readonly step: number;
  readonly at: Timestamp;
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly contract: string;
  /** Causes of the miss, or of the opened epoch if no token was missed. */
  readonly causes: readonly LossCause[];
  /** Causes of the epoch that the call opened, joined by ` + `. */
  readonly opened: string | null;
  /** Tokens that were paid again. `null` if they are unknown. */
  readonly tokens: number | null;
  /** Additional cost of these tokens. `null` if it is unknown. */
  readonly cost: Money | null;
}

/** Row of one loading of a skill. */
export interface SkillEntry extends Pick<SkillLoaded, 'name' | 'version' | 'reason' | 'tokens' | 'source'> {
  readonly position: Position;
  readonly at: Timestamp;
  readonly day: string;
}

/** Row of one charge for a tool call. */
export interface ChargeEntry {
  readonly position: Position;
  readonly at: Timestamp;
  readonly day: string;
  readonly call: string;
  readonly service: string;
  readonly model: string | null;
  readonly requests: number;
  readonly cost: Money | null;
  /** Values of the columns of the charge's account. */
  readonly account: readonly number[];
}

/** New rows of a session. */
export interface SessionEntries {
  readonly calls: readonly CallEntry[];
  readonly breaks: readonly BreakEntry[];
  readonly skills: readonly SkillEntry[];
  readonly charges: readonly ChargeEntry[];
}

/** Place in a log: the number of records before it, and the chain value of the last of them. */
export interface LogTip {
  readonly length: number;
  readonly chain: Chain;
}

/** Facts about a session from its first own record, and the time of its latest record. */
export interface SessionFacts {
  readonly created: SessionCreated;
  readonly createdAt: Timestamp;
  readonly changedAt: Timestamp;
}

/** Returns the row of a call. */
export function callEntry(call: ModelCall, pending: 0 | 1): CallEntry {
  const { forecast } = call;
  const answer = call.answer ?? call.request;
  if (answer === undefined) throw new TypeError(`the call at ${call.at} is not recorded`);
  return {
    answer,
    request: call.request ?? null,
    stream: call.stream,
    step: call.step,
    at: call.at,
    day: dayOf(call.at),
    duration: call.duration ?? null,
    provider: call.provider,
    model: call.model,
    contract: call.contract ?? '',
    cause: groupOf('cause', call) ?? '',
    charge: 0,
    opened: openedIn(call),
    held: call.held ?? null,
    writtenForHour: call.usage.writes?.find(({ ttl }) => ttl === '1h')?.tokens ?? 0,
    verdict: verdictOf(call),
    forecastRead: forecast?.read ?? null,
    forecastWrite: forecast?.write ?? null,
    forecastFresh: forecast?.fresh ?? null,
    forecastCost: forecast?.cost ?? null,
    pending,
    account: accountValues(accountOf(call)),
  };
}

/** Returns the row of the break at a call, or `undefined` if the call only extends the calls before it. */
export function breakEntry(call: ModelCall): BreakEntry | undefined {
  const { answer, again, opened, held } = call;
  const isBreak = again !== undefined || (opened !== undefined && !opened.includes('initial'));
  if (!isBreak || answer === undefined) return undefined;
  return {
    answer,
    request: call.request ?? null,
    stream: call.stream,
    step: call.step,
    at: call.at,
    day: dayOf(call.at),
    provider: call.provider,
    model: call.model,
    contract: call.contract ?? '',
    causes: again === undefined ? (opened ?? []) : [again.cause, ...(again.also ?? [])],
    opened: openedIn(call),
    tokens: again?.tokens ?? (held === undefined ? null : 0),
    cost: again === undefined ? (held === undefined ? null : NO_CALLS.cost) : (again.cost ?? null),
  };
}

/** Returns the row of a skill that was loaded. */
export function skillEntry({ position, at, data }: RecordedOf<'skill.loaded'>): SkillEntry {
  const { name, version, reason, tokens, source } = data;
  return { position, at, day: dayOf(at), name, version, reason, tokens, source };
}

/** Returns the row of a charge. */
export function chargeEntry({ position, at, data }: RecordedOf<'tool.charged'>): ChargeEntry {
  const { call, service, model, requests, cost } = data;
  const account = accountValues(accountOfCharge(data));
  return { position, at, day: dayOf(at), call, service, model: model ?? null, requests, cost: cost ?? null, account };
}

/** Returns the names by which a charge is kept in the totals. */
export function keyOfCharge({ day }: ChargeEntry): TotalKey {
  return { day, provider: '', model: '', contract: '', cause: '', charge: 1 };
}

/**
 * Compares the provider's diagnosis with the causes, as `why` does. A cause that comes from the diagnosis itself is not
 * compared.
 */
function verdictOf({ diagnosis, again, opened = [] }: ModelCall): string | null {
  if (diagnosis === undefined) return null;
  const missed = again === undefined ? [] : [again.counted ?? again.cause, ...(again.also ?? [])];
  const causes = [...missed, ...opened].filter((cause) => cause !== 'initial');
  return causes.length === 0 && diagnosis.found !== 'miss' ? null : crossCheck(diagnosis, causes);
}

function dayOf(at: Timestamp): string {
  return at.slice(0, 10);
}

function openedIn({ opened }: ModelCall): string | null {
  return opened === undefined ? null : opened.join(' + ');
}
