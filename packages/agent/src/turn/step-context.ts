// A turn at work: what it works with, and what its loop keeps of it while it runs here.

import type { TurnTaken } from '../decide/limits.ts';
import { NOTHING_SPENT } from '../session/spent.ts';
import type { WantedFor } from './wanted.ts';
import type { TurnContext } from './turn-context.ts';

/** See the head of this file. */
export interface StepContext extends TurnContext {
  readonly wantedFor: WantedFor;
  /** By `surroundings.elapsed`. */
  readonly begunAt: number;
  /** Steps whose rewrite was said, and agreed to where somebody was asked. */
  readonly said: Set<number>;
}

/** What the turn has taken up to now. */
export function takenBy({ session, runtime, begunAt }: StepContext): TurnTaken {
  const spent = session.progress.turn?.spent ?? NOTHING_SPENT;
  return { spent, ms: runtime.surroundings.elapsed() - begunAt };
}
