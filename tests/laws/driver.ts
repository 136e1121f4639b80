// The session that a story drives: what it is made of, how it begins, and the one way in which a fact gets into it.

import type { Event, EventData, Kind, Log, Recorded, Timestamp } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Lasting, PromptStreams, Prepared, Session } from '@tidemark/agent';
import { commit, createSession } from '@tidemark/agent';
import type { Outcome, Story } from './commands.ts';
import { IMAGES } from './made-content.ts';
import type { Place } from './place.ts';
import type { Served, Server } from './server.ts';
import type { Settings } from './settings.ts';
import { FIRST_SETTINGS } from './settings.ts';

/** One request of the session, and what came of it. */
export interface SentCall {
  readonly prepared: Prepared;
  /** By the provider's clock, milliseconds. */
  readonly at: number;
  readonly served: Served;
  readonly outcome: Outcome;
}

/** A session on its way. */
export interface Driver {
  readonly place: Place;
  readonly server: Server;
  readonly ttl: Lasting;
  /** Everything that was sent, forks that were left included. */
  readonly sent: SentCall[];
  /** What of it stands in the log of the session at hand, ancestors and side calls included. */
  calls: SentCall[];
  /** Side calls that were sent and not answered yet. */
  readonly late: SentCall[];
  log: Log;
  session: Session;
  promptStreams: PromptStreams;
  settings: Settings;
  /** The provider's clock, milliseconds. */
  now: number;
  /** How far our own clock is off. */
  skew: number;
  /** Makes texts and ids unique. */
  nonce: number;
  /** Characters said so far: a session stays below its model's window. */
  said: number;
  /** Positions at which nothing was open. */
  closed: number[];
  /** Call ids used so far. */
  readonly ids: string[];
  forks: number;
}

const BEGIN = Date.parse('2026-11-20T09:00:00.000Z');

/** Begins a session in a place. */
export async function begin(
  place: Place,
  server: Server,
  { ttl, model }: Pick<Story, 'ttl' | 'model'>,
  name = 's0',
): Promise<Driver> {
  const log = place.open();
  const id = sessionId(name);
  const session = await createSession(log, id);
  const driver: Driver = {
    place,
    server,
    ttl,
    sent: [],
    calls: [],
    late: [],
    log,
    session,
    promptStreams: { main: undefined },
    settings: { ...FIRST_SETTINGS, model },
    now: BEGIN,
    skew: 0,
    nonce: 0,
    said: 0,
    closed: [],
    ids: [],
    forks: 0,
  };
  for (const image of IMAGES) await log.artifacts.put(image.bytes);
  await put(driver, { kind: 'session.created', data: { id, root: id, workspace: '/work' } });
  return driver;
}

/** The calls of the main stream. */
export function mainOf(calls: readonly SentCall[]): readonly SentCall[] {
  return calls.filter(({ prepared }) => prepared.record.data.stream === 'main');
}

/** Our own clock. */
export function clock(driver: Pick<Driver, 'now' | 'skew'>): Timestamp {
  return timestamp(new Date(driver.now + driver.skew).toISOString());
}

/** A kind and its data. */
export type Told = { [K in Kind]: { readonly kind: K; readonly data: EventData[K] } }[Kind];

/** Commits one fact. */
export async function put(driver: Driver, told: Told): Promise<void> {
  await append(driver, { ...told, at: clock(driver) });
}

/** Commits one event as it stands. */
export async function append(driver: Driver, event: Event): Promise<void> {
  noteClosed(driver, await commit(driver.session, [event]));
}

/** Remembers where nothing was open, and lets a little time pass. */
export function noteClosed(driver: Driver, records: readonly Recorded[]): void {
  driver.now += 5;
  const last = records.at(-1);
  const { batch, inFlight } = driver.session.state.history;
  if (last !== undefined && batch === undefined && !inFlight) driver.closed.push(last.position);
}
