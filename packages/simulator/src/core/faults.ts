// Faults that a test can request: a refusal instead of an answer, a failure during the answer, or wrong content.

/** Numbers that replace the true ones in the reported `usage`. An absent number is reported correctly. */
export interface WrongUsage {
  readonly input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens?: number;
}

/**
 * Fault of one call. `afterEvents` is the number of server-sent events that are sent before the fault. If the stream
 * has fewer events, the fault has no effect. If the answer is not streamed, a fault of the stream takes effect before
 * the first byte.
 */
export type Fault =
  /** Status 429. `retryAfter` is in seconds. If it is absent, the client has reached a spending limit. */
  | { readonly kind: 'rate-limited'; readonly retryAfter?: number }
  /** Status 529 in the Messages API, 503 in OpenAI's APIs. */
  | { readonly kind: 'overloaded' }
  /** Status 500. */
  | { readonly kind: 'server-error' }
  /**
   * Refusal with this error text, for example because of content in the request. Default: status 400 with type
   * `invalid_request_error`.
   */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly status?: number;
      readonly type?: string;
      /** Error code. `code` and `param` are reported only by OpenAI's APIs. */
      readonly code?: string;
      readonly param?: string;
    }
  /** The connection is cut after `afterEvents` events. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** The stream stops after `afterEvents` events (default 0), but the connection stays open. */
  | { readonly kind: 'silence'; readonly afterEvents?: number }
  /** The first byte is delayed by `ms` real milliseconds. */
  | { readonly kind: 'slow-first-byte'; readonly ms: number }
  /**
   * Error event after the status 200, by default an overload in the Messages API and a server error in OpenAI's APIs.
   * With `form: 'failed'`, a stream of the Responses API ends with a failed response instead.
   */
  | {
      readonly kind: 'error-event';
      readonly afterEvents: number;
      readonly type?: string;
      readonly message?: string;
      readonly form?: 'error' | 'failed';
    }
  /** Stream event whose data is not valid JSON. Without a stream, the body is cut in half. */
  | { readonly kind: 'malformed-event'; readonly afterEvents: number }
  /**
   * The upgrade to a WebSocket is refused, by default with status 426. This fault is allowed only in `Simulator.fail`.
   */
  | { readonly kind: 'upgrade-refused'; readonly status?: number }
  /** A WebSocket connection forgets its latest response. This fault is allowed only in `Simulator.fail`. */
  | { readonly kind: 'forgotten' }
  /**
   * All cache entries of the account are removed before this request looks for an entry. In the Messages API, and for
   * Claude through a router, only the entries of the requested model are removed.
   */
  | { readonly kind: 'evicted' }
  /** The response reports wrong numbers as its usage. The ledger still records the true numbers. */
  | { readonly kind: 'wrong-usage'; readonly usage: WrongUsage };

/** Fault that sends an error event in a stream. */
export type ErrorFault = Extract<Fault, { readonly kind: 'error-event' }>;
