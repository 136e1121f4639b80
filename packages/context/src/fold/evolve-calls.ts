// The fold of requests and answers: what was sent on each stream, what was accepted, what the provider then holds.

import { defined } from '@tidemark/core';
import type { Miss, RecordedOf, RequestPrepared, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { cachedTokens, inputTokens } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { cacheBehind } from '../cache/cache-behind.ts';
import type { Grid } from '../cache/plan.ts';
import { onGrid } from '../cache/plan.ts';
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

/** A request was recorded, and so may be on its way. */
export function send(state: State, event: RecordedOf<'request.prepared'>): State {
  const stream = streamOf(state, event.data.stream) ?? NO_STREAM;
  const { position, at, data } = event;
  const pending: SentRequest = { position, at, prepared: data, spans: state.history.settled };
  const pace = addCall(state.pace, at, state.session, state.session === state.root);
  return withStream({ ...state, pace }, data.stream, { ...stream, pending });
}

/** A request failed: it moves nothing. */
export function fail(state: State, name: string): State {
  const stream = streamOf(state, name);
  if (stream?.pending === undefined) return state;
  return name === 'main' ? withStream(state, name, { ...stream, pending: undefined }) : withoutStream(state, name);
}

/** A request was answered: its markers are entries now. A side call leaves nothing else behind, but what it read lives on. */
export function accept(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { stream: name, usage } = event.data;
  const stream = streamOf(state, name);
  if (stream?.pending === undefined) return elsewhere(state, event);
  const { pending, reach } = stream;
  const cached = cachedAt(usage, pending.prepared.kept?.grid);
  const { cache, touched } = cacheBehind(state, pending, usage, cached);
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

/** The last count in front of a call that was cut; what had none itself, but was cut too, stands behind the same. */
function countedBefore({ counted }: State, before: Accepted | undefined): RequestCount | undefined {
  if (before === undefined || isUncounted(before)) return counted;
  const { position, input, model, answer, spans } = before;
  return { position, input, model, answer, spans, front: counted?.front };
}

/** An answer to a request that is not in the log: a recording's. What it counted is known all the same. */
function elsewhere(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { history, epoch, counted } = state;
  const { position, kind, data } = event;
  if (epoch === undefined || !isRecorded(epoch.opened)) return state;
  if (data.stream !== 'main' || kind === 'answer.interrupted') return state;
  const { model } = epoch.opened;
  const input = inputTokens(data.usage ?? {});
  // An answer without a total, or one that another record counts, leaves the count before it in force.
  if (input === undefined && counted?.input !== undefined) return state;
  const front = counted?.front ?? (input && Math.max(0, input - historySize(history).tokens));
  return { ...state, counted: { position, input, model, answer: answerOf(event), spans: history.settled, front } };
}

/** A side call that read what the main stream left has begun its life anew, and may have left an entry further on. */
function keptWarm(state: State, touched: readonly CacheEntry[]): State {
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
  // Each text teaches once: what a counted request held already is not compared again.
  const added =
    since === undefined || before === undefined ? ([all, input] as const) : ([since, input - before] as const);
  const learnt = { appended: learn(appended, estimated, input - measured), whole: learn(whole, ...added) };
  return learnt.appended === appended && learnt.whole === whole ? ratios : { ...ratios, [model]: learnt };
}

/** The scales behind a request that was counted. */
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

/** What shrank was dropped by the provider, and tells nothing of what was appended. */
function learn(ratio: Ratio, estimated: number, counted: number): Ratio {
  if (counted <= 0) return ratio;
  return learnRatio(ratio, estimated, Math.min(estimated * ODD, Math.max(estimated / ODD, counted)));
}

/** What was not read again, and not for its age, is no pause's doing: it was dropped, packed anew or stripped. */
function recordPause(
  { accepted, pauses, away }: Stream,
  { at }: SentRequest,
  { usage, ...ended }: { readonly usage?: Usage; readonly miss?: Miss },
): Pick<Stream, 'pauses' | 'away'> {
  if (!accepted?.cached || usage?.read === undefined) return { pauses, away };
  const held = accepted.cached;
  // What another cause would have lost as well, no longer life would have kept.
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

/** What was read or written; where writing is free and not told, what of the whole lies on the grid. */
function cachedAt(usage: Usage | undefined, grid: Grid | undefined): number | undefined {
  if (usage === undefined) return undefined;
  if (grid === undefined) return cachedTokens(usage);
  const total = inputTokens(usage);
  return total === undefined ? undefined : onGrid(total, grid);
}
