// How fast a session calls: providers that route by key send what exceeds about 15 calls a minute of one key to another machine,
// whose cache is its own. A family shares a key, so a fast child leaves it early, while there is little to read again.

import type { SessionId, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';

/** Calls of a minute that a child may make under the family's key: half of what a provider takes, as there are others. */
const MOST = 8;
/** Calls of a minute that one machine takes of one key, about (provider facts 2.1). */
const MACHINE = 15;
const MINUTE = 60_000;

/** What is known of it. */
export interface Pace {
  /** When the latest calls of this session were sent, at most as many as one machine takes. */
  readonly recent: readonly Timestamp[];
  /** The session whose own key is in force: this one, or the one that it was forked from. */
  readonly own: SessionId | undefined;
}

/** Nothing sent yet. */
export const NO_PACE: Pace = { recent: [], own: undefined };

/**
 * The pace with one more call. A child that makes more than 8 within a minute leaves the family's key, for good: a key that
 * changes costs one reading of everything. The root keeps it, however fast it is, as leaving would change nothing for it.
 */
export function addCall({ recent, own }: Pace, at: Timestamp, session: SessionId | undefined, isRoot: boolean): Pace {
  const fast = within(recent, MOST, at);
  return { recent: [...recent, at].slice(-1 - MACHINE), own: fast && !isRoot ? session : own };
}

/** Whether this session alone, with the call that was sent then, called more often than one machine takes. */
export function isCrowded({ recent }: Pace, at: Timestamp): boolean {
  const before = recent.filter((one) => milliseconds(one) < milliseconds(at));
  return within(before, MACHINE, at);
}

/** Whether the last so many calls lie within the minute before. */
function within(recent: readonly Timestamp[], calls: number, at: Timestamp): boolean {
  const first = recent.at(-calls);
  return recent.length >= calls && first !== undefined && milliseconds(at) - milliseconds(first) < MINUTE;
}
