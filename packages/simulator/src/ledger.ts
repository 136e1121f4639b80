// What arrived, call by call, so that a test can say what must have been sent. Bounded: the oldest go first.

import type { TokenCounts } from './openai/usage.ts';
import type { SimulatedUsage } from './usage.ts';

/** One call that arrived. */
export interface LedgerCall {
  /** Milliseconds since the epoch, by the simulator's clock. */
  readonly at: number;
  /** Whose wire format it was. */
  readonly wire: 'anthropic' | 'openai' | 'openrouter';
  readonly endpoint: 'messages' | 'count_tokens' | 'responses' | 'responses/input_tokens' | 'chat/completions';
  readonly account: string;
  /** Empty when the body could not be read that far. */
  readonly model: string;
  /** SHA-256 of the body's bytes in lower-case hex. */
  readonly digest: string;
  readonly bytes: number;
  readonly status: number;
  /** The true account of a messages call, whatever a fault made the answer say. */
  readonly usage?: SimulatedUsage;
  /** The true account of a call of the OpenAI part. */
  readonly counts?: TokenCounts;
  /** `msg_…`, `resp_…` or `chatcmpl-…`, when it was answered. */
  readonly message?: string;
  /** Why it was refused. */
  readonly refusal?: { readonly type: string; readonly message: string };
}

/** The list of calls. */
export interface Ledger {
  /** Enters a call; where none is kept it is not even described. */
  add(describe: () => LedgerCall): void;
  readonly calls: readonly LedgerCall[];
}

/** A ledger of the latest `most` calls. */
export function createLedger(most: number): Ledger {
  const calls: LedgerCall[] = [];
  return {
    add(describe) {
      if (most === 0) return;
      calls.push(describe());
      if (calls.length > most) calls.shift();
    },
    calls,
  };
}
