// What a presenter is told: committed records, and what passes by without being kept. Who missed the latter lost nothing.

import type { Gauge, NoWarming, Tier, WarmPlan } from '@tidemark/context';
import type { CallId, Money, Recorded, Timestamp } from '@tidemark/log';

/** One thing that happened. Only `recorded` is canonical. */
export type SessionEvent =
  | { readonly type: 'recorded'; readonly record: Recorded }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.progressed'; readonly call: CallId; readonly text: string }
  | { readonly type: 'notice.raised'; readonly notice: Notice }
  /** How full the request is that goes out now. */
  | { readonly type: 'status.changed'; readonly gauge: Gauge }
  | CacheWarming;

/** What is done about the pause between two turns: the next request that keeps the cache, or why there is none. */
interface CacheWarming {
  readonly type: 'cache.warming';
  /** US dollars that this has cost in the session so far. */
  readonly spent: Money;
  readonly plan?: Pick<WarmPlan, 'by' | 'cost' | 'gain'> & { readonly at: Timestamp; readonly until: Timestamp };
  readonly why?: NoWarming['why'];
}

/** Something said to a person, with a next action. */
export interface Notice {
  /** `turn/retrying`, `source/failed`. */
  readonly code: string;
  /** Where it is about pressure: how near the limit; `recovery`, where something was done about that. */
  readonly tier?: Tier | 'recovery';
  readonly message: string;
  readonly next: string;
}
