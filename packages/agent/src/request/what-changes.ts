// What a request needs in front of it: an epoch that opens, or what is appended inside the one that is open. The bytes that
// its record names are kept here, before anything names them.

import type { Event, EventOf } from '@tidemark/log';
import type { Wanted } from '@tidemark/context';
import { neededChange, openEpoch } from '@tidemark/context';
import type { Capabilities, Encoder } from '@tidemark/model';
import { keepFront, keepTools } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Session } from '../session/session.ts';

/** See the head of this file. One of the two is always empty. */
export interface Changing {
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'>)[];
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

/** What is asked for. */
interface Asked {
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  readonly beside?: unknown;
}

/** Decides. */
export async function whatChanges(
  { state, log }: Session,
  { wanted, capabilities, encoder, beside }: Asked,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  // A side call takes what is in force.
  if (beside !== undefined && state.epoch !== undefined) return NOTHING;
  const appends = capabilities.appends.filter((one) => encoder.appends?.includes(one) ?? true);
  const need = neededChange(state, wanted, appends);
  switch (need.do) {
    case 'nothing':
      return NOTHING;
    case 'append':
      await keepTools(log.artifacts, wanted.texts.tools);
      return { epoch: undefined, changes: need.changes.map((change) => ({ ...stamp, ...change })) };
    case 'epoch': {
      await keepFront(log.artifacts, wanted.texts);
      const data = openEpoch(state, wanted, need.cause, { rewrite: 0 }, newHash, capabilities.routing);
      return { epoch: { kind: 'epoch.opened', ...stamp, data }, changes: [] };
    }
  }
}
