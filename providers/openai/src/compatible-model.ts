// A capability row for a model behind a compatible server, which no catalog knows: what it can do is said by its user,
// and what nobody said is unknown (L7).

import type { Capabilities } from '@tidemark/model';
import { PROVIDER } from './wire/refuse.ts';

/** What its user says of it, in tokens. */
export interface CompatibleModel {
  readonly model: string;
  /** Input and output together, as such servers are configured: `num_ctx`, `--max-model-len`, `-c`. */
  readonly window: number;
  readonly outputLimit: number;
  /** The day on which it was said, `YYYY-MM-DD`. */
  readonly asOf: string;
}

/**
 * A row without prices, floor or lifetimes. Whether such a server caches is `unknown`: many reuse a prefix in memory, and
 * its bytes are kept stable for them, but nothing is promised.
 */
export function compatibleModel({ model, window, outputLimit, asOf }: CompatibleModel): Capabilities {
  return {
    provider: PROVIDER,
    model,
    aliases: [],
    inputLimit: Math.max(0, window - outputLimit),
    window: { tokens: window, sharedWithOutput: 'refused' },
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
    source: 'said by the user of a compatible server',
    asOf,
  };
}
