// Builds, filters and sorts the entries of a session list.

import { defined } from '@tidemark/core';
import type { SessionBeginning } from './beginning.ts';
import type { SessionFilter, SessionSummary } from './port.ts';

/** Values of a summary that come from the store and not from the session's first record. */
export type SummaryExtra = Pick<SessionSummary, 'changedAt' | 'bytes'>;

/** Returns the summary of a session, made from its first own record and the values of the store. */
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

/** Checks if a session matches a filter. `since` is inclusive, `until` is exclusive. */
export function passes(summary: SessionSummary, filter: SessionFilter): boolean {
  if (filter.workspace !== undefined && summary.workspace !== filter.workspace) return false;
  if (filter.parent !== undefined && summary.parent?.session !== filter.parent) return false;
  if (filter.since !== undefined && summary.createdAt < filter.since) return false;
  return filter.until === undefined || summary.createdAt < filter.until;
}

/** Compares two sessions by creation time, newest first. Equal times are ordered by session id. */
export function newestFirst(a: SessionSummary, b: SessionSummary): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.session < b.session ? -1 : 1;
}
