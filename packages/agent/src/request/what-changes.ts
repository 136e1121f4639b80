// What a request needs in front of it: an epoch that opens, or what is appended inside the one that is open. The bytes that
// its record names are kept here, before anything names them.

import type { Event, EventOf } from '@tidemark/log';
import { neededChange } from '@tidemark/context';
import type { Encoder } from '@tidemark/model';
import { keepTools } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import type { EpochOptions } from './open-epoch.ts';
import { openingEpoch } from './open-epoch.ts';

/** See the head of this file. One of the two is always empty. */
export interface Changing {
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'>)[];
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

/** What is asked for. */
interface Asked extends EpochOptions {
  readonly encoder: Encoder;
  readonly beside?: unknown;
}

/** Decides. */
export async function whatChanges(
  session: Session,
  asked: Asked,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  const { state, log } = session;
  const { wanted, capabilities, encoder, beside } = asked;
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
    case 'epoch':
      return { epoch: await openingEpoch(session, asked, need.cause, stamp), changes: [] };
  }
}
