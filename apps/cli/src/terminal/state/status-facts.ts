// Facts of the status line, folded from the events of a session.

import type { SessionEvent } from '@tidemark/agent';
import type { Gauge } from '@tidemark/context';
import type { NextCall, NextCallPrice } from '@tidemark/kit';
import type { Money, Recorded, RecordedOf, RenderParameters } from '@tidemark/log';
import { money } from '@tidemark/log';
import { inputTokens, sumOfMoney } from '@tidemark/model';

import type { KnownCost } from '../../reports/line-cost.ts';
import { costIn, hidesCost, sentAfter } from '../../reports/line-cost.ts';

/** Facts of the status line. A field is absent if it is unknown or does not apply. */
export interface StatusFacts {
  readonly model?: string;
  readonly effort?: string;
  readonly branch?: string;
  readonly gauge?: Gauge;
  /** Share of the last call's input that came from the cache, from 0 to 1. */
  readonly hitRate?: number;
  /** Known cost of the session, of its ended subagents, and of the sessions that it continues (see `costBefore`). */
  readonly cost?: Money;
  /** True if the cost of a turn or a call is unknown, so that `cost` is a lower bound. */
  readonly costsMore?: true;
  /** Streams whose request has no recorded end. Absent if there are none. */
  readonly sent?: readonly string[];
  /** Forecast of the call that a prompt would make now. */
  readonly next?: NextCall;
  /** Time until which a planned request keeps the cache entry alive, in milliseconds since 1970. */
  readonly warmUntil?: number;
  /** Subagents that run now. */
  readonly subagents: number;
  /** Background processes that run now. */
  readonly processes: number;
  /** Number of events so far after which the next call can be another one. Its forecast is then outdated. */
  readonly changes: number;
}

/** Facts of a session without records. */
export const NO_FACTS: StatusFacts = { subagents: 0, processes: 0, changes: 0 };

/** Kinds of records after which the next call can be another one. The end of a turn is seen in the state. */
const CHANGING: ReadonlySet<Recorded['kind']> = new Set<Recorded['kind']>([
  'history.compacted',
  'mode.changed',
  'reasoning.set',
  'notification.received',
  'context.noted',
]);

/** Returns the facts after an event. */
export function foldStatus(facts: StatusFacts, event: SessionEvent): StatusFacts {
  switch (event.type) {
    case 'recorded':
      return counted(foldStatusRecord(facts, event.record), CHANGING.has(event.record.kind));
    case 'status.changed':
      return { ...facts, gauge: event.gauge };
    case 'processes.changed':
      return { ...facts, processes: event.processes.filter(({ running }) => running).length };
    case 'cache.warming': {
      const { warmUntil: _before, ...rest } = facts;
      return counted(event.plan === undefined ? rest : { ...rest, warmUntil: Date.parse(event.plan.until) }, true);
    }
    default:
      return facts;
  }
}

function counted(facts: StatusFacts, changes: boolean): StatusFacts {
  return changes ? { ...facts, changes: facts.changes + 1 } : facts;
}

/** Returns the facts after a committed record. */
export function foldStatusRecord(facts: StatusFacts, record: Recorded): StatusFacts {
  const { sent: before = [], ...others } = facts;
  const sent = sentAfter(before, record);
  const bound = hidesCost(record, before) ? { costsMore: true as const } : {};
  return { ...afterRecord(others, record), ...bound, ...(sent.length > 0 && { sent }) };
}

/** Returns the facts of a session that no process runs. A request of it that has no recorded end was cut off. */
export function withCutOff(facts: StatusFacts): StatusFacts {
  const { sent, ...rest } = facts;
  return sent === undefined ? facts : { ...rest, costsMore: true };
}

function afterRecord(facts: StatusFacts, record: Recorded): StatusFacts {
  switch (record.kind) {
    case 'session.created':
      // The first records of a fork belong to its parent. `withCostBefore` adds what the parent paid.
      return { ...withoutBound(facts), subagents: 0, cost: money('0') };
    case 'epoch.opened':
      return withModel(facts, record.data.model, record.data.parameters);
    case 'reasoning.changed':
      return { ...facts, effort: record.data.setting };
    case 'request.prepared':
      return withoutForecast(facts);
    case 'answer.received':
      return foldAnswerFacts(facts, record);
    case 'answer.interrupted':
    case 'tool.charged':
      return withCost(facts, costIn(record));
    case 'subagent.started':
      return { ...facts, subagents: facts.subagents + 1 };
    case 'subagent.ended':
      return withCost({ ...facts, subagents: Math.max(0, facts.subagents - 1) }, costIn(record));
    default:
      return facts;
  }
}

/** Returns the facts with a new forecast. Without a forecast, the last one is removed. */
export function withForecast(facts: StatusFacts, next: NextCall | undefined): StatusFacts {
  if (next === undefined) return withoutForecast(facts);
  return { ...withModel(facts, next.model, next.parameters), next, gauge: next.gauge };
}

/** Returns the facts of a fork with the cost of the sessions that it continues. */
export function withCostBefore(facts: StatusFacts, { cost, more }: KnownCost): StatusFacts {
  return { ...withCost(facts, cost), ...(more && { costsMore: true }) };
}

function withoutBound(facts: StatusFacts): StatusFacts {
  const { costsMore: _costsMore, ...rest } = facts;
  return rest;
}

function withoutForecast(facts: StatusFacts): StatusFacts {
  const { next: _next, ...rest } = facts;
  return rest;
}

/** The last hit rate is that of the model that answered, so another model has none before its first answer. */
function withModel(facts: StatusFacts, model: string, parameters: RenderParameters): StatusFacts {
  const { effort: _effort, hitRate, ...other } = facts;
  const rest = hitRate === undefined || model !== facts.model ? other : { ...other, hitRate };
  const effort = effortOf(parameters);
  return { ...rest, model, ...(effort !== undefined && { effort }) };
}

/** Names under which the catalog rows of the providers keep the effort. */
const EFFORT_NAMES: readonly string[] = ['effort', 'reasoning.effort', 'reasoning_effort'];

function effortOf(parameters: RenderParameters): string | undefined {
  const [, effort] =
    Object.entries(parameters).find(([name, value]) => EFFORT_NAMES.includes(name) && typeof value === 'string') ?? [];
  return typeof effort === 'string' ? effort : undefined;
}

function foldAnswerFacts(facts: StatusFacts, { data }: RecordedOf<'answer.received'>): StatusFacts {
  const paid = withCost(facts, data.cost);
  if (data.stream !== 'main') return paid;
  const { hitRate: _before, ...rest } = paid;
  const input = inputTokens(data.usage);
  const { read } = data.usage;
  return input === undefined || input === 0 || read === undefined ? rest : { ...rest, hitRate: read / input };
}

function withCost(facts: StatusFacts, cost: string | undefined): StatusFacts {
  return cost === undefined ? facts : { ...facts, cost: money(sumOfMoney([facts.cost ?? '0', cost])) };
}

/**
 * Returns the forecast of the next call at this time: before the cache entry expires, or after it. If the runtime
 * compacts before the call, it is the forecast after the compaction.
 */
export function priceOfNext({ next }: StatusFacts, now: number): NextCallPrice | undefined {
  if (next?.compacted !== undefined) return { ...next.compacted, reported: false };
  if (next?.expires === undefined || next.expired === undefined) return next;
  return now >= Date.parse(next.expires) ? next.expired : next;
}
