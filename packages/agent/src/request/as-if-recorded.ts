// The state as it will be behind one more record: what a request is made from before all of them are appended together.

import type { Event } from '@tidemark/log';
import { CHAIN_START, position } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { evolve } from '@tidemark/context';

/** See the head of this file. */
export function asIfRecorded(state: State, event: Event): State {
  return evolve(state, { ...event, v: 1, position: position(state.length), fence: 0, chain: CHAIN_START });
}
