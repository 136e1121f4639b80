// A session of the list with its main figures.

import type { SessionReport } from '@tidemark/analytics';

/** A session of the list with its main figures, and what the server runs of it. */
export interface ListedSession {
  readonly session: string;
  readonly root: string;
  /** Session that this one was forked from. */
  readonly parent: string | null;
  /** Session that started this one as its subagent. */
  readonly startedBy: string | null;
  readonly workspace: string;
  readonly title: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
  /** Number of records, ancestors included. */
  readonly records: number;
  readonly problem: string | null;
  readonly calls: number;
  readonly paid: string | null;
  /** Number of calls whose cost is unknown and not in `paid`. */
  readonly unpriced: number;
  readonly hitRate: number | null;
  readonly breaks: number;
  /** Cost of the tokens that were paid again, above the price of reading them. */
  readonly lost: string | null;
  readonly running: boolean;
  /** Number of questions that wait for an answer. */
  readonly questions: number;
}

/** Returns a session of the list. */
export function listedSession(
  { cost, cache, ...facts }: SessionReport,
  live: Pick<ListedSession, 'running' | 'questions'>,
): ListedSession {
  return {
    ...facts,
    calls: cost.calls,
    paid: cost.paid.cost,
    unpriced: cost.paid.unpriced,
    hitRate: cache.hitRate,
    lost: cost.lost.cost,
    ...live,
  };
}
