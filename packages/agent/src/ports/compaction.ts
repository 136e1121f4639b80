// A compaction as others order it and read of it: who may start one, who writes the checkpoint, and the report.

import type { CompactionRefusal, CompactionSizes } from '@tidemark/context';
import type { AnswerPart, ContentPart, HistoryCompacted, Money, Position, Range, SessionId } from '@tidemark/log';

/** `manual` is a person's; all others are automatic. */
export type CompactionTrigger =
  | 'manual'
  | 'critical_pressure_preflight'
  | 'turn_preflight'
  | 'overflow_recovery'
  | 'websocket_critical_recovery'
  | 'auto';

/** Whether it is made to get a request accepted that had failed: the ladder goes on from where it stands. */
export function isRecovery(trigger: string): boolean {
  return trigger === 'overflow_recovery' || trigger === 'websocket_critical_recovery';
}

/**
 * Who writes a checkpoint: the log alone, or the model beside it. `auto`: the model where it reads the history from the cache,
 * else the log alone.
 */
export type CompactionBy = 'auto' | 'deterministic' | 'model';

/**
 * Who may compact. `manual`: a person alone. `preflight`: the runtime too, where the gauge is critical, a turn that begins is expected
 * to make it critical, or a request was refused as too long. `auto`: from the hard budget on.
 */
export type CompactionPolicy = 'manual' | 'preflight' | 'auto';

/** What came of it. Sizes are estimates, in tokens of the model. */
export interface CompactionReport {
  readonly outcome: 'compacted' | 'planned' | 'refused';
  readonly trigger: CompactionTrigger;
  readonly strategy: HistoryCompacted['strategy'];
  readonly sizes: CompactionSizes;
  readonly refused?: CompactionRefusal | 'interrupted';
  readonly range?: Range;
  /** Prompts and steers of the turn under way that stay as they were said. */
  readonly keeps?: readonly Position[];
  /** Messages that stay behind the checkpoint. */
  readonly kept?: number;
  /** Tokens that are written again because of it, and what that costs above reading them; absent when unknown. */
  readonly rewrite?: { readonly tokens: number; readonly cost?: Money };
  /** A length above which all of a request costs more, and that the next one stays below because of it. */
  readonly cliff?: number;
  readonly limitations?: readonly string[];
  /** Why no model helped, where one was to. */
  readonly fallback?: string;
  /** A model was asked, and did not help. */
  readonly askedInVain?: true;
  /** Its record, where one was made. */
  readonly position?: Position;
  /** Of a fresh start, the session that goes on from the checkpoint: that holds its record. */
  readonly fork?: SessionId;
}

/** Makes a side call. */
export type AskBeside = (call: {
  readonly purpose: string;
  readonly words: readonly ContentPart[];
  readonly history: 'main' | 'none';
  /** Asked once, and only where most of it will be read from the cache. */
  readonly optional?: true;
  readonly signal?: AbortSignal;
}) => Promise<{ readonly parts: readonly AnswerPart[]; readonly request: Position | undefined }>;
