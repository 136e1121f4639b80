// Forecast of the next call of a session: its tokens, its price, and the time at which its cache entry expires.

import type { ForeseenRewrite, Gauge } from '@tidemark/context';
import type { Money, RenderParameters, Timestamp } from '@tidemark/log';
import type { CompactionTrigger, PricedInput } from './compaction.ts';
import type { InputBuckets } from './input-buckets.ts';

/** Forecast of the call that a prompt would make now. */
export interface NextCall extends NextCallPrice {
  readonly provider: string;
  readonly model: string;
  readonly parameters: RenderParameters;
  /** Fill level of the window with the call. */
  readonly gauge: Gauge;
  /** Reason why the runtime compacts the history before the call. The forecast is for the history before that. */
  readonly compacts?: CompactionTrigger;
  /**
   * The call after that compaction, with a checkpoint that is made from the log. Absent if the runtime compacts nothing,
   * or if the compaction will be refused.
   */
  readonly compacted?: PricedInput;
  /**
   * Input that the content of the prompt adds. Present if it reaches the threshold of the session for notices about
   * rewrites.
   */
  readonly largePrompt?: PromptSize;
  /**
   * Time at which the cache entry that the call reads expires, if nothing reads it before. Absent if the call reads no
   * known entry.
   */
  readonly expires?: Timestamp;
  /** Price of the same call at `expires`. */
  readonly expired?: NextCallPrice;
}

/** Input that the content of a prompt adds to a call. `cost` is in US dollars. It is absent if a price is unknown. */
export interface PromptSize {
  readonly tokens: number;
  readonly cost?: Money;
}

/** Forecast input of a call and its price before the answer. */
export interface NextCallPrice {
  readonly tokens: InputBuckets;
  /** Cost of the input in US dollars. Absent if a price is unknown. */
  readonly cost?: Money;
  /** `unknown` if the caching rules of the provider are unknown. The forecast then assumes no cache. */
  readonly caching?: 'unknown';
  /** Tokens that were sent before and are paid again. Absent if all of them are read from the cache. */
  readonly rewrite?: ForeseenRewrite;
  /** True if the runtime reports the rewrite, or asks about it, before it sends the call. */
  readonly reported: boolean;
}
