// Branch of a state, for records that are folded on trial. The lists of a state share their buffers with later states. If
// a record is folded into the state itself on trial, the next real record has to copy these buffers, and the prompt
// stream of the session is no longer valid.

import { appendOnly, slice } from '../base/append-only.ts';
import type { State } from '../state/state.ts';
import { ownCalls } from './settle.ts';

/**
 * Returns an equal state that shares no growing list with `state`. Records that are folded into it leave `state` and its
 * lists unchanged. Copies references only: a span is not copied.
 */
export function branchState(state: State): State {
  const { history, turns, directives, problems } = state;
  return {
    ...state,
    turns: appendOnly(slice(turns)),
    directives: appendOnly(slice(directives)),
    problems: appendOnly(slice(problems)),
    history: { ...history, packed: appendOnly(slice(history.packed)), calls: new Map(ownCalls(history)) },
  };
}
