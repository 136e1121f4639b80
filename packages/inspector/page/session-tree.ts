// Sessions as a tree: forks and subagents are below the session that they come from.

import type { components } from '@tidemark/client';

/** A session of the list with its figures. */
export type ListedSession = components['schemas']['ListedSession'];

/** A session and its place in the tree. */
export interface SessionRow {
  readonly session: ListedSession;
  /** Number of sessions above it. */
  readonly depth: number;
  /** Relation to the session above. Absent if the session is new, or if the session above is unknown. */
  readonly origin?: 'fork' | 'subagent';
}

/**
 * Returns the rows of the trees. The tree with the latest change is first. A session whose origin is not in the list is
 * a tree of its own.
 */
export function sessionTree(sessions: readonly ListedSession[]): readonly SessionRow[] {
  const byId = new Map(sessions.map((one) => [one.session, one]));
  const children = new Map<ListedSession | undefined, Set<ListedSession>>();
  // The first session of a list changed last, so each session takes the place of its first descendant.
  for (const one of sessions) placeBelowOrigin(one, byId, children);
  const rows: SessionRow[] = [];
  const open = [...(children.get(undefined) ?? [])].toReversed().map((session): SessionRow => ({ session, depth: 0 }));
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    rows.push(row);
    const depth = row.depth + 1;
    for (const session of [...(children.get(row.session) ?? [])].toReversed())
      open.push({ session, depth, origin: session.startedBy === null ? 'fork' : 'subagent' });
  }
  return rows;
}

function placeBelowOrigin(
  session: ListedSession,
  byId: ReadonlyMap<string, ListedSession>,
  children: Map<ListedSession | undefined, Set<ListedSession>>,
): void {
  let one = session;
  for (;;) {
    const origin = byId.get(one.startedBy ?? one.parent ?? '');
    const siblings = children.get(origin) ?? new Set();
    if (siblings.has(one)) return;
    children.set(origin, siblings.add(one));
    if (origin === undefined) return;
    one = origin;
  }
}
