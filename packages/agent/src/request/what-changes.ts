// Returns the events that a request needs before it: a new epoch, or changes appended inside the open epoch. The bytes
// that the events refer to are stored first.

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
import type { Digest, EpochCause, EpochOpened, Event, EventOf, FrontEdit, FrontEntry, Log } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Encoder } from '@tidemark/model';
import type { Lasting } from '../ports/runtime.ts';
import { frontName, keepFront, keepTools, loadFront, newHash, readWarmFront } from '../session/materials.ts';
import { asIfRecorded } from '../session/session.ts';
import type { Beside } from './request-record.ts';

/**
 * Events that are appended before a request. If an epoch applies a pruning, the pruning comes before the epoch. Changes
 * that the new front does not contain come after the epoch.
 */
export interface Changing {
  readonly pruned?: EventOf<'history.pruned'>;
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  /** Texts of the layers and tools that the epoch names. */
  readonly texts?: FrontTexts;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'> | EventOf<'role.changed'>)[];
}

/** State and stored texts of a session, from which a request is planned. */
export interface PlannedFrom {
  readonly state: State;
  readonly log: Pick<Log, 'artifacts' | 'shared'>;
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

interface ChangeOptions extends OpeningOptions {
  readonly encoder: Encoder;
  readonly beside?: Pick<Beside, 'afterRepair'>;
  readonly pruning?: 'auto' | 'never';
  readonly compacts?: boolean;
  readonly outputLimit: number;
  readonly budgets?: BudgetSettings;
}

/**
 * Returns the change that the next request of the main stream needs: a new epoch, appended changes, or no change. A
 * change is appended only if both the model and the encoder support it.
 */
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

/** Returns the events that must be appended before the next request. Stores the bytes that the events name. */
export async function whatChanges(
  session: PlannedFrom,
  asked: ChangeOptions,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  const { state } = session;
  const { beside } = asked;
  // A side call uses the open epoch. Only its retry after a quarantine is allowed to open an epoch. This requires that
  // no answer of the main stream is in flight, because that answer was requested in the open epoch.
  const inForce = beside !== undefined && (beside.afterRepair !== true || state.history.inFlight);
  if (inForce && state.epoch !== undefined) return NOTHING;
  const need = needOf(state, asked);
  if (beside !== undefined && need.do !== 'epoch') return NOTHING;
  const pruned = shortening(state, asked, need, stamp);
  if (pruned !== undefined) {
    const before = { ...session, state: asIfRecorded(state, pruned) };
    const cause = need.do === 'epoch' ? need.cause : 'pruning';
    // This front contains every wanted tool. Only the first epoch of a subagent can open with another front. That epoch
    // prunes nothing.
    return { pruned, ...(await openingEpoch(before, asked, cause, stamp)), changes: [] };
  }
  switch (need.do) {
    case 'nothing':
      return NOTHING;
    case 'append':
      return { epoch: undefined, changes: await changesOf(session, asked, need, stamp) };
    case 'epoch': {
      const opening = await openingEpoch(session, asked, need.cause, stamp);
      // A parent session may have appended tools in its tail. The new front does not contain them, so they are appended
      // again.
      const behind = needOf(asIfRecorded(state, opening.epoch), asked);
      return { ...opening, changes: behind.do === 'append' ? await changesOf(session, asked, behind, stamp) : [] };
    }
  }
}

async function changesOf(
  { log }: PlannedFrom,
  { wanted }: ChangeOptions,
  { changes }: Extract<Need, { readonly do: 'append' }>,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing['changes']> {
  await keepTools(log.artifacts, wanted.texts.tools);
  return changes.map((change) => ({ ...stamp, ...change }));
}

/** Returns the pruning of old results that this request applies, or `undefined` if nothing is pruned. */
function shortening(
  state: State,
  options: ChangeOptions,
  need: Need,
  stamp: Pick<Event, 'at' | 'turn'>,
): EventOf<'history.pruned'> | undefined {
  const { wanted, capabilities, account, ttl, pruning, compacts, outputLimit, budgets } = options;
  if (pruning !== 'auto') return undefined;
  const { at } = stamp;
  const gauge = gaugeOf(state, capabilities, defined({ outputLimit, at, budgets }));
  const data = planPruning({
    state,
    wanted,
    need,
    capabilities,
    at,
    account,
    key: entryKey(state, options),
    ttl: ttl === '1h' ? ttl : '5m',
    gauge,
    ...(compacts === true && { compactsAt: CRITICAL * gauge.limit }),
  });
  return data && { kind: 'history.pruned', ...stamp, data };
}

interface EpochOptions {
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly ttl?: Lasting;
}

interface OpeningOptions extends EpochOptions {
  readonly encoder: Pick<Encoder, 'routing'>;
  /** Provider account that the call uses. Absent if it is not known. */
  readonly account?: string | undefined;
}

interface EpochOpening {
  readonly epoch: EventOf<'epoch.opened'>;
  readonly texts: FrontTexts;
}

/**
 * Returns the event that opens an epoch, with the chosen front. The bytes of the front are stored first, because the
 * event refers to them. The price is added after the request is planned.
 */
async function openingEpoch(
  session: PlannedFrom,
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
 * Returns cache entries of this front that this session does not know. Other sessions of the same account wrote them.
 * If this session sends a cache key, returns only entries under that key. Otherwise returns only entries without a key.
 */
async function leftWarm(
  { state, log }: PlannedFrom,
  epoch: EventOf<'epoch.opened'>,
  options: OpeningOptions,
): Promise<readonly FrontEntry[]> {
  const { account } = options;
  if (account === undefined) return [];
  const found = await readWarmFront(log, frontName(epoch.data, account), epoch.at);
  const key = entryKey(asIfRecorded(state, epoch), options);
  const now = milliseconds(epoch.at);
  const own = state.cache.entries.filter((entry) => isAlive(entry, now) && !isOfOther(entry, account));
  const isKnown = ({ prefix, section, parameters }: FrontEntry): boolean =>
    own.some((entry) => entry.prefix === prefix && entry.parameters[section] === parameters[section]);
  return found.filter((entry) => entry.key === key && !isKnown(entry));
}

/**
 * Returns the key under which the provider keeps the entries of the next request. Returns `undefined` if the provider
 * finds entries by their bytes alone.
 */
function entryKey(state: State, { encoder, capabilities: { implicit, routing } }: OpeningOptions): string | undefined {
  const routed = implicit !== undefined && encoder.routing !== undefined && routing !== undefined;
  return routed ? keyInForce(state, routing, newHash) : undefined;
}

/** Returns the front of an epoch that would open now. */
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

// Finds the layers and tools of a new front that are edits of texts sent before, and counts their new tokens. The
// record of the epoch contains the edits. Every later forecast therefore counts them in the same way (L9).

/** One layer or tool of a front. */
interface NamedText {
  readonly name: string;
  readonly digest: Digest;
  readonly text: string;
}

/**
 * Returns the edits of a front that will replace the front of the open epoch. `load` reads the texts of the open
 * epoch's front. It is called only if the new front has a text that was never sent. The first front of a session has no
 * edits.
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
  // If the old texts cannot be read any more, no edit is found. The whole front then counts as new.
  const held = await load(opened).catch(() => undefined);
  if (held === undefined) return [];
  const before = new Map(namedIn(held).map((one) => [one.name, one]));
  return unsent.flatMap(({ name, digest, text }) => {
    const was = before.get(name);
    const edit = was && editFrom(was, { sent, opened, digest, text });
    return edit === undefined ? [] : [edit];
  });
}

/**
 * Returns the edit that changes `was` into the new text. If no accepted request contained `was`, the tokens of the edit
 * that produced `was` are added. Returns `undefined` if no accepted request contained `was` and no edit produced it.
 */
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
