// What arrived, call by call, so that a test can say what must have been sent. Bounded: the oldest go first.

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

/** Tokens as the wire tells them. `input_tokens` is only what follows the last breakpoint (§1.4). */
export interface SimulatedUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number } | null;
  readonly server_tool_use: null;
  readonly service_tier: 'standard';
  readonly inference_geo: 'not_available';
  readonly speed: 'standard' | 'fast' | null;
}

/** Tokens of one call. `input` is all of it: `read`, `writtenShort` and `writtenLong` are disjoint parts of it. */
export interface TokenCounts {
  readonly input: number;
  readonly read: number;
  /** Into entries of the usual lifetime: 30m, or 5m behind a router. */
  readonly writtenShort: number;
  /** Into entries that live longer: 12h, or 1h behind a router. */
  readonly writtenLong: number;
  readonly output: number;
  /** Part of `output`. */
  readonly reasoning: number;
}
