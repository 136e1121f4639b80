// Compares a model's own token counts with the estimates of `estimateTokens`. The ratio is learnt from usage, together
// with the error of the estimates (L7). Ratios are values. A fold has one ratio per model and replaces it when the
// usage of a call arrives.

import type { RequestPrepared, CallForecast } from '@tidemark/log';
import type { AppendOnly } from '../base/append-only.ts';
import { append, appendOnly, itemAt, slice } from '../base/append-only.ts';

/**
 * Learnt ratio of counted to estimated tokens. Each new comparison reduces the weight of the older ones, so the current
 * content of a session has more weight than earlier content.
 */
export interface Ratio {
  /** Weighted sums of the estimates (`estimated`), and of the provider's counts of the same texts (`actual`). */
  readonly estimated: number;
  readonly actual: number;
  /**
   * `missed` is the weighted sum of the absolute errors that the estimates had when they were made. `counted` is the
   * weighted sum of the counts that the estimates were compared with.
   */
  readonly missed: number;
  readonly counted: number;
  /** Number of comparisons. */
  readonly samples: number;
}

/** Ratios learnt from the usage of one model's calls. */
export interface Learnt {
  /** Ratio for text that was appended to a counted request. */
  readonly appended: Ratio;
  /**
   * Ratio for the blocks of requests. Each block is compared only one time. For a first request, all blocks are
   * compared. For a later request, only the added blocks are compared.
   */
  readonly whole: Ratio;
}

/** An estimate of tokens, with its error (L7). */
export interface TokenEstimate {
  /** Estimated tokens, a whole number. */
  readonly tokens: number;
  /**
   * Observed error of such estimates, as a share: 0.06 is 6%. Absent before the first comparison, because the error is
   * unknown.
   */
  readonly error?: number;
}

/** Weight of the first guess, in estimated tokens. The guess counts as much as one text of this size. */
const GUESS_WEIGHT = 500;

/** Share of older sums that remains after one more comparison. */
const FADE = 0.95;

/** Returns a ratio without observations. It applies `factor` until usage corrects it. */
export function guessRatio(factor = 1): Ratio {
  return { estimated: GUESS_WEIGHT, actual: GUESS_WEIGHT * factor, missed: 0, counted: 0, samples: 0 };
}

/** Ratios of a model whose calls reported no usage yet. */
export const NOTHING_LEARNT: Learnt = { appended: guessRatio(), whole: guessRatio() };

/** Returns the ratios learnt for a model. Only own members are read, because a log may name a model `constructor`. */
export function learntFor(ratios: { readonly [model: string]: Learnt }, model: string): Learnt {
  return (Object.hasOwn(ratios, model) ? ratios[model] : undefined) ?? NOTHING_LEARNT;
}

/**
 * Returns the ratio after a comparison. A text was estimated at `estimated` tokens (by `estimateTokens`, unscaled) and
 * counted as `actual` tokens. If the estimate or the count is not positive, the ratio stays unchanged.
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

/**
 * Converts an unscaled estimate to the model's scale. If at least one earlier estimate with this ratio was compared
 * with a count, the result also contains the mean error of these estimates.
 */
export function applyRatio(ratio: Ratio, estimated: number): TokenEstimate {
  const tokens = Math.ceil((estimated * ratio.actual) / ratio.estimated);
  return ratio.samples === 0 ? { tokens } : { tokens, error: ratio.missed / ratio.counted };
}

/**
 * Scales of one session. A scale is the number of tokens that the provider counts for one estimated token. Each stretch
 * of text has the scale of the request that counted it first. Texts of different kinds have different scales. If a
 * request's parts are packed again, its size therefore needs more than one ratio. Derived from the session's records
 * (L9).
 */
export interface Scales {
  /** Model that counted last. */
  readonly model: string;
  /** Scale of the front: tools and system texts. */
  readonly front: number;
  /** Scales of the history, in ascending order of `spans`. */
  readonly tail: AppendOnly<StretchScale>;
  /** Factor of each model relative to the model that counted first. A model without a count is absent. */
  readonly factors: { readonly [model: string]: number };
}

/**
 * Scale of one stretch. A stretch contains the spans from the end of the previous stretch up to, but not including, the
 * ordinal `spans`.
 */
export interface StretchScale {
  readonly spans: number;
  readonly scale: number;
}

/** A request whose input the provider counted. */
export interface CountedRequest {
  readonly model: string;
  readonly prepared: Pick<RequestPrepared, 'size' | 'forecast'>;
  /** Input tokens as the provider counted them. */
  readonly input: number;
  /** Input tokens of the last counted request before this one. */
  readonly before: number | undefined;
  /** Number of spans in the request, counted in settled order. */
  readonly spans: number;
  /**
   * Ordinal of the first span that is still packed. When the history is packed again, the scales of older stretches are
   * dropped.
   */
  readonly first: number;
  /** Scale that was assumed for text without a count. */
  readonly assumed: number;
}

/**
 * Maximum factor by which a real count can differ from its estimate, in either direction. If the difference is larger,
 * the request contains content that is not text of this session. The scale is then limited to this factor.
 */
const ODD = 4;

/**
 * Returns the scales after one more counted request. If the request continues from a counted request of the same model,
 * its added text gets its own scale. Any other request corrects all scales by the relative error of its forecast.
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

/** Returns the scale at which a model counts the text of a span, or `undefined` for text without a count. */
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

/** Returns the scale at which a model counts the front. */
export function scaleOfFront(scales: Scales, model: string): number {
  return scales.front * factorOf(scales, model);
}

/** Values learnt from counted requests. */
export interface Taught {
  readonly ratios: { readonly [model: string]: Learnt };
  readonly scales: Scales | undefined;
}

/**
 * Returns the ratio for text without a count. If this model has no counts yet, the ratio of the model that counted last
 * is returned.
 */
export function newTextRatio({ ratios, scales }: Taught, model: string): Ratio {
  const own = learntFor(ratios, model).whole;
  return own.samples > 0 || scales === undefined ? own : learntFor(ratios, scales.model).whole;
}

/** Data for converting estimated tokens of a text into tokens of `model`. */
export interface Scaling {
  readonly scales: Scales | undefined;
  /** Ratio for text without a count: see `newTextRatio`. */
  readonly ratio: Pick<Ratio, 'actual' | 'estimated'>;
  readonly model: string;
}

/**
 * Returns the tokens that a model counts for one estimated token of a text. The ordinal -1 means the front, and
 * `undefined` means text that is in no span yet. All sizes that are reported before a break use this scale.
 */
export function scaleOfText({ scales, ratio, model }: Scaling, ordinal: number | undefined): number {
  const counted = scales && ordinal !== undefined ? countedScale(scales, ordinal, model) : undefined;
  return counted ?? ratio.actual / ratio.estimated;
}

function countedScale(scales: Scales, ordinal: number, model: string): number | undefined {
  return ordinal < 0 ? scaleOfFront(scales, model) : scaleOfSpan(scales, ordinal, model);
}

/** A span that no request contains yet. */
export interface NewSpan {
  readonly ordinal: number;
  /**
   * `scale` is the scale at which the model will count the span. `before` is the scale of other new text before the
   * span.
   */
  readonly scale: number;
  readonly before: number;
  readonly model: string;
}

/**
 * Returns the scales with the scale of a new span. Use it for a span whose text is similar to text that was already
 * counted.
 */
export function withSpanScale(scales: Scales, { ordinal, scale, before, model }: NewSpan): Scales {
  const last = itemAt(scales.tail, -1)?.spans ?? 0;
  if (last > ordinal) return scales;
  const factor = factorOf(scales, model);
  const uncounted = last < ordinal ? [{ spans: ordinal, scale: before / factor }] : [];
  return { ...scales, tail: append(scales.tail, ...uncounted, { spans: ordinal + 1, scale: scale / factor }) };
}

/** Checks that this model has counted at least one request of the session. */
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

/**
 * Corrects all scales by the relative error of the forecast. If the model counts for the first time, the error becomes
 * the factor of the model instead.
 */
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

/**
 * Returns `counted / estimated`, limited by `ODD` in both directions. Returns `undefined` if either number is not
 * positive.
 */
function ratioOf(counted: number, estimated: number): number | undefined {
  if (!(estimated > 0) || !(counted > 0)) return undefined;
  return clampScale(counted / estimated);
}

function clampScale(scale: number): number {
  return Math.min(ODD, Math.max(1 / ODD, scale));
}

/** Returns the input tokens of the whole request, as forecast. */
export function expectedInput({ read, write, fresh }: Pick<CallForecast, 'read' | 'write' | 'fresh'>): number {
  return read + write + fresh;
}
