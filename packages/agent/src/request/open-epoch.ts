// The epoch that a request opens, with the front that was chosen for it: its bytes are kept before the event names them.

import type { EpochCause, Event, EventOf } from '@tidemark/log';
import type { Wanted } from '@tidemark/context';
import { chooseFront, openEpoch } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { keepFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Session } from '../session/session.ts';
import type { Lasting } from './call-life.ts';
import { asIfRecorded } from './as-if-recorded.ts';

/** What it is opened with. */
export interface EpochOptions {
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly ttl?: Lasting;
}

/** See the head of this file. The price is said once the request is planned. */
export async function openingEpoch(
  { state, log }: Session,
  { wanted, capabilities, ttl }: EpochOptions,
  cause: EpochCause,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<EventOf<'epoch.opened'>> {
  const opening = (one: Wanted): EventOf<'epoch.opened'> => ({
    kind: 'epoch.opened',
    ...stamp,
    data: openEpoch(state, one, cause, { rewrite: 0 }, newHash, capabilities.routing),
  });
  const { texts, padding } = chooseFront({
    state: asIfRecorded(state, opening(wanted)),
    before: state.epoch?.opened,
    wanted,
    capabilities,
    at: stamp.at,
    ttl: ttl === '1h' ? '1h' : '5m',
  });
  await keepFront(log.artifacts, texts);
  const epoch = opening({ ...wanted, texts });
  return padding === undefined ? epoch : { ...epoch, data: { ...epoch.data, padding } };
}
