// How a model's own count of tokens compares with our estimate, learnt from usage, with how far off it has been (L7).
// A value: a fold keeps one per model and replaces it when a call's usage arrives.

import type { RequestPrepared, CallForecast } from '@tidemark/log';
import type { AppendOnly } from '../base/append-only.ts';
import { append, appendOnly, itemAt, slice } from '../base/append-only.ts';

/** What was learnt so far. Sums fade, so that what a session holds now counts more than what it held before. */
export interface Ratio {
  /** Faded sum of our estimates, and of what the provider counted for the same texts. */
  readonly estimated: number;
  readonly actual: number;
  /** Faded sum of how far the estimates were off when they were made, and of the counts they were off from. */
  readonly missed: number;
  readonly counted: number;
  /** How many comparisons it has learnt from. */
  readonly samples: number;
}

/** What the usage of a model's calls has taught of its tokens. */
export interface Learnt {
  /** By what was appended to a request that had been counted. */
  readonly appended: Ratio;
  /** By the blocks of requests, each counted once: all of a first request, then what was added to it. */
  readonly whole: Ratio;
}

/** An estimate that says it is one. */
export interface TokenEstimate {
  /** A whole number. */
  readonly tokens: number;
  /** How far off estimates have been, as a share: 0.06 is 6%. Absent before the first comparison: unknown. */
  readonly error?: number;
}

/** A first guess weighs as much as a text of this many tokens. */
const GUESS_WEIGHT = 500;

/** What is left of the past after one more comparison. */
const FADE = 0.95;

/** A ratio that has learnt nothing: the guess, until usage says better. */
export function guessRatio(factor = 1): Ratio {
  return { estimated: GUESS_WEIGHT, actual: GUESS_WEIGHT * factor, missed: 0, counted: 0, samples: 0 };
}

/** What is known of a model that was never asked. */
export const NOTHING_LEARNT: Learnt = { appended: guessRatio(), whole: guessRatio() };

/** What is known of this one. A log may call a model `constructor`. */
export function learntFor(ratios: { readonly [model: string]: Learnt }, model: string): Learnt {
  return (Object.hasOwn(ratios, model) ? ratios[model] : undefined) ?? NOTHING_LEARNT;
}

/**
 * The ratio after a text that was estimated at so many tokens (by `estimateTokens`, unscaled) turned out to have
 * `actual`. What tells nothing (no estimate, no count) leaves it as it is.
 */
export function learnRatio(ratio: Ratio, estimated: number, actual: number): Ratio {
  if (!(estimated > 0) || !(actual > 0)) return ratio;
  const missed = Math.abs(applyRatio(ratio, estimated).tokens - actual);
  return {
    estimated: ratio.estimated * FADE + estimated,
    actual: ratio.actual * FADE + actual,
    missed: ratio.missed * FADE + missed,
    counted: ratio.counted * FADE + actual,
    samples: ratio.samples + 1,
  };
}

/** An unscaled estimate brought to the model's scale, with the error that such estimates have had. */
export function applyRatio(ratio: Ratio, estimated: number): TokenEstimate {
  const tokens = Math.ceil((estimated * ratio.actual) / ratio.estimated);
  return ratio.samples === 0 ? { tokens } : { tokens, error: ratio.missed / ratio.counted };
}

/**
 * The scales of one session: tokens that the provider counts for one estimated token, for each stretch of text by the request that
 * counted it first. Texts of different kinds have different scales, so no single ratio sizes a request whose parts are packed
 * again. Derived from the session's records (L9).
 */
export interface Scales {
  /** The model that counted last. */
  readonly model: string;
  /** Of the front: tools and system texts. */
  readonly front: number;
  /** Of the history, ascending by `spans`. */
  readonly tail: AppendOnly<StretchScale>;
  /** What each model counts more or less than the one that counted first. A model that counted nothing is absent. */
  readonly factors: { readonly [model: string]: number };
}

/** The scale of all spans below an ordinal, down to the stretch before it. */
export interface StretchScale {
  readonly spans: number;
  readonly scale: number;
}

/** A request whose input was counted. */
export interface CountedRequest {
  readonly model: string;
  readonly prepared: Pick<RequestPrepared, 'size' | 'forecast'>;
  /** Input tokens as the provider counted them. */
  readonly input: number;
  /** The same of the last counted request before it. */
  readonly before: number | undefined;
  /** Spans that the request held, in settled order. */
  readonly spans: number;
  /** Ordinal of the first span that is still packed: older stretches are forgotten where the history was packed anew. */
  readonly first: number;
  /** The scale that was assumed for text that nobody had counted. */
  readonly assumed: number;
}

/** No text is counted so many times its estimate, or so many times less: a count beyond it holds something else. */
const ODD = 4;

/**
 * The scales after one more counted request. A request that goes on from a counted one teaches the scale of what was added.
 * Any other request corrects all scales by the share that its forecast was off.
 */
export function learnScales(scales: Scales | undefined, request: CountedRequest): Scales | undefined {
  const { whole, since, media = 0 } = request.prepared.size ?? {};
  if (whole === undefined) return scales;
  if (scales === undefined) return firstScales(request, whole - media, request.input - media);
  const { before } = request;
  if (since !== undefined && before !== undefined && request.model === scales.model)
    return addStretch(scales, request, ratioOf(request.input - before - media, since - media));
  return correctScales(scales, request, media);
}

/** The scale at which a model counts the text of a span; `undefined` for text that no model counted. */
export function scaleOfSpan(scales: Scales, ordinal: number, model: string): number | undefined {
  const { tail } = scales;
  let low = 0;
  let high = tail.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((itemAt(tail, middle)?.spans ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  const found = itemAt(tail, low);
  return found === undefined || low === tail.length ? undefined : found.scale * factorOf(scales, model);
}

/** The scale at which a model counts the front. */
export function scaleOfFront(scales: Scales, model: string): number {
  return scales.front * factorOf(scales, model);
}

/** What counted requests have taught. */
export interface Taught {
  readonly ratios: { readonly [model: string]: Learnt };
  readonly scales: Scales | undefined;
}

/** The ratio that usage has taught for text without a count: of this model, or of the last one that counted, where this one counted nothing. */
export function newTextRatio({ ratios, scales }: Taught, model: string): Ratio {
  const own = learntFor(ratios, model).whole;
  return own.samples > 0 || scales === undefined ? own : learntFor(ratios, scales.model).whole;
}

/** What sizes the text of a request on the scale of the model that will count it. */
export interface Scaling {
  readonly scales: Scales | undefined;
  /** Of text that no one counted: see `newTextRatio`. */
  readonly ratio: Pick<Ratio, 'actual' | 'estimated'>;
  readonly model: string;
}

/**
 * Returns the tokens that a model counts for one estimated token of a text: of the front for ordinal -1, else of a span. Every size that is
 * reported before a break is made with it.
 */
export function scaleOfText({ scales, ratio, model }: Scaling, ordinal: number | undefined): number {
  const counted = scales && ordinal !== undefined ? countedScale(scales, ordinal, model) : undefined;
  return counted ?? ratio.actual / ratio.estimated;
}

function countedScale(scales: Scales, ordinal: number, model: string): number | undefined {
  return ordinal < 0 ? scaleOfFront(scales, model) : scaleOfSpan(scales, ordinal, model);
}

/** A span that no request held yet. */
export interface NewSpan {
  readonly ordinal: number;
  /** The scale at which the model will count it, and the scale of other new text before it. */
  readonly scale: number;
  readonly before: number;
  readonly model: string;
}

/** Returns the scales with that of a new span, for a span whose text is like text that was counted. */
export function withSpanScale(scales: Scales, { ordinal, scale, before, model }: NewSpan): Scales {
  const last = itemAt(scales.tail, -1)?.spans ?? 0;
  if (last > ordinal) return scales;
  const factor = factorOf(scales, model);
  const uncounted = last < ordinal ? [{ spans: ordinal, scale: before / factor }] : [];
  return { ...scales, tail: append(scales.tail, ...uncounted, { spans: ordinal + 1, scale: scale / factor }) };
}

/** Whether this model counted a request of the session. */
export function isScaled(scales: Scales | undefined, model: string): boolean {
  return scales !== undefined && Object.hasOwn(scales.factors, model);
}

function factorOf({ factors }: Scales, model: string): number {
  return (Object.hasOwn(factors, model) ? factors[model] : undefined) ?? 1;
}

function firstScales({ model, spans }: CountedRequest, estimated: number, counted: number): Scales | undefined {
  const scale = ratioOf(counted, estimated);
  if (scale === undefined) return undefined;
  return { model, front: scale, tail: appendOnly([{ spans, scale }]), factors: { [model]: 1 } };
}

function addStretch(scales: Scales, { spans, model }: CountedRequest, scale: number | undefined): Scales {
  if (scale === undefined || (itemAt(scales.tail, -1)?.spans ?? 0) >= spans) return scales;
  return { ...scales, tail: append(scales.tail, { spans, scale: scale / factorOf(scales, model) }) };
}

/** The share by which the forecast was off holds for all texts alike: of a model that counts for the first time, it is its factor. */
function correctScales(scales: Scales, request: CountedRequest, media: number): Scales {
  const { model, first, assumed, input } = request;
  const off = ratioOf(input - media, expectedInput(request.prepared.forecast) - media);
  if (off === undefined) return scales;
  const known = Object.hasOwn(scales.factors, model);
  const shared = known ? off : 1;
  const factors = known ? scales.factors : { ...scales.factors, [model]: off };
  const packed = slice(scales.tail).filter((stretch) => stretch.spans > first);
  const tail = packed.map((stretch) => ({ ...stretch, scale: clampScale(stretch.scale * shared) }));
  const front = clampScale(scales.front * shared);
  return addStretch({ model, front, factors, tail: appendOnly(tail) }, request, clampScale(assumed * off));
}

/** `undefined` where one of them says nothing. */
function ratioOf(counted: number, estimated: number): number | undefined {
  if (!(estimated > 0) || !(counted > 0)) return undefined;
  return clampScale(counted / estimated);
}

function clampScale(scale: number): number {
  return Math.min(ODD, Math.max(1 / ODD, scale));
}

/** Returns the input tokens of the whole request, by its forecast. */
export function expectedInput({ read, write, fresh }: Pick<CallForecast, 'read' | 'write' | 'fresh'>): number {
  return read + write + fresh;
}
