// The epoch that a request opens, with the front that was chosen for it: its bytes are kept before the event names them.

import type { EpochCause, Event, EventOf } from '@tidemark/log';
import type { FrontChoice, FrontTexts, State, Wanted } from '@tidemark/context';
import { chooseFront, openEpoch } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { keepFront, loadFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Session } from '../session/session.ts';
import type { Lasting } from './call-life.ts';
import { frontEdits } from './front-edits.ts';
import { asIfRecorded } from './as-if-recorded.ts';

/** What it is opened with. */
export interface EpochOptions {
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly ttl?: Lasting;
}

/** An epoch that is about to open, and the texts that its layers and tools name. */
export interface Opening {
  readonly epoch: EventOf<'epoch.opened'>;
  readonly texts: FrontTexts;
}

/** See the head of this file. The price is said once the request is planned. */
export async function openingEpoch(
  { state, log }: Session,
  options: EpochOptions,
  cause: EpochCause,
  stamp: Stamp,
): Promise<Opening> {
  const { texts, padding, skills, cached } = frontFor(state, options, cause, stamp);
  await keepFront(log.artifacts, texts);
  const { skills: _offered, ...wanted } = options.wanted;
  const chosen = { ...wanted, texts, ...(skills !== undefined && { skills }) };
  const epoch = opening(state, { ...options, wanted: chosen }, cause, stamp);
  const edits = await frontEdits(state, texts, (opened) => loadFront(log.artifacts, opened));
  const known = { ...(padding && { padding }), ...(cached && { cached }), ...(edits.length > 0 && { edits }) };
  return { texts, epoch: { ...epoch, data: { ...epoch.data, ...known } } };
}

/** The front that an epoch would be opened with now. */
export function frontFor(state: State, options: EpochOptions, cause: EpochCause, stamp: Stamp): FrontChoice {
  const { wanted, capabilities, ttl } = options;
  return chooseFront({
    state: asIfRecorded(state, opening(state, options, cause, stamp)),
    before: state.epoch?.opened,
    wanted,
    capabilities,
    at: stamp.at,
    ttl: ttl === '1h' ? '1h' : '5m',
  });
}

type Stamp = Pick<Event, 'at' | 'turn'>;

function opening(
  state: State,
  { wanted, capabilities }: EpochOptions,
  cause: EpochCause,
  stamp: Stamp,
): EventOf<'epoch.opened'> {
  const data = openEpoch(state, wanted, cause, { rewrite: 0 }, newHash, capabilities.routing);
  return { kind: 'epoch.opened', ...stamp, data };
}
