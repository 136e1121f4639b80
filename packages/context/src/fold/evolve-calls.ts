// Folds requests and answers: the request sent on each stream, the last accepted request, and the cache entries that
// the provider has after it.

import { defined } from '@tidemark/core';
import type { Miss, RecordedOf, RequestPrepared, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { cachedTokens, inputTokens } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { cacheAfter } from '../cache/cache-after.ts';
import { cacheEntryOf, withEntry } from '../cache/entries.ts';
import type { Grid } from '../cache/implicit.ts';
import { onGrid } from '../cache/implicit.ts';
import { historySize, isRecorded, isUncounted } from '../pressure/next-input.ts';
import { NO_PAUSES, addCall, addPause } from '../state/call-times.ts';
import type { Ratio, Scales } from '../state/scales.ts';
import { learnRatio, learnScales, learntFor, newTextRatio } from '../state/scales.ts';
import type { Accepted, CacheEntry, RequestCount, SentRequest, State, Stream } from '../state/state.ts';

const NO_STREAM: Stream = {
  pending: undefined,
  accepted: undefined,
  reach: {},
  pauses: NO_PAUSES,
  away: NO_PAUSES,
};

/** Applies a recorded request. After this record, the request can be waiting for its answer. */
export function send(state: State, event: RecordedOf<'request.prepared'>): State {
  const stream = streamOf(state, event.data.stream) ?? NO_STREAM;
  const { position, at, data } = event;
  const pending: SentRequest = { position, at, prepared: data, spans: state.history.settled };
  const pace = addCall(state.pace, at, state.session, state.session === state.root);
  const known = data.cached === undefined ? state : withEntry(state, cacheEntryOf(data.cached));
  return withStream({ ...known, pace }, data.stream, { ...stream, pending });
}

/**
 * Applies a failed request. On the main stream, the pending request is removed. The stream of a side call is removed
 * completely.
 */
export function fail(state: State, name: string): State {
  const stream = streamOf(state, name);
  if (stream?.pending === undefined) return state;
  return name === 'main' ? withStream(state, name, { ...stream, pending: undefined }) : withoutStream(state, name);
}

/**
 * Applies an answered request. Its markers are now cache entries. A side call also refreshes the entries that it read,
 * and changes nothing else.
 */
export function accept(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { stream: name, usage } = event.data;
  const stream = streamOf(state, name);
  if (stream?.pending === undefined) return elsewhere(state, event);
  const { pending, reach } = stream;
  const cached = cachedAt(usage, pending.prepared.kept?.grid);
  const { cache, touched } = cacheAfter(state, pending, usage, cached);
  const taken: State = { ...state, cache };
  if (name !== 'main') return withoutStream(keptWarm(taken, touched), name);
  const left = touched.at(-1);
  const response = 'response' in event.data ? event.data.response : undefined;
  const input = inputTokens(usage ?? {});
  const model = state.epoch?.opened.model ?? '';
  const answer = answerOf(event);
  const accepted: Accepted = { ...pending, cached, input, model, answer, left, end: left?.block, response };
  const ratios = learnRatios(state.ratios, model, pending.prepared, input, stream.accepted?.input);
  const scales = scalesBehind(state, pending, stream.accepted, input) ?? state.scales;
  const counted = isUncounted(accepted) ? countedBefore(state, stream.accepted) : state.counted;
  return withStream({ ...taken, ratios, scales, ...defined({ counted }) }, name, {
    pending: undefined,
    accepted,
    reach: reachIn(reach, model, pending.spans),
    ...recordPause(stream, pending, event.data),
  });
}

/**
 * Returns the token count to use after a request that was cut and has no count. If the previous request has a count,
 * this count is returned. Otherwise `counted` of the state is returned.
 */
function countedBefore({ counted }: State, before: Accepted | undefined): RequestCount | undefined {
  if (before === undefined || isUncounted(before)) return counted;
  const { position, input, model, answer, spans } = before;
  return { position, input, model, answer, spans, front: counted?.front };
}

/**
 * Applies an answer whose request is not in the log. This happens in a session imported from another program. The token
 * count of the answer is still used.
 */
function elsewhere(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { history, epoch, counted } = state;
  const { position, kind, data } = event;
  if (epoch === undefined || !isRecorded(epoch.opened)) return state;
  if (data.stream !== 'main' || kind === 'answer.interrupted') return state;
  const { model } = epoch.opened;
  const input = inputTokens(data.usage ?? {});
  // An answer without a total does not replace the last count. An imported answer has no total if another record of the
  // answer contains it.
  if (input === undefined && counted?.input !== undefined) return state;
  const front = counted?.front ?? (input && Math.max(0, input - historySize(history).tokens));
  return { ...state, counted: { position, input, model, answer: answerOf(event), spans: history.settled, front } };
}

/**
 * Refreshes the main stream's entry after a side call that read it. If the side call left an entry at a later block,
 * that entry becomes the main stream's entry.
 */
function keptWarm(state: State, touched: readonly CacheEntry[]): State {
  const main = state.streams['main'];
  const left = main?.accepted?.left;
  const end = touched.at(-1);
  if (main?.accepted === undefined || left === undefined || end === undefined) return state;
  if (!touched.some(({ prefix }) => prefix === left.prefix)) return state;
  return withStream(state, 'main', { ...main, accepted: { ...main.accepted, left: end } });
}

/**
 * Returns the position of an answer, and its tokens with reasoning if they are known. Returns `undefined` for an answer
 * that was cut. Such an answer is packed in another form or not at all, so its usage does not predict the next request.
 */
function answerOf({
  kind,
  position,
  data: { usage },
}: RecordedOf<'answer.received' | 'answer.interrupted'>): Accepted['answer'] {
  if (kind === 'answer.interrupted') return undefined;
  const { answer, reasoning = 0 } = usage ?? {};
  return { position, ...(answer === undefined ? {} : { tokens: answer + reasoning }) };
}

/**
 * Maximum factor by which a real count can differ from its estimate, in either direction. If the difference is greater,
 * the request contains content that is not text of this session. The count is then limited to this factor.
 */
const ODD = 4;

/**
 * Updates the ratios of counted to estimated tokens. The size of the appended text was estimated when the request was
 * prepared, and is now counted.
 */
function learnRatios(
  ratios: State['ratios'],
  model: string,
  { size }: RequestPrepared,
  input: number | undefined,
  before: number | undefined,
): State['ratios'] {
  if (size === undefined || input === undefined) return ratios;
  const { appended: estimated, measured, whole: all = 0, since } = size;
  const { appended, whole } = learntFor(ratios, model);
  // Each text is used only one time. If an earlier counted request already contained a text, the text is not compared
  // again.
  const added =
    since === undefined || before === undefined ? ([all, input] as const) : ([since, input - before] as const);
  const learnt = { appended: learn(appended, estimated, input - measured), whole: learn(whole, ...added) };
  return learnt.appended === appended && learnt.whole === whole ? ratios : { ...ratios, [model]: learnt };
}

function scalesBehind(
  { scales, ratios, epoch, history: { packed, lead } }: State,
  { prepared, spans }: SentRequest,
  accepted: Accepted | undefined,
  input: number | undefined,
): Scales | undefined {
  if (input === undefined || epoch === undefined) return undefined;
  const { model } = epoch.opened;
  const { actual, estimated } = newTextRatio({ ratios, scales }, model);
  const first = itemAt(packed, lead)?.ordinal ?? 0;
  return learnScales(scales, {
    model,
    prepared,
    input,
    before: accepted?.input,
    spans,
    first,
    assumed: actual / estimated,
  });
}

/**
 * Returns the ratio with one more observation. If `counted` is 0 or less, the ratio is returned unchanged. In this case
 * the provider dropped content, so the count contains no information about the appended text.
 */
function learn(ratio: Ratio, estimated: number, counted: number): Ratio {
  if (counted <= 0) return ratio;
  return learnRatio(ratio, estimated, Math.min(estimated * ODD, Math.max(estimated / ODD, counted)));
}

/**
 * Records the pause before a request. Tokens that were dropped, packed differently or stripped are counted as broken.
 * They did not expire, so the pause did not cause their loss.
 */
function recordPause(
  { accepted, pauses, away }: Stream,
  { at }: SentRequest,
  { usage, ...ended }: { readonly usage?: Usage; readonly miss?: Miss },
): Pick<Stream, 'pauses' | 'away'> {
  if (!accepted?.cached || usage?.read === undefined) return { pauses, away };
  const held = accepted.cached;
  // If another cause alone was enough to lose the tokens, a longer lifetime could not keep them.
  const isExpired = ended.miss?.cause === 'expired' && ended.miss.also === undefined;
  const broken = isExpired ? 0 : held - usage.read;
  const ms = milliseconds(at) - milliseconds(accepted.at);
  const touchedAt = accepted.left?.at ?? accepted.at;
  return {
    pauses: addPause(pauses, { ms: milliseconds(at) - milliseconds(touchedAt), held, broken }),
    away: addPause(away, { ms, held, broken: 0 }),
  };
}

function reachIn(reach: Stream['reach'], model: string, spans: number): Stream['reach'] {
  return Object.hasOwn(reach, model) && reach[model] === spans ? reach : { ...reach, [model]: spans };
}

function streamOf({ streams }: State, name: string): Stream | undefined {
  return Object.hasOwn(streams, name) ? streams[name] : undefined;
}

function withoutStream(state: State, name: string): State {
  const { [name]: _gone, ...streams } = state.streams;
  return { ...state, streams };
}

function withStream(state: State, name: string, stream: Stream): State {
  return { ...state, streams: { ...state.streams, [name]: stream } };
}

/**
 * Returns the tokens that were read or written, or `undefined` if the usage is unknown. If the provider caches only in
 * fixed steps of tokens (`grid`), writes are free and not reported. In this case, the tokens up to the last full grid
 * step are returned.
 */
function cachedAt(usage: Usage | undefined, grid: Grid | undefined): number | undefined {
  if (usage === undefined) return undefined;
  if (grid === undefined) return cachedTokens(usage);
  const total = inputTokens(usage);
  return total === undefined ? undefined : onGrid(total, grid);
}
