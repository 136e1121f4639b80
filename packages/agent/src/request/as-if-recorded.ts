// The state as it will be behind one more record: what a request is made from before all of them are appended together.

import type { EventOf } from '@tidemark/log';
import { CHAIN_START, position } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { evolve } from '@tidemark/context';

/** What stands in front of a request. */
type Opening =
  | EventOf<'epoch.opened'>
  | EventOf<'history.pruned'>
  | EventOf<'tools.changed'>
  | EventOf<'reasoning.changed'>;

/** See the head of this file. */
export function asIfRecorded(state: State, event: Opening): State {
  return evolve(state, { ...event, v: 1, position: position(state.length), fence: 0, chain: CHAIN_START });
}
