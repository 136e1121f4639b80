// Error of a turn that did not complete, with a code that a program can compare.

import type { ProviderErrorCode } from '@tidemark/model';
import type { AgentErrorCode } from '../errors.ts';

/** Limit of a turn. */
export type TurnLimit = 'steps' | 'time' | 'tokens' | 'cost';

/**
 * Codes of a turn's error that this version uses. The codes `turn/…` are for ends of the turn itself. A failure of the
 * provider has the code of its `ProviderError`. A step that could not be prepared has the code of its `AgentError`.
 */
export type KnownTurnErrorCode =
  | `turn/limit-${TurnLimit}`
  | 'turn/rewrite-declined'
  | 'turn/refused'
  | 'turn/output-limit'
  | 'turn/output-mismatch'
  | 'turn/output-unchecked'
  | 'turn/window-full'
  | 'turn/context-unfit'
  | ProviderErrorCode
  | AgentErrorCode;

/**
 * Code of a turn's error. An editor can complete the known codes. Any other text is also valid, because another version
 * may have written the session.
 */
export type TurnErrorCode = KnownTurnErrorCode | (string & Record<never, never>);

/** Reason why a turn or a side call has another outcome than `completed`. */
export interface TurnError {
  readonly code: TurnErrorCode;
  readonly message: string;
  /** Next action, such as raising a limit. */
  readonly next: string;
}

/** Codes of the limits, with their limits. */
const LIMITS: ReadonlyMap<string, TurnLimit> = new Map<`turn/limit-${TurnLimit}`, TurnLimit>([
  ['turn/limit-steps', 'steps'],
  ['turn/limit-time', 'time'],
  ['turn/limit-tokens', 'tokens'],
  ['turn/limit-cost', 'cost'],
]);

/** Returns the limit that caused an error. `undefined` for any other error. */
export function limitIn(error: Pick<TurnError, 'code'> | undefined): TurnLimit | undefined {
  return error === undefined ? undefined : LIMITS.get(error.code);
}
