// How a model's own count of tokens compares with our estimate, learnt from usage, with how far off it has been (L7).
// A value: a fold keeps one per model and replaces it when a call's usage arrives.

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
