// Ledger of the calls that arrived, so that a test can check which requests were sent. The oldest calls are removed
// when the ledger is full.

/** How the scenario treated a call. Its fields are filled in while the call is answered. */
export interface CallTrace {
  /** Name of the route that matched the call. Absent in a scenario without routes. */
  route?: string;
  /** Number of the step that answered the call, counted from 1. */
  step?: number;
  /**
   * Cause of a refusal that no provider would send. `fault` means that the test planned the refusal. `unmatched` means
   * that the scenario has no answer to the call.
   */
  cause?: 'fault' | 'unmatched';
}

/** Call that arrived, with its request, status and usage. */
export interface LedgerCall extends Readonly<CallTrace> {
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

/** Request of a call as it arrived. */
export interface ReceivedCall {
  readonly body: Uint8Array;
  /** HTTP headers with lower-case names. The values of headers that can contain a secret are replaced by `***`. */
  readonly headers: { readonly [name: string]: string };
}

/** Function that receives each call when it is answered or refused. */
export type CallWatcher = (call: LedgerCall, received: ReceivedCall) => void;

/** Request that no endpoint received. Its path has no route, its key is missing, or its body is above the limit. */
export interface RejectedRequest {
  /** Time on the simulator's clock, in milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly status: number;
  readonly message: string;
}

/** List of the calls that arrived, oldest first. */
export interface Ledger {
  /** Adds a call. If the ledger keeps no calls, `describe` is not called. */
  add(describe: () => LedgerCall, received: ReceivedCall): void;
  readonly calls: readonly LedgerCall[];
}

/** Creates a ledger that keeps the latest `most` calls, and passes each call to the watchers. */
export function createLedger(most: number, watchers: readonly CallWatcher[]): Ledger {
  const calls: LedgerCall[] = [];
  return {
    add(describe, { body, headers }) {
      if (most === 0) return;
      const call = describe();
      const received = { body, headers: maskHeaders(headers) };
      for (const watch of watchers) watch(call, received);
      calls.push(call);
      if (calls.length > most) calls.shift();
    },
    calls,
  };
}

const SECRET = /authorization|cookie|key|token|secret|password|credential/;

/** Replaces the value of each header whose name suggests a secret. */
function maskHeaders(headers: ReceivedCall['headers']): ReceivedCall['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name.toLowerCase()) ? '***' : value]),
  );
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
