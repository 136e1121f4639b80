// Why a compaction was made, in the words that the log keeps.

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
