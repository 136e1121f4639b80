// What a request needs in front of it: an epoch that opens, or what is appended inside the one that is open. The bytes that
// its record names are kept here, before anything names them.

import { defined } from '@tidemark/core';
import type { BudgetSettings, FrontChoice, FrontTexts, Need, RequestSpec, State } from '@tidemark/context';
import {
  CRITICAL,
  chooseFront,
  editOf,
  gaugeOf,
  isAlive,
  isOfOther,
  keyInForce,
  neededChange,
  openEpoch,
  planPruning,
} from '@tidemark/context';
import type { Digest, EpochCause, EpochOpened, Event, EventOf, FrontEdit, FrontEntry } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Encoder } from '@tidemark/model';
import type { Lasting } from '../ports/runtime.ts';
import { frontName, keepFront, keepTools, loadFront, newHash, readWarmFront } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import { asIfRecorded } from '../session/session.ts';
import type { Beside } from './request-record.ts';

/** The events that a request needs in front of it. What an epoch shortens comes before it; what its front lacks is appended after it. */
export interface Changing {
  readonly pruned?: EventOf<'history.pruned'>;
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  /** What its layers and tools name. */
  readonly texts?: FrontTexts;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'> | EventOf<'role.changed'>)[];
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

/** What is asked for. */
interface ChangeOptions extends OpeningOptions {
  readonly encoder: Encoder;
  readonly beside?: Pick<Beside, 'mends'>;
  readonly pruning?: 'auto' | 'never';
  readonly compacts?: boolean;
  readonly outputLimit: number;
  readonly budgets?: BudgetSettings;
}

/** What the next request of the main stream needs, with what both the model and the encoder take appended. */
export function needOf(
  state: State,
  { wanted, capabilities, encoder }: Pick<ChangeOptions, 'wanted' | 'capabilities' | 'encoder'>,
): Need {
  return neededChange(
    state,
    wanted,
    capabilities.appends.filter((one) => encoder.appends?.includes(one) ?? true),
  );
}

/** Decides. */
export async function whatChanges(
  session: Session,
  asked: ChangeOptions,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  const { state } = session;
  const { beside } = asked;
  // A side call takes what is in force; an answer that is on its way was asked for behind that, too.
  const inForce = beside !== undefined && (beside.mends !== true || state.history.inFlight);
  if (inForce && state.epoch !== undefined) return NOTHING;
  const need = needOf(state, asked);
  if (beside !== undefined && need.do !== 'epoch') return NOTHING;
  const pruned = shortening(state, asked, need, stamp);
  if (pruned !== undefined) {
    const before = { ...session, state: asIfRecorded(state, pruned) };
    const cause = need.do === 'epoch' ? need.cause : 'pruning';
    return { pruned, ...(await openingEpoch(before, asked, cause, stamp)), changes: [] };
  }
  switch (need.do) {
    case 'nothing':
      return NOTHING;
    case 'append':
      return { epoch: undefined, changes: await changesOf(session, asked, need, stamp) };
    case 'epoch': {
      const opening = await openingEpoch(session, asked, need.cause, stamp);
      // The front of a parent lacks the tools that were appended there.
      const behind = needOf(asIfRecorded(state, opening.epoch), asked);
      return { ...opening, changes: behind.do === 'append' ? await changesOf(session, asked, behind, stamp) : [] };
    }
  }
}

async function changesOf(
  { log }: Session,
  { wanted }: ChangeOptions,
  { changes }: Extract<Need, { readonly do: 'append' }>,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing['changes']> {
  await keepTools(log.artifacts, wanted.texts.tools);
  return changes.map((change) => ({ ...stamp, ...change }));
}

/** The old results that are to be shortened with this request, if any. */
function shortening(
  state: State,
  { wanted, capabilities, ttl, pruning, compacts, outputLimit, budgets }: ChangeOptions,
  need: Need,
  stamp: Pick<Event, 'at' | 'turn'>,
): EventOf<'history.pruned'> | undefined {
  if (pruning !== 'auto') return undefined;
  const { at } = stamp;
  const gauge = gaugeOf(state, capabilities, defined({ outputLimit, at, budgets }));
  const data = planPruning({
    state,
    wanted,
    need,
    capabilities,
    at,
    ttl: ttl === '1h' ? ttl : '5m',
    gauge,
    ...(compacts === true && { compactsAt: CRITICAL * gauge.limit }),
  });
  return data && { kind: 'history.pruned', ...stamp, data };
}

/** What it is opened with. */
interface EpochOptions {
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly ttl?: Lasting;
}

/** The same, and who is asked. */
interface OpeningOptions extends EpochOptions {
  readonly encoder: Pick<Encoder, 'routing'>;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
}

/** An epoch that is about to open, and the texts that its layers and tools name. */
interface EpochOpening {
  readonly epoch: EventOf<'epoch.opened'>;
  readonly texts: FrontTexts;
}

/**
 * The epoch that a request opens, with the front that was chosen for it: its bytes are kept before the event names
 * them. The price is said once the request is planned.
 */
async function openingEpoch(
  session: Session,
  options: OpeningOptions,
  cause: EpochCause,
  stamp: OpeningStamp,
): Promise<EpochOpening> {
  const { state, log } = session;
  const { texts, padding, cached } = frontFor(state, options, cause, stamp);
  await keepFront(log.artifacts, texts);
  const epoch = openingEvent(state, { ...options, wanted: { ...options.wanted, texts } }, cause, stamp);
  const edits = await frontEdits(state, texts, (opened) => loadFront(log.artifacts, opened));
  const warm = cached ?? (await leftWarm(session, epoch, options));
  const known = {
    ...defined({ padding }),
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
    state: asIfRecorded(state, openingEvent(state, options, cause, stamp)),
    before: state.epoch?.opened,
    wanted,
    capabilities,
    at: stamp.at,
    ttl: ttl === '1h' ? '1h' : '5m',
  });
}

type OpeningStamp = Pick<Event, 'at' | 'turn'>;

function openingEvent(
  state: State,
  { wanted, capabilities }: EpochOptions,
  cause: EpochCause,
  stamp: OpeningStamp,
): EventOf<'epoch.opened'> {
  const data = openEpoch(state, wanted, cause, { rewrite: 0 }, newHash, capabilities.routing);
  return { kind: 'epoch.opened', ...stamp, data };
}

// Finds the layers and tools of a new front that are edits of ones sent before, and how much of them is new. The record of the
// epoch holds it, so that every later forecast counts alike (L9).

/** One layer or tool of a front. */
interface NamedText {
  readonly name: string;
  readonly digest: Digest;
  readonly text: string;
}

/**
 * The edits of a front that is about to replace the one in force. `load` reads the texts of that one; it is called only where
 * something differs. None for a first front.
 */
async function frontEdits(
  { epoch, cache: { front: sent } }: State,
  texts: FrontTexts,
  load: (opened: EpochOpened) => Promise<FrontTexts>,
): Promise<readonly FrontEdit[]> {
  if (epoch === undefined) return [];
  const { opened } = epoch;
  const unsent = namedIn(texts).filter(({ digest }) => !sent.has(digest));
  if (unsent.length === 0) return [];
  // Texts that cannot be read any more say nothing: the front then counts as new.
  const held = await load(opened).catch(() => undefined);
  if (held === undefined) return [];
  const before = new Map(namedIn(held).map((one) => [one.name, one]));
  return unsent.flatMap(({ name, digest, text }) => {
    const was = before.get(name);
    const edit = was && editFrom(was, { sent, opened, digest, text });
    return edit === undefined ? [] : [edit];
  });
}

/** What was never accepted itself is as new as its own edit said, and what the text now adds to it. */
function editFrom(
  was: NamedText,
  { sent, opened, digest, text }: { sent: ReadonlySet<string>; opened: EpochOpened; digest: Digest; text: string },
): FrontEdit | undefined {
  const earlier = opened.edits?.find((edit) => edit.digest === was.digest);
  if (!sent.has(was.digest) && earlier === undefined) return undefined;
  if (was.digest === digest) return earlier;
  const { tokens, begins } = editOf(was.text, text);
  if (earlier === undefined || sent.has(was.digest)) return { digest, tokens, begins };
  return { digest, tokens: tokens + earlier.tokens, begins: Math.min(begins, earlier.begins) };
}

function namedIn({ tools, layers }: FrontTexts): readonly NamedText[] {
  return [
    ...tools.map(({ record: { name, digest }, definition }) => ({ name: `tool ${name}`, digest, text: definition })),
    ...layers.map(({ record: { name, digest }, text }) => ({ name: `layer ${name}`, digest, text })),
  ];
}
