// The turns of a session, one at a time, in the order in which they were asked for.

import type { TurnId } from '@tidemark/log';
import type { TurnBeginning } from './begin-turn.ts';
import type { EventFeed } from './event-feed.ts';
import type { FinishedTurn, Turn } from './live-session.ts';

/** A turn that was asked for. */
export interface QueuedTurn {
  readonly beginning: TurnBeginning;
  readonly feed: EventFeed;
  readonly settle: (end: Promise<FinishedTurn>) => void;
}

/** A turn at work. */
export interface RunningTurn {
  readonly turn: TurnId;
  readonly abort: AbortController;
  /** Whoever listens to this turn. */
  readonly feed: EventFeed;
  /** Settles once the turn stands in the log, or will not. */
  readonly begun: Promise<void>;
  /** Settles when the turn is over, however it ended; never rejects. */
  readonly over: Promise<void>;
}

/** A turn for the caller, and the request for it. A rejection that nobody awaits is no unhandled one. */
export function askForTurn(
  beginning: TurnBeginning,
  feed: EventFeed,
): { readonly asked: QueuedTurn; readonly turn: Turn } {
  const { promise, resolve } = Promise.withResolvers<FinishedTurn>();
  promise.catch(() => undefined);
  const turn: Turn = {
    [Symbol.asyncIterator]: () => feed.listen(),
    // A turn is awaited for its end: see `Turn`.
    // oxlint-disable-next-line unicorn/no-thenable
    then: (onEnd, onError) => promise.then(onEnd, onError),
  };
  return { asked: { beginning, feed, settle: resolve }, turn };
}
