// Ledger of the calls that arrived, so that a test can check which requests were sent. The oldest calls are removed
// when the ledger is full.

/** Call that arrived, with its request, status and usage. */
export interface LedgerCall {
  /** Time of the call on the simulator's clock, in milliseconds since the epoch. */
  readonly at: number;
  /** Provider whose API was called. */
  readonly wire: 'anthropic' | 'openai' | 'openrouter';
  readonly endpoint: 'messages' | 'count_tokens' | 'responses' | 'responses/input_tokens' | 'chat/completions';
  readonly account: string;
  /** Model name. Empty if the body could not be read. */
  readonly model: string;
  /** SHA-256 of the body, in lower-case hex. */
  readonly digest: string;
  readonly bytes: number;
  readonly status: number;
  /** True usage of a call to the Messages API. A `wrong-usage` fault does not change it. */
  readonly usage?: SimulatedUsage;
  /** True token counts of a call to OpenAI or OpenRouter. A `wrong-usage` fault does not change them. */
  readonly counts?: TokenCounts;
  /** Id of the answer: `msg_…`, `resp_…` or `chatcmpl-…`. Absent if the call was refused. */
  readonly message?: string;
  /** Error type and error text of a refused call. */
  readonly refusal?: { readonly type: string; readonly message: string };
}

/** List of the calls that arrived, oldest first. */
export interface Ledger {
  /** Adds a call. If the ledger keeps no calls, `describe` is not called. */
  add(describe: () => LedgerCall): void;
  readonly calls: readonly LedgerCall[];
}

/** Creates a ledger that keeps the latest `most` calls. */
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

/**
 * Token counts with the field names of a Messages response. `input_tokens` counts only the input after the last
 * breakpoint (provider-facts §1.4).
 */
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
  /** Region that the request asks for, or `not_available` if it names none. */
  readonly inference_geo: string;
  readonly speed: 'standard' | 'fast' | null;
}

/**
 * Token counts of one call. `input` counts all input tokens. `read`, `writtenShort` and `writtenLong` are disjoint
 * parts of `input`.
 */
export interface TokenCounts {
  readonly input: number;
  readonly read: number;
  /** Tokens written to entries with the default lifetime: 30 minutes, or 5 minutes for Claude through a router. */
  readonly writtenShort: number;
  /** Tokens written to entries with the longer lifetime: 12 hours, or 1 hour for Claude through a router. */
  readonly writtenLong: number;
  readonly output: number;
  /** Number of reasoning tokens. They are included in `output`. */
  readonly reasoning: number;
}
