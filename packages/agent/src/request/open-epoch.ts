// The epoch that a request opens, with the front that was chosen for it: its bytes are kept before the event names them.

import type { EpochCause, Event, EventOf, FrontEntry } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { FrontChoice, FrontTexts, State, RequestSpec } from '@tidemark/context';
import { chooseFront, isAlive, isOfOther, keyInForce, openEpoch } from '@tidemark/context';
import type { Capabilities, Encoder } from '@tidemark/model';
import { keepFront, loadFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Session } from '../session/session.ts';
import { frontName, readWarmFront } from '../session/warm-fronts.ts';
import type { Lasting } from './call-life.ts';
import { frontEdits } from './front-edits.ts';
import { asIfRecorded } from './as-if-recorded.ts';

/** What it is opened with. */
export interface EpochOptions {
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly ttl?: Lasting;
}

/** The same, and who is asked. */
export interface OpeningOptions extends EpochOptions {
  readonly encoder: Pick<Encoder, 'routing'>;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
}

/** An epoch that is about to open, and the texts that its layers and tools name. */
export interface EpochOpening {
  readonly epoch: EventOf<'epoch.opened'>;
  readonly texts: FrontTexts;
}

/** See the head of this file. The price is said once the request is planned. */
export async function openingEpoch(
  session: Session,
  options: OpeningOptions,
  cause: EpochCause,
  stamp: OpeningStamp,
): Promise<EpochOpening> {
  const { state, log } = session;
  const { texts, padding, cached } = frontFor(state, options, cause, stamp);
  await keepFront(log.artifacts, texts);
  const epoch = opening(state, { ...options, wanted: { ...options.wanted, texts } }, cause, stamp);
  const edits = await frontEdits(state, texts, (opened) => loadFront(log.artifacts, opened));
  const warm = cached ?? (await leftWarm(session, epoch, options));
  const known = {
    ...(padding && { padding }),
    ...(warm.length > 0 && { cached: warm }),
    ...(edits.length > 0 && { edits }),
  };
  return { texts, epoch: { ...epoch, data: { ...epoch.data, ...known } } };
}

/**
 * What other sessions left warm of this front, where this one does not know it better: entries in the cache of the same account, under
 * the key that this session sends, or under none.
 */
async function leftWarm(
  { state, log }: Session,
  epoch: EventOf<'epoch.opened'>,
  { account, encoder, capabilities: { implicit, routing } }: OpeningOptions,
): Promise<readonly FrontEntry[]> {
  if (account === undefined) return [];
  const found = await readWarmFront(log, frontName(epoch.data, account), epoch.at);
  const routed = implicit !== undefined && encoder.routing !== undefined && routing !== undefined;
  const key = routed ? keyInForce(asIfRecorded(state, epoch), routing, newHash) : undefined;
  const now = milliseconds(epoch.at);
  const own = state.cache.entries.filter((entry) => isAlive(entry, now) && !isOfOther(entry, account));
  const isKnown = ({ prefix, section, parameters }: FrontEntry): boolean =>
    own.some((entry) => entry.prefix === prefix && entry.parameters[section] === parameters[section]);
  return found.filter((entry) => entry.key === key && !isKnown(entry));
}

/** The front that an epoch would be opened with now. */
export function frontFor(state: State, options: EpochOptions, cause: EpochCause, stamp: OpeningStamp): FrontChoice {
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

type OpeningStamp = Pick<Event, 'at' | 'turn'>;

function opening(
  state: State,
  { wanted, capabilities }: EpochOptions,
  cause: EpochCause,
  stamp: OpeningStamp,
): EventOf<'epoch.opened'> {
  const data = openEpoch(state, wanted, cause, { rewrite: 0 }, newHash, capabilities.routing);
  return { kind: 'epoch.opened', ...stamp, data };
}
