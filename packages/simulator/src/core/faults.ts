// What can go wrong on request: instead of an answer, on its way, or with what it says.

/** Numbers of a `usage` to be told wrong. */
export interface WrongUsage {
  readonly input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens?: number;
}

/** One fault. `afterEvents` counts server-sent events, all of them at most; without a stream, such a fault strikes before the first byte. */
export type Fault =
  /** 429; `retryAfter` in seconds, none on a spent budget. */
  | { readonly kind: 'rate-limited'; readonly retryAfter?: number }
  /** 529. */
  | { readonly kind: 'overloaded' }
  /** 500. */
  | { readonly kind: 'server-error' }
  /** A refusal in these words, for what the request holds: by default 400 `invalid_request_error`. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly status?: number;
      readonly type?: string;
      /** Told by OpenAI alone. */
      readonly code?: string;
      readonly param?: string;
    }
  /** The connection is cut. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** Nothing more comes, the connection stays open. */
  | { readonly kind: 'silence'; readonly afterEvents?: number }
  /** The first byte comes late, by so many real milliseconds. */
  | { readonly kind: 'slow-first-byte'; readonly ms: number }
  /** An overload that comes after the 200. `failed` lets a response of the Responses wire end as failed instead. */
  | {
      readonly kind: 'error-event';
      readonly afterEvents: number;
      readonly type?: string;
      readonly message?: string;
      readonly form?: 'error' | 'failed';
    }
  /** An event whose data is no JSON. */
  | { readonly kind: 'malformed-event'; readonly afterEvents: number }
  /** A connection is not upgraded to a WebSocket: by default with 426. For `fail` alone. */
  | { readonly kind: 'upgrade-refused'; readonly status?: number }
  /** A WebSocket connection no longer knows its latest response. For `fail` alone. */
  | { readonly kind: 'forgotten' }
  /** Every entry of the account is gone before this request is accounted. */
  | { readonly kind: 'evicted' }
  /** The answer tells wrong numbers; the account stays right. */
  | { readonly kind: 'wrong-usage'; readonly usage: WrongUsage };

/** The fault that a stream tells. */
export type ErrorFault = Extract<Fault, { readonly kind: 'error-event' }>;
