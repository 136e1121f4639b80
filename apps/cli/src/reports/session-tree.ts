// Sessions as a tree: each fork behind the session that it leaves, each subagent behind the one that it works for, one step
// deeper.

import type { SessionSummary } from '@tidemark/log';

/** A session, and how far it is from the first of its line that is in the list. */
export interface PlacedSession<S extends SessionSummary> {
  readonly session: S;
  readonly depth: number;
}

/** A session of a plain list. */
export function atRoot<S extends SessionSummary>(session: S): PlacedSession<S> {
  return { session, depth: 0 };
}

/** The tree in the order of its lines. Roots keep the order of the list; subagents stand by age, then forks by where they leave. */
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
