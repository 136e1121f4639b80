// Arranges sessions as a tree. Each fork follows its parent and is one level deeper. Each subagent follows the session
// that it works for and is one level deeper.

import type { SessionSummary } from '@tidemark/log';

/** Session, with its distance from its topmost ancestor in the list. */
export interface PlacedSession<S extends SessionSummary> {
  readonly session: S;
  readonly depth: number;
}

/** Returns the session with depth 0, for a list without a tree. */
export function atRoot<S extends SessionSummary>(session: S): PlacedSession<S> {
  return { session, depth: 0 };
}

/**
 * Returns the tree line by line. Sessions without a parent in the list have the order of the list. After a session come
 * its subagents, oldest first. Then come its forks, sorted by the position at which each fork begins.
 */
export function flatTree<S extends SessionSummary>(sessions: readonly S[]): readonly PlacedSession<S>[] {
  const listed = new Set<string>(sessions.map(({ session }) => session));
  const children = Map.groupBy(sessions, ({ parent, startedBy }) => {
    const above = parent?.session ?? startedBy?.session;
    return above !== undefined && listed.has(above) ? above : undefined;
  });
  const lines: PlacedSession<S>[] = [];
  const open = (children.get(undefined) ?? []).map((session) => atRoot(session)).toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    lines.push(next);
    const depth = next.depth + 1;
    const below = (children.get(next.session.session) ?? []).toSorted(byPlace);
    open.push(...below.map((session): PlacedSession<S> => ({ session, depth })).toReversed());
  }
  return lines;
}

function byPlace(a: SessionSummary, b: SessionSummary): number {
  const places = (a.parent?.position ?? -1) - (b.parent?.position ?? -1);
  return places === 0 ? a.createdAt.localeCompare(b.createdAt) : places;
}
