// The calls that wait for their closing event, in call order.

import type { CallId, Event, Timestamp, ToolAbandoned, TurnId } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { State } from '@tidemark/context';
import type { Progress } from '../session/progress.ts';

/** See the head of this file. */
export function openCalls({ history: { batch } }: State): readonly CallId[] {
  if (batch === undefined) return [];
  return batch.calls.filter(({ call }) => !batch.closed.has(call)).map(({ call }) => callId(call));
}

/** When a decision is written, and for which turn. */
export interface Stamp {
  readonly at: Timestamp;
  readonly turn: TurnId | undefined;
}

/** The envelope of an event that belongs to a turn. */
export function stamped({ at, turn }: Stamp): Pick<Event, 'at' | 'turn'> {
  return turn === undefined ? { at } : { at, turn };
}

/** Closes every open call of a turn that ends: what had begun for this reason, the others as never begun. */
export function abandonAll(
  { state, progress }: { readonly state: State; readonly progress: Progress },
  begun: 'interrupted' | 'crashed',
  stamp: Stamp,
): readonly Event[] {
  return openCalls(state).map((call) => abandon(call, progress.started.has(call) ? begun : 'unstarted', stamp));
}

/** Closes a call that will never return. */
export function abandon(call: CallId, reason: ToolAbandoned['reason'], stamp: Stamp): Event {
  return { kind: 'tool.abandoned', ...stamped(stamp), data: { call, reason } };
}
