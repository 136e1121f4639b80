// Errors of a provider, sorted by the action that the caller should take next.

import { CodedError } from '@tidemark/core';

/**
 * Action after a failure.
 *
 * - `retryable`: try again later, after `afterMs` if the provider named a delay.
 * - `compaction`: the request is too long or too large; compact and try again.
 * - `refused`: report the error to the user.
 * - `stop`: no retry or compaction helps (authentication, billing).
 */
export type ProviderErrorClass = 'retryable' | 'compaction' | 'refused' | 'stop';

/** Error codes of this project, independent of the provider's own names. */
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

/** Place in a request that the provider refuses. A field is absent if the provider's error does not name it. */
export interface RefusedPlace {
  readonly holds?: 'image' | 'thinking' | 'call';
  /** Index of the message, or of the item, in the request body. */
  readonly message?: number;
  /** Index of the refused part in the content of that message. */
  readonly content?: number;
  /** Index of the refused part inside the tool result that `content` points to. */
  readonly inner?: number;
  /** Id of the refused call. */
  readonly call?: string;
}

/** Data of a failed call, in addition to its error code. */
export interface ProviderErrorData {
  readonly provider: string;
  /** Next step of the caller, without a full stop. The message of the error ends with it. */
  readonly next?: string;
  readonly status?: number;
  /** The provider's own name of the error type. */
  readonly type?: string;
  readonly request?: string;
  readonly afterMs?: number;
  /** Part of the request that the provider refuses. Absent if the error names no part. */
  readonly refused?: RefusedPlace;
  /**
   * Optional field of the body that the server refuses, such as `stream_options`. The request can be sent without it.
   * Absent if the error names no such field.
   */
  readonly field?: string;
  /** Connection that carried the call. Absent if the provider has only one kind. */
  readonly transport?: 'http' | 'websocket';
}

/** A failed call. The caller has already received the stream parts that arrived before the failure. */
export class ProviderError extends CodedError<ProviderErrorCode, ProviderErrorData> {
  override readonly name = 'ProviderError';
  readonly class: ProviderErrorClass;

  /** @param message What happened, without a full stop at its end if `data.next` is set. */
  constructor(
    nextAction: ProviderErrorClass,
    code: ProviderErrorCode,
    message: string,
    data: ProviderErrorData,
    cause?: unknown,
  ) {
    super(code, data.next === undefined ? message : `${message}. Next: ${data.next}`, data, cause);
    this.class = nextAction;
    // Moves `data` to the end, so that a log prints the class next to the code.
    Reflect.deleteProperty(this, 'data');
    Object.assign(this, { data });
  }

  /** Message without the next step, for a caller that has a next step of its own. */
  get what(): string {
    const { next } = this.data;
    return next === undefined ? this.message : this.message.slice(0, -`. Next: ${next}`.length);
  }
}
