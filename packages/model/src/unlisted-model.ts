// A capability row for a model that no catalog knows, behind a compatible server or a router: what it can do is said by
// its user, and what nobody said is unknown (L7).

import type { Capabilities } from './capabilities.ts';

/** What its user says of it, in tokens. */
export interface UnlistedModel {
  readonly provider: string;
  readonly model: string;
  /** Input and output together, as servers are configured: `num_ctx`, `--max-model-len`, `-c`. */
  readonly window: number;
  readonly outputLimit: number;
  /** The day on which it was said, `YYYY-MM-DD`. */
  readonly asOf: string;
}

/**
 * A row without prices, floor or lifetimes. Whether its server caches is `unknown`: many reuse a prefix in memory, and its
 * bytes are kept stable for them, but nothing is promised.
 */
export function unlistedModel(said: UnlistedModel): Capabilities {
  const { provider, model, outputLimit, asOf } = said;
  return {
    provider,
    model,
    aliases: [],
    inputLimit: Math.max(0, said.window - outputLimit),
    window: { tokens: said.window, sharedWithOutput: 'refused' },
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
