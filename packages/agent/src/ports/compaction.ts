// Types of a compaction: its triggers, its policy, the writer of its checkpoint, and its report.

import type { CompactionRefusal, CompactionSizes } from '@tidemark/context';
import type { AnswerPart, ContentPart, HistoryCompacted, Money, Position, Range, SessionId } from '@tidemark/log';
import type { InputBuckets } from './input-buckets.ts';

/** Cause of a compaction. `manual` is a compaction that a person started. All others are automatic. */
export type CompactionTrigger =
  | 'manual'
  | 'critical_pressure_preflight'
  | 'turn_preflight'
  | 'overflow_recovery'
  | 'websocket_critical_recovery'
  | 'auto';

/**
 * Returns true if the purpose of the compaction is to get a failed request accepted. Each further compaction of this
 * kind keeps less history.
 */
export function isRecovery(trigger: string): boolean {
  return trigger === 'overflow_recovery' || trigger === 'websocket_critical_recovery';
}

/**
 * Writer of a checkpoint. `deterministic` builds it from the log alone. `model` asks the model to add to it. `auto`
 * asks the model if the history can be read from the cache. Otherwise `auto` uses the log alone.
 */
export type CompactionBy = 'auto' | 'deterministic' | 'model';

/**
 * Policy for starting a compaction. With `manual` only a person starts it. With `preflight` the runtime also starts it
 * in three cases: the gauge is critical, a new turn is expected to make it critical, or a request was refused as too
 * long. With `auto` the runtime also starts it when the input reaches the `hard` budget.
 */
export type CompactionPolicy = 'manual' | 'preflight' | 'auto';

/** Report of a compaction. Sizes are estimates in tokens of the model. */
export interface CompactionReport {
  readonly outcome: 'compacted' | 'planned' | 'refused';
  readonly trigger: CompactionTrigger;
  readonly strategy: HistoryCompacted['strategy'];
  readonly sizes: CompactionSizes;
  readonly refused?: CompactionRefusal | 'interrupted';
  readonly range?: Range;
  /** Positions of the prompts and steering messages in the running turn. They are kept word for word. */
  readonly keeps?: readonly Position[];
  /** Number of messages of the history that are kept after the checkpoint. */
  readonly kept?: number;
  /**
   * Tokens that the next request would read from the cache, and that it pays for because of the compaction. `cost` is
   * the added cost, compared with reading these tokens. It is absent if the price is unknown. `rewrite` is absent if
   * nothing would be read: then the compaction only makes the next request smaller.
   */
  readonly rewrite?: { readonly tokens: number; readonly cost?: Money };
  /**
   * Forecast input of the next request with an almost empty prompt: with the history as it is now, and with the
   * compaction. Absent if the session has no forecast, for example during a turn.
   */
  readonly next?: { readonly uncompacted: PricedInput; readonly compacted: PricedInput };
  /**
   * Input length in tokens above which the model charges more for the whole request. Present if the compaction brings
   * the next request below this length.
   */
  readonly cliff?: number;
  readonly limitations?: readonly string[];
  /** Reason why the model did not contribute, if the writer was `auto` or `model`. */
  readonly fallback?: string;
  /** True if the model was asked but did not contribute. */
  readonly askedInVain?: true;
  /** Position of the `history.compacted` record, if one was written. */
  readonly position?: Position;
  /** Id of the new session that a fresh start creates. The record at `position` is in the new session. */
  readonly fork?: SessionId;
}

/** Input of a request by bucket, and its cost in US dollars. `cost` is absent if a price is unknown. */
export interface PricedInput {
  readonly tokens: InputBuckets;
  readonly cost?: Money;
}

/** Forecasts the next request without a compaction and with it. Returns `undefined` if there is no forecast. */
export type PriceCompaction = (compaction: HistoryCompacted) => Promise<CompactionReport['next']>;

/** Sends a side call to the model. */
export type AskBeside = (call: {
  readonly purpose: string;
  readonly words: readonly ContentPart[];
  readonly history: 'main' | 'none';
  /** True if the call must not be repeated. It is sent only if most of its input will be read from the cache. */
  readonly optional?: true;
  readonly signal?: AbortSignal;
}) => Promise<{ readonly parts: readonly AnswerPart[]; readonly request: Position | undefined }>;
