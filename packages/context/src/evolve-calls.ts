// The fold of requests and answers: what was sent on each stream, what was accepted, what the provider then holds.

import type { KeptRecord, MarkerRecord, Miss, RecordedOf, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { entryAt, isAlive, keptAt } from './entries.ts';
import type { Grid } from './on-grid.ts';
import { onGrid } from './on-grid.ts';
import { addCall } from './pace.ts';
import { addPause, NO_PAUSES } from './pauses.ts';
import type { Accepted, Cache, Entry, Sent, State, Stream } from './state.ts';

/** Entries kept: the newest. Four markers a call, of which at most two are new. */
const ENTRIES_KEPT = 16;

const NO_STREAM: Stream = {
  pending: undefined,
  accepted: undefined,
  reach: {},
  pauses: NO_PAUSES,
};

/** A request was recorded, and so may be on its way. */
export function send(state: State, event: RecordedOf<'request.prepared'>): State {
  const stream = state.streams[event.data.stream] ?? NO_STREAM;
  const { position, at, data } = event;
  const pending: Sent = { position, at, prepared: data, spans: state.history.settled };
  const pace = addCall(state.pace, at, state.session, state.session === state.root);
  return withStream({ ...state, pace }, data.stream, { ...stream, pending });
}

/** A request failed: it moves nothing. */
export function fail(state: State, name: string): State {
  const stream = state.streams[name];
  if (stream?.pending === undefined) return state;
  return name === 'main' ? withStream(state, name, { ...stream, pending: undefined }) : withoutStream(state, name);
}

/** A request was answered: its markers are entries now. A side call leaves nothing else behind. */
export function accept(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { stream: name, usage } = event.data;
  const stream = state.streams[name];
  if (stream?.pending === undefined) return state;
  const { pending, reach } = stream;
  const cached = cachedTokens(usage, pending.prepared.kept?.grid);
  const touched = cached === 0 ? [] : touchedBy(state.cache.entries, pending, usage);
  const taken: State = { ...state, cache: takeIn(state, pending, touched) };
  if (name !== 'main') return withoutStream(taken, name);
  const response = 'response' in event.data ? event.data.response : undefined;
  const accepted: Accepted = { ...pending, cached, input: totalTokens(usage), left: touched.at(-1), response };
  const model = state.epoch?.opened.model ?? '';
  return withStream(taken, name, {
    pending: undefined,
    accepted,
    reach: reach[model] === pending.spans ? reach : { ...reach, [model]: pending.spans },
    pauses: paused(stream, pending, event.data),
  });
}

/** What was not read again, and not for its age, is no pause's doing: it was dropped, packed anew or stripped. */
function paused(
  { accepted, pauses }: Stream,
  { at }: Sent,
  { usage, ...ended }: { readonly usage?: Usage; readonly miss?: Miss },
): Stream['pauses'] {
  if (!accepted?.cached || usage?.read === undefined) return pauses;
  const held = accepted.cached;
  const broken = ended.miss?.cause === 'expired' ? 0 : held - usage.read;
  return addPause(pauses, { ms: milliseconds(at) - milliseconds(accepted.at), held, broken });
}

function takeIn(state: State, sent: Sent, touched: readonly Entry[]): Cache {
  return { entries: touch(state.cache.entries, touched), front: sentFront(state, sent) };
}

/** Layers and tools that were accepted, whatever the epoch: a new front has only the others to write anew. */
function sentFront({ epoch, cache: { front } }: State, { prepared }: Sent): Cache['front'] {
  // A side call may be answered when the next epoch is open already.
  if (epoch?.opened.number !== prepared.epoch) return front;
  const { tools, layers } = epoch.opened;
  const added = [...tools, ...layers].map(({ digest }) => digest).filter((digest) => !front.has(digest));
  return added.length === 0 ? front : new Set([...front, ...added]);
}

function withoutStream(state: State, name: string): State {
  const { [name]: _gone, ...streams } = state.streams;
  return { ...state, streams };
}

function withStream(state: State, name: string, stream: Stream): State {
  return { ...state, streams: { ...state.streams, [name]: stream } };
}

/** What was read or written; where writing is free and not told, what of the whole lies on the grid. */
function cachedTokens(usage: Usage | undefined, grid?: Grid): number | undefined {
  if (grid !== undefined) {
    const total = totalTokens(usage);
    return total === undefined ? undefined : onGrid(total, grid);
  }
  if (usage?.read === undefined || usage.writes === undefined) return undefined;
  return usage.read + usage.writes.reduce((sum, write) => sum + write.tokens, 0);
}

function totalTokens(usage: Usage | undefined): number | undefined {
  const cached = cachedTokens(usage);
  return cached === undefined || usage?.fresh === undefined ? undefined : cached + usage.fresh;
}

/**
 * Each marker names an entry: written now, or read and so refreshed. The same bytes under other parameters, or of another
 * model, are another entry; so are those that a side call read in its own way.
 */
function touch(entries: readonly Entry[], touched: readonly Entry[]): readonly Entry[] {
  if (touched.length === 0) return entries;
  const names = new Set(touched.map(nameOf));
  return [...entries.filter((entry) => !names.has(nameOf(entry))), ...touched].slice(-ENTRIES_KEPT);
}

/**
 * The entries of a request's markers. One that was alive keeps its life, which begins anew. A new one has the life that was
 * asked for, and no longer one than what was read before it: no provider is known to let what was free outlive what was
 * paid for. What was read unknown to this session is taken to be short-lived.
 */
function touchedBy(entries: readonly Entry[], sent: Sent, usage: Usage | undefined): readonly Entry[] {
  const now = milliseconds(sent.at);
  const alive = usage?.read === 0 ? [] : entries.filter((entry) => isAlive(entry, now));
  if (sent.prepared.kept !== undefined) return keptBy(sent, sent.prepared.kept, alive, usage);
  const touched = keptMarkers(sent).map((marker) => entryAt(sent, marker));
  const lives = touched.map((entry) => lifeIn(alive, entry));
  // A plan asks for no longer life than what it knows to be behind: only what this session never wrote is a surprise.
  const unknown = usage?.read !== undefined && usage.read > 0 && alive.length === 0;
  const behind = lives.findLast((life) => life !== undefined) ?? (unknown ? '5m' : '1h');
  return touched.map((entry, index) => ({ ...entry, ttl: lives[index] ?? shorter(entry.ttl, behind) }));
}

/** The same where the provider keeps entries by itself: one that was alive is as old as it is, and what was not found is gone. */
function keptBy(sent: Sent, kept: KeptRecord, alive: readonly Entry[], usage: Usage | undefined): readonly Entry[] {
  const { stream, markers } = sent.prepared;
  const places = kept.places.filter(({ found }) => found !== true || usage?.read !== 0);
  const touched = [...markers.map((marker) => entryAt(sent, marker)), ...places.map((one) => keptAt(sent, kept, one))];
  const inOrder = touched.toSorted((a, b) => a.block - b.block);
  return (stream === 'main' ? inOrder : inOrder.slice(0, -1)).map((entry) => {
    const same = alive.find((one) => nameOf(one) === nameOf(entry))?.ttl;
    if (typeof entry.ttl === 'string' || same === undefined || typeof same === 'string') return entry;
    return { ...entry, ttl: { ...entry.ttl, born: same.born } };
  });
}

/** The life of the entry of these bytes; a side call may have read the main stream's. */
function lifeIn(alive: readonly Entry[], entry: Entry): Entry['ttl'] | undefined {
  const same = alive.filter((one) => nameOf({ ...one, beside: entry.beside }) === nameOf(entry));
  return (same.find(({ beside }) => beside === entry.beside) ?? same.at(-1))?.ttl;
}

function shorter(a: Entry['ttl'], b: Entry['ttl']): Entry['ttl'] {
  return a === '5m' ? a : b;
}

/** The last marker of a side call stands on its own words, which nobody sends again. */
function keptMarkers({ prepared: { stream, markers } }: Sent): readonly MarkerRecord[] {
  return stream === 'main' ? markers : markers.slice(0, -1);
}

function nameOf({ prefix, parameters, section, images, beside, key = '' }: Entry): string {
  return `${prefix} ${parameters[section]} ${images} ${beside} ${key}`;
}
