// How much input one request may hold, and how much output it may then ask for.

import type { Capabilities } from '@tidemark/model';

/**
 * Most input tokens of a request that asks for so many tokens of output: the row's own limit, or what the output leaves of
 * the window where a provider adds both and refuses the sum. Where the answer just stops at the end of the window
 * (Anthropic from Claude 4.5 on), the output asked for takes nothing away. `undefined` where the row knows none.
 */
export function inputLimitOf(
  row: Pick<Capabilities, 'inputLimit' | 'window'>,
  outputLimit: number,
): number | undefined {
  const { tokens, sharedWithOutput } = row.window;
  const limit = sharedWithOutput === 'refused' ? Math.min(row.inputLimit, tokens - outputLimit) : row.inputLimit;
  return limit > 0 ? limit : undefined;
}

/** What an output limit is fitted to. */
export interface OutputFit {
  readonly asked: number;
  /** Tokens of the request, as `gaugeOf` tells them; absent is unknown. */
  readonly input?: number | undefined;
  /** How far off that may be, in tokens. */
  readonly margin?: number;
  /** Below this it is never lowered: words and a reasoning budget have to fit into it. */
  readonly least: number;
}

/**
 * The output limit that a request may ask for: as asked, or what its input leaves of a window that a provider refuses to
 * exceed with both together. Never so little that no answer fits: such a request is for a compaction to mend.
 */
export function fitOutput(row: Capabilities, fit: OutputFit): number {
  const { tokens, sharedWithOutput } = row.window;
  const asked = Math.min(fit.asked, row.outputLimit);
  if (sharedWithOutput !== 'refused' || fit.input === undefined) return asked;
  const room = tokens - fit.input - (fit.margin ?? 0);
  return Math.min(asked, Math.max(fit.least, Math.floor(room)));
}
