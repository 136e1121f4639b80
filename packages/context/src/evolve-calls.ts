// The fold of requests and answers: what was sent on each stream, what was accepted, what the provider then holds.

import type { KeptRecord, MarkerRecord, Miss, RecordedOf, RequestPrepared, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { entryAt, isAlive, keptAt, LIFE } from './entries.ts';
import { KEEP_WARM } from './keep-warm.ts';
import { historySize, isRecorded } from './next-input.ts';
import type { Grid } from './on-grid.ts';
import { onGrid } from './on-grid.ts';
import { addCall } from './pace.ts';
import { addPause, NO_PAUSES } from './pauses.ts';
import type { Ratio } from './ratio.ts';
import { learnRatio, NOTHING_LEARNT } from './ratio.ts';
import type { Accepted, Cache, Entry, Sent, State, Stream } from './state.ts';

/** Entries kept: the newest. Four markers a call, of which at most two are new. */
const ENTRIES_KEPT = 16;

const NO_STREAM: Stream = {
  pending: undefined,
  accepted: undefined,
  reach: {},
  pauses: NO_PAUSES,
  away: NO_PAUSES,
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

/** A request was answered: its markers are entries now. A side call leaves nothing else behind, but what it read lives on. */
export function accept(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { stream: name, usage } = event.data;
  const stream = state.streams[name];
  if (stream?.pending === undefined) return elsewhere(state, event);
  const { pending, reach } = stream;
  const cached = cachedTokens(usage, pending.prepared.kept?.grid);
  const { cache } = state;
  const missed = missedPromotion(cache.entries, pending, usage);
  const touched = cached === 0 ? [] : touchedBy(missed ? unpromoted(cache.entries) : cache.entries, pending, usage);
  const taken: State = { ...state, cache: takeIn(state, pending, touched, missed) };
  if (name !== 'main') return withoutStream(keptWarm(taken, touched), name);
  const left = touched.at(-1);
  const response = 'response' in event.data ? event.data.response : undefined;
  const input = totalTokens(usage);
  const model = state.epoch?.opened.model ?? '';
  const answer = answerOf(event);
  const accepted: Accepted = { ...pending, cached, input, model, answer, left, end: left?.block, response };
  const ratios = taught(state.ratios, model, pending.prepared, input);
  return withStream({ ...taken, ratios }, name, {
    pending: undefined,
    accepted,
    reach: reach[model] === pending.spans ? reach : { ...reach, [model]: pending.spans },
    ...paused(stream, pending, event.data),
  });
}

/** An answer to a request that is not in the log: a recording's. What it counted is known all the same. */
function elsewhere(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { history, epoch, counted } = state;
  const { position, kind, data } = event;
  if (epoch === undefined || !isRecorded(epoch.opened)) return state;
  if (data.stream !== 'main' || kind === 'answer.interrupted') return state;
  const { model } = epoch.opened;
  const input = totalTokens(data.usage);
  const front = counted?.front ?? (input && Math.max(0, input - historySize(history).tokens));
  return { ...state, counted: { position, input, model, answer: answerOf(event), spans: history.settled, front } };
}

/** A side call that read what the main stream left has begun its life anew, and may have left an entry further on. */
function keptWarm(state: State, touched: readonly Entry[]): State {
  const main = state.streams['main'];
  const left = main?.accepted?.left;
  const end = touched.at(-1);
  if (main?.accepted === undefined || left === undefined || end === undefined) return state;
  if (!touched.some(({ prefix }) => prefix === left.prefix)) return state;
  return withStream(state, 'main', { ...main, accepted: { ...main.accepted, left: end } });
}

/** What a cut answer said is packed in another form, or not at all: its usage then tells nothing of the next request. */
function answerOf({
  kind,
  position,
  data: { usage },
}: RecordedOf<'answer.received' | 'answer.interrupted'>): Accepted['answer'] {
  if (kind === 'answer.interrupted') return undefined;
  const { answer, reasoning = 0 } = usage ?? {};
  return { position, ...(answer === undefined ? {} : { tokens: answer + reasoning }) };
}

/** No text is counted so many times its estimate, or as little: what is, holds something that is no text of ours. */
const ODD = 4;

/** What was appended was estimated when the request was prepared; now it is counted. */
function taught(
  ratios: State['ratios'],
  model: string,
  { size }: RequestPrepared,
  input: number | undefined,
): State['ratios'] {
  if (size === undefined || input === undefined) return ratios;
  const { appended: estimated, measured, whole: all = 0 } = size;
  const { appended, whole } = ratios[model] ?? NOTHING_LEARNT;
  const learnt = { appended: learn(appended, estimated, input - measured), whole: learn(whole, all, input) };
  return learnt.appended === appended && learnt.whole === whole ? ratios : { ...ratios, [model]: learnt };
}

/** What shrank was dropped by the provider, and tells nothing of what was appended. */
function learn(ratio: Ratio, estimated: number, counted: number): Ratio {
  if (counted <= 0) return ratio;
  return learnRatio(ratio, estimated, Math.min(estimated * ODD, Math.max(estimated / ODD, counted)));
}

/** What was not read again, and not for its age, is no pause's doing: it was dropped, packed anew or stripped. */
function paused(
  { accepted, pauses, away }: Stream,
  { at }: Sent,
  { usage, ...ended }: { readonly usage?: Usage; readonly miss?: Miss },
): Pick<Stream, 'pauses' | 'away'> {
  if (!accepted?.cached || usage?.read === undefined) return { pauses, away };
  const held = accepted.cached;
  const broken = ended.miss?.cause === 'expired' ? 0 : held - usage.read;
  const ms = milliseconds(at) - milliseconds(accepted.at);
  const touchedAt = accepted.left?.at ?? accepted.at;
  return {
    pauses: addPause(pauses, { ms: milliseconds(at) - milliseconds(touchedAt), held, broken }),
    away: addPause(away, { ms, held, broken: 0 }),
  };
}

function takeIn(state: State, sent: Sent, touched: readonly Entry[], missed: boolean): Cache {
  const { entries, promotionMissed } = state.cache;
  return {
    entries: touch(missed ? unpromoted(entries) : entries, touched),
    front: sentFront(state, sent),
    promotionMissed: promotionMissed || missed,
  };
}

/**
 * A promoted entry that this request asked for, when nothing else could have kept it, and that was not read: less came than
 * half of what was forecast. Then the provider does not promote, whatever its row says.
 */
function missedPromotion(entries: readonly Entry[], sent: Sent, usage: Usage | undefined): boolean {
  if (usage?.read === undefined || usage.read * 2 >= sent.prepared.forecast.read) return false;
  const now = milliseconds(sent.at);
  const asked = new Set<string>(sent.prepared.markers.map(({ prefix }) => prefix));
  return entries.some(
    ({ promoted, prefix, at, ...entry }) =>
      promoted === true &&
      asked.has(prefix) &&
      now - milliseconds(at) >= LIFE['5m'] &&
      isAlive({ ...entry, prefix, at }, now),
  );
}

/** What the promotions have not kept is gone. */
function unpromoted(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ promoted }) => promoted !== true);
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
  const others = entries.filter((entry) => !touched.some((one) => isSame(one, entry)));
  return [...others, ...touched].slice(-ENTRIES_KEPT);
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
  const known = touched.map((entry) => sameIn(alive, entry));
  // A plan asks for no longer life than what it knows to be behind: only what this session never wrote is a surprise.
  const unknown = usage?.read !== undefined && usage.read > 0 && alive.length === 0;
  const last = known.findLastIndex((entry) => entry !== undefined);
  const behind = known[last]?.ttl ?? (unknown ? '5m' : '1h');
  const keeps = sent.prepared.purpose === KEEP_WARM;
  return touched.map((entry, index): Entry => {
    const before = known[index];
    if (before !== undefined) return { ...entry, ttl: before.ttl, ...unproved(before, now) };
    const ttl = shorter(entry.ttl, behind);
    // A call that keeps warm asks for a longer life than what is behind where it promotes, and nowhere else.
    return keeps && index > last && ttl !== entry.ttl ? { ...entry, promoted: true } : { ...entry, ttl };
  });
}

/** The same where the provider keeps entries by itself: one that was alive is as old as it is, and what was not found is gone. */
function keptBy(sent: Sent, kept: KeptRecord, alive: readonly Entry[], usage: Usage | undefined): readonly Entry[] {
  const { stream, markers } = sent.prepared;
  const places = kept.places.filter(({ found }) => found !== true || usage?.read !== 0);
  const touched = [...markers.map((marker) => entryAt(sent, marker)), ...places.map((one) => keptAt(sent, kept, one))];
  const inOrder = touched.toSorted((a, b) => a.block - b.block);
  return (stream === 'main' ? inOrder : inOrder.slice(0, -1)).map((entry) => {
    const same = alive.find((one) => isSame(one, entry))?.ttl;
    if (typeof entry.ttl === 'string' || same === undefined || typeof same === 'string') return entry;
    return { ...entry, ttl: { ...entry.ttl, born: same.born } };
  });
}

/** The entry of these bytes; a side call may have read the main stream's. */
function sameIn(alive: readonly Entry[], entry: Entry): Entry | undefined {
  const same = alive.filter((one) => holdsSame(one, entry));
  return same.find(({ beside }) => beside === entry.beside) ?? same.at(-1);
}

/** An entry that was read while a short life would have done has shown nothing yet. */
function unproved({ promoted, at }: Entry, now: number): Pick<Entry, 'promoted'> {
  return promoted === true && now - milliseconds(at) < LIFE['5m'] ? { promoted } : {};
}

function shorter(a: Entry['ttl'], b: Entry['ttl']): Entry['ttl'] {
  return a === '5m' ? a : b;
}

/** A marker on the last words of a side call leaves what nobody sends again. */
function keptMarkers({ prepared: { stream, markers, sequence } }: Sent): readonly MarkerRecord[] {
  return stream === 'main' ? markers : markers.filter(({ block }) => block < sequence.blocks - 1);
}

function isSame(a: Entry, b: Entry): boolean {
  return a.beside === b.beside && holdsSame(a, b);
}

/** The same bytes under the same parameters, kept under the same key. The prefix tells most apart: it goes first. */
function holdsSame(a: Entry, b: Entry): boolean {
  return (
    a.prefix === b.prefix &&
    a.parameters[a.section] === b.parameters[b.section] &&
    a.images === b.images &&
    a.key === b.key
  );
}
