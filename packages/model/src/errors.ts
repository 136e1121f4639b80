// What a provider's failure means, sorted by what to do next.

import { CodedError } from '@tidemark/core';

/**
 * `retryable`: later, with `afterMs` if it was said. `compaction`: too long, compact and retry. `refused`: tell the user.
 * `stop`: nothing helps here (authentication, billing).
 */
export type ProviderErrorClass = 'retryable' | 'compaction' | 'refused' | 'stop';

/** Codes of this project for what went wrong, whatever the provider calls it. */
export type ProviderErrorCode =
  | 'provider/rate-limited'
  | 'provider/overloaded'
  | 'provider/server'
  | 'provider/timeout'
  | 'provider/connection'
  | 'provider/cut'
  | 'provider/silent'
  | 'provider/malformed'
  | 'provider/too-long'
  | 'provider/too-large'
  | 'provider/invalid'
  | 'provider/authentication'
  | 'provider/permission'
  | 'provider/billing'
  | 'provider/not-found'
  | 'provider/unclosed-history'
  | 'provider/unsupported'
  | 'provider/aborted'
  | 'provider/address'
  | 'provider/oversized';

/** What of a request a provider refuses, as far as its error says so. */
export interface RefusedPlace {
  readonly holds?: 'image' | 'thinking' | 'call';
  /** Index of the message, or item, as the body counts them. */
  readonly message?: number;
  /** Index inside its content. */
  readonly content?: number;
  /** Index inside the content of a result that stands there. */
  readonly inner?: number;
  /** The id of a call. */
  readonly call?: string;
}

/** What is known of a failure beside its code. */
export interface ProviderErrorData {
  readonly provider: string;
  readonly status?: number;
  /** The provider's own word for the type. */
  readonly type?: string;
  readonly request?: string;
  readonly afterMs?: number;
  /** What it does not take of the request; absent where the error points to nothing. */
  readonly refused?: RefusedPlace;
  /** Which way the call went, where a provider has several. */
  readonly transport?: 'http' | 'websocket';
}

/** A failed call. What had arrived before is with the caller, who got it as stream parts. */
export class ProviderError extends CodedError<ProviderErrorCode, ProviderErrorData> {
  override readonly name = 'ProviderError';
  readonly class: ProviderErrorClass;

  constructor(
    nextAction: ProviderErrorClass,
    code: ProviderErrorCode,
    message: string,
    data: ProviderErrorData,
    cause?: unknown,
  ) {
    super(code, message, data, cause);
    this.class = nextAction;
  }
}
