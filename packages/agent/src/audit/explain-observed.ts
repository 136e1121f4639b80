// Explains the requests that another program recorded. L3 is not claimed for these requests, so each cause is derived.
// The two requests show the place of a break. The provider's counts show the missed tokens.

import { defined } from '@tidemark/core';
import type { Divergence, ModelCall, RowOf } from '@tidemark/context';
import { beginFollowing, endFollowing, firstDivergence, followRecord } from '@tidemark/context';
import type { Artifacts, EpochCause, Recorded, SessionId } from '@tidemark/log';
import type { Block } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { ObservedRequest } from './observed-requests.ts';
import { createObservedReader } from './observed-requests.ts';
import { isBreak } from './verify-observed.ts';

/** Explanation of one observed request, without its answer. */
export interface ObservedExplanation {
  readonly request: ObservedRequest;
  /** Milliseconds since the request before. */
  readonly gap?: number;
  readonly divergence?: Divergence;
  /** Cause of the break, derived from the two requests. Absent if the requests do not show it. */
  readonly derived?: EpochCause;
  readonly excerpt?: DifferenceExcerpt;
}

/** Text around the first different character of two blocks. */
export interface DifferenceExcerpt {
  readonly was: string;
  readonly is: string;
}

/** Takes the records of a session in order and explains its observed requests. */
export interface ObservedExplainer {
  /** @throws LogError as the store does. */
  take(record: Recorded): Promise<ObservedExplanation | undefined>;
  /** Returns the missed tokens of the calls, by step. Call it after the last record. */
  misses(): ReadonlyMap<number, NonNullable<ModelCall['again']>>;
}

/** Returns the row of the shipped catalog, because an imported log contains no row. */
export const rowOf: RowOf = (provider, model) => findModel(defaultCatalog(), model, provider);

/** Creates an explainer to which no record has been added yet. */
export function explainObserved(artifacts: Artifacts, session: SessionId): ObservedExplainer {
  const comparer = compareObserved(artifacts);
  const missed = new Map<number, NonNullable<ModelCall['again']>>();
  let following = beginFollowing(session);
  const note = (calls: readonly ModelCall[]): void => {
    for (const { stream, step, again } of calls) if (stream === 'main' && again !== undefined) missed.set(step, again);
  };
  return {
    take: (record) => {
      const followed = followRecord(following, record, rowOf);
      following = followed.following;
      note(followed.calls);
      return comparer.take(record);
    },
    misses: () => {
      note(endFollowing(following, rowOf));
      return missed;
    },
  };
}

/** Compares each observed request of a session with the previous one. Does not count missed tokens. */
export function compareObserved(artifacts: Artifacts): Pick<ObservedExplainer, 'take'> {
  const reader = createObservedReader(artifacts, { sized: true });
  let before: ObservedRequest | undefined;
  let compacted = false;
  return {
    take: async (record) => {
      compacted ||= record.kind === 'history.compacted';
      const request = await reader.read(record);
      if (request === undefined) return undefined;
      const explained = explain(before, request, compacted);
      [before, compacted] = [request, false];
      return explained;
    },
  };
}

function explain(
  before: ObservedRequest | undefined,
  request: ObservedRequest,
  compacted: boolean,
): ObservedExplanation {
  if (before === undefined) return { request };
  const gap = Date.parse(request.record.at) - Date.parse(before.record.at);
  const divergence = isBreak(before, request) ? firstDivergence(before.sequence, request.sequence) : undefined;
  if (divergence === undefined) return { request, gap };
  const derived = derivedCause(before, request, divergence, compacted);
  return { request, gap, divergence, ...defined({ derived, excerpt: excerptOf(divergence) }) };
}

function derivedCause(
  before: ObservedRequest,
  after: ObservedRequest,
  divergence: Divergence,
  compacted: boolean,
): EpochCause | undefined {
  if (divergence.at === 'parameters') return parameterCause(before, after);
  const { was, is } = divergence;
  const section = (is ?? was)?.section;
  if (section === 'tools' || was?.section === 'tools') return 'tools';
  if (section === 'system' || was?.section === 'system') return 'role';
  if (compacted) return 'compaction';
  return was !== undefined && is !== undefined && isSameResult(was, is) ? 'pruning' : undefined;
}

function parameterCause(before: ObservedRequest, after: ObservedRequest): EpochCause {
  if (before.record.data.model !== after.record.data.model) return 'model';
  const [was, is] = [before, after].map(({ parameters: { thinking, effort } }) => JSON.stringify([thinking, effort]));
  return was === is ? 'parameters' : 'reasoning';
}

function isSameResult(was: Block, is: Block): boolean {
  const isResult = was.holds === 'result' && is.holds === 'result';
  return (
    isResult && was.origin.from === 'event' && is.origin.from === 'event' && was.origin.position === is.origin.position
  );
}

/** Characters of an excerpt before and after the first difference. */
const BEFORE = 24;
const AFTER = 48;

/** Returns the texts around the first different character. `undefined` if the blocks do not show a difference. */
export function excerptOf(divergence: Divergence): DifferenceExcerpt | undefined {
  if (divergence.at === 'parameters' || divergence.was === undefined || divergence.is === undefined) return undefined;
  const was = divergence.was.head + divergence.was.tail;
  const is = divergence.is.head + divergence.is.tail;
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  return { was: around(was, at), is: around(is, at) };
}

function around(text: string, at: number): string {
  const [start, end] = [Math.max(0, at - BEFORE), Math.min(text.length, at + AFTER)];
  const cut = text.slice(start, end).toWellFormed();
  return `${start === 0 ? '' : '…'}${cut}${end === text.length ? '' : '…'}`;
}
