// What the next command makes of a turn that was cut: opening a session wrote nothing, so this is decided now, in one append.

import type { CallId, Event, TurnBegan } from '@tidemark/log';
import type { State } from '@tidemark/context';
import type { Progress } from '../session/progress.ts';
import { totalsOf } from '../session/spent.ts';
import type { Stamp } from './open-calls.ts';
import { abandon, abandonAll, openCalls, stamped } from './open-calls.ts';

/** What the command is: `resume` goes on, any other ends the turn that was cut. */
export type RecoveryCommand = 'resume' | 'other';

/** Whether there is a turn to go on with: one that was cut, failed, was interrupted or limited. */
export function isResumable({ state, progress }: Folded): boolean {
  return (
    state.turn !== undefined || (progress.turn?.ended !== undefined && progress.turn.ended.outcome !== 'completed')
  );
}

/** The two folds of a session. */
export interface Folded {
  readonly state: State;
  readonly progress: Progress;
}

/**
 * The events that recover. On `resume` a call that began and could have changed something is abandoned, since nobody knows
 * whether it did; one that never began runs, whatever it is: the barrier before a tool proves that it did not.
 */
export function recover(
  folded: Folded,
  command: RecoveryCommand,
  stamp: Stamp,
  began: TurnBegan = { trigger: 'user' },
): readonly Event[] {
  return command === 'resume' ? goOn(folded, stamp, began) : leave(folded, stamp);
}

function goOn({ state, progress }: Folded, stamp: Stamp, data: TurnBegan): readonly Event[] {
  const lost = openCalls(state).filter((call) => mayHaveActed(progress, call));
  return [{ kind: 'turn.resumed', ...stamped(stamp), data }, ...lost.map((call) => abandon(call, 'crashed', stamp))];
}

function mayHaveActed({ started }: Progress, call: CallId): boolean {
  const effect = started.get(call);
  return effect !== undefined && effect !== 'none' && effect !== 'read';
}

function leave({ state, progress }: Folded, { at }: Stamp): readonly Event[] {
  const stamp: Stamp = { at, turn: progress.turn?.id };
  const closed = abandonAll({ state, progress }, 'crashed', stamp);
  return state.turn === undefined ? closed : [...closed, interrupted(progress, stamp)];
}

/** The user ends the running turn: what is still open is closed, and the turn with it. */
export function interruption(folded: Folded, stamp: Stamp): readonly Event[] {
  return [...abandonAll(folded, 'interrupted', stamp), interrupted(folded.progress, stamp)];
}

function interrupted({ turn }: Progress, stamp: Stamp): Event {
  const totals = turn === undefined ? {} : { totals: totalsOf(turn.spent) };
  return { kind: 'turn.ended', ...stamped(stamp), data: { outcome: 'interrupted', ...totals } };
}
