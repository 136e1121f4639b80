// Sessions as they stand in a list.

import { defined } from '@tidemark/core';
import type { SessionBeginning } from './beginning.ts';
import type { SessionFilter, SessionSummary } from './port.ts';

/** What the store knows of a session beside its first record. */
export type SummaryExtra = Pick<SessionSummary, 'changedAt' | 'bytes'>;

/** A session as its first record describes it. */
export function summaryOf({ session, record }: SessionBeginning, extra: SummaryExtra): SessionSummary {
  const { root, parent, startedBy, workspace, title } = record.data;
  return {
    session,
    root,
    ...defined({ parent, startedBy, workspace, title }),
    createdAt: record.at,
    ...extra,
  };
}

/** Whether a session passes a filter; `since` is inclusive, `until` exclusive. */
export function passes(summary: SessionSummary, filter: SessionFilter): boolean {
  if (filter.workspace !== undefined && summary.workspace !== filter.workspace) return false;
  if (filter.parent !== undefined && summary.parent?.session !== filter.parent) return false;
  if (filter.since !== undefined && summary.createdAt < filter.since) return false;
  return filter.until === undefined || summary.createdAt < filter.until;
}

/** Newest first; equal times by name. */
export function newestFirst(a: SessionSummary, b: SessionSummary): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.session < b.session ? -1 : 1;
}
