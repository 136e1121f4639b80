// Creates a capability row for a model that is in no catalog, such as a model of a compatible server or a router. The
// user gives the limits; everything else is unknown (L7).

import type { Capabilities } from './capabilities.ts';

/** Properties of an unlisted model that the user gives. Sizes are in tokens. */
export interface UnlistedModel {
  readonly provider: string;
  readonly model: string;
  /** Context window: input and output together, as servers configure it (`num_ctx`, `--max-model-len`, `-c`). */
  readonly window: number;
  readonly outputLimit: number;
  /** Day on which the user gave the properties, `YYYY-MM-DD`. */
  readonly asOf: string;
}

/**
 * Returns a row without prices, floor or lifetimes. Its `markers` are `unknown`: many servers reuse a prefix in memory,
 * so requests keep their bytes stable, but no server promises a cache.
 */
export function unlistedModel(properties: UnlistedModel): Capabilities {
  const { provider, model, outputLimit, asOf } = properties;
  return {
    provider,
    model,
    aliases: [],
    inputLimit: Math.max(0, properties.window - outputLimit),
    window: { tokens: properties.window, sharedWithOutput: 'refused' },
    outputLimit,
    markers: 'unknown',
    slots: 0,
    lookback: 0,
    runsCollapse: false,
    ttls: [],
    renderParameters: { model: 'tools' },
    thinkingStripped: 'at-new-turn',
    prefixCheck: false,
    appends: [],
    prefill: false,
    forcedToolChoice: false,
    prewarm: false,
    promotes: 'no',
    prices: [],
    source: 'said by its user',
    asOf,
  };
}
