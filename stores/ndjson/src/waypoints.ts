// Places in a log file that are known to stand between two records, so that a later read begins near where it wants.
// They are hints: each is checked against the file before it is used (L9).

import type { SessionId } from '@tidemark/log';

/** A place between two records. */
export interface Waypoint {
  /** Position of the record that begins there. */
  readonly length: number;
  readonly offset: number;
}

/** What a store has learned of its files. */
export interface Waypoints {
  learn(session: SessionId, waypoint: Waypoint): void;
  /** The nearest one at or before a position. */
  before(session: SessionId, position: number): Waypoint | undefined;
  /** All of a session's: one did not fit its file. */
  forget(session: SessionId): void;
}

/** Nearer ones are not worth keeping. */
const SPACING = 262_144;

/** Knows nothing yet. */
export function createWaypoints(): Waypoints {
  const known = new Map<SessionId, Waypoint[]>();
  return {
    learn(session, waypoint) {
      const points = known.get(session) ?? [];
      const last = points.at(-1);
      if (last !== undefined && waypoint.offset <= last.offset) return;
      const crowded = last !== undefined && last.offset - (points.at(-2)?.offset ?? 0) < SPACING;
      if (crowded) points.pop();
      points.push(waypoint);
      known.set(session, points);
    },
    before: (session, position) => known.get(session)?.findLast((point) => point.length <= position),
    forget: (session) => void known.delete(session),
  };
}
