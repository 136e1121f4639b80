// Faults that a test can request: a refusal instead of an answer, a failure during the answer, or wrong content.

/** Numbers of a `usage` that are reported wrongly. */
export interface WrongUsage {
  readonly input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens?: number;
}

/**
 * Fault of one call. `afterEvents` is the number of server-sent events before the fault. If it is larger than the
 * number of events in the stream, the fault has no effect. Without a stream, the fault takes effect before the first
 * byte.
 */
export type Fault =
  /** Status 429. `retryAfter` is in seconds and is absent when a spending limit is reached. */
  | { readonly kind: 'rate-limited'; readonly retryAfter?: number }
  /** Status 529 on the Messages wire. */
  | { readonly kind: 'overloaded' }
  /** Status 500. */
  | { readonly kind: 'server-error' }
  /**
   * Refusal with this text, for example because of content in the request. Default: status 400 with type
   * `invalid_request_error`.
   */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly status?: number;
      readonly type?: string;
      /** Reported only on OpenAI's wires. */
      readonly code?: string;
      readonly param?: string;
    }
  /** The connection is cut. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** The stream stops, but the connection stays open. */
  | { readonly kind: 'silence'; readonly afterEvents?: number }
  /** The first byte is delayed by `ms` real milliseconds. */
  | { readonly kind: 'slow-first-byte'; readonly ms: number }
  /**
   * Error event after the status 200, by default an overload. With `failed`, a response of the Responses wire ends as
   * failed instead.
   */
  | {
      readonly kind: 'error-event';
      readonly afterEvents: number;
      readonly type?: string;
      readonly message?: string;
      readonly form?: 'error' | 'failed';
    }
  /** Stream event whose data is not valid JSON. */
  | { readonly kind: 'malformed-event'; readonly afterEvents: number }
  /** The upgrade to a WebSocket is refused, by default with status 426. Only for `fail`. */
  | { readonly kind: 'upgrade-refused'; readonly status?: number }
  /** A WebSocket connection forgets its latest response. Only for `fail`. */
  | { readonly kind: 'forgotten' }
  /**
   * All cache entries of the account are removed before this request is accounted. On the Messages wire, only those of
   * the requested model are removed.
   */
  | { readonly kind: 'evicted' }
  /** The answer reports wrong numbers. The account of the call stays correct. */
  | { readonly kind: 'wrong-usage'; readonly usage: WrongUsage };

/** Fault that sends an error event in a stream. */
export type ErrorFault = Extract<Fault, { readonly kind: 'error-event' }>;
