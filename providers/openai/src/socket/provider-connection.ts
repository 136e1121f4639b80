// Interface of a WebSocket connection to the Responses API, and the reasons why a call receives nothing over WebSocket.
// This file does not load the SDK.

import type { ProviderError } from '@tidemark/model';
import type { AnswerLimits, SdkClient } from '@tidemark/provider-wire';

/** OpenAI's SDK with a method that opens WebSockets. */
export interface OpenAISdk extends SdkClient {
  /**
   * Opens a WebSocket to the Responses API.
   *
   * @throws NotReached when no connection is made; ProviderError when the key is refused.
   */
  connect(opening: ConnectionOpening): Promise<ProviderConnection>;
}

/** Options for opening a WebSocket connection. */
export interface ConnectionOpening {
  readonly betas: string;
  /** Timeout for opening the connection, in milliseconds. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Limits on each frame, taken from the call that opens the connection. */
  readonly limits: AnswerLimits;
}

/** An open WebSocket connection. Only one call at a time uses it. */
export interface ProviderConnection {
  /**
   * Betas of the connection. They are sent when the connection opens, so a call with other betas needs another
   * connection.
   */
  readonly betas: string;
  /**
   * Id of the last answer on this connection. The service remembers that answer, so the next call can continue from it.
   * `undefined` before the first answer and after a failure.
   */
  remembers: string | undefined;
  isOpen(): boolean;
  send(frame: string): void;
  /**
   * Returns the next frame, or `undefined` after the connection is closed.
   *
   * @throws ProviderError `provider/oversized` for a frame above the limit.
   */
  next(): Promise<string | undefined>;
  /** Sets whether the connection keeps the process alive. `held` is true only while a call uses the connection. */
  hold(held: boolean): void;
  close(): void;
}

/**
 * Reason why a call received nothing.
 *
 * - `unreachable`: no connection was made.
 * - `refused`: the server did not upgrade the connection.
 * - `closed`: the connection was opened for this call and was closed before any frame.
 * - `silent`: the connection was opened for this call and sent nothing.
 */
type Obstacle = 'unreachable' | 'refused' | 'closed' | 'silent';

/**
 * Error of a call that received nothing, so the call may be sent over HTTP instead. `error` is the failure to report if
 * HTTP is not allowed for the call.
 */
export class NotReached extends Error {
  readonly obstacle: Obstacle;
  readonly error: ProviderError;
  /** True if another attempt is useless because the server does not support WebSockets. */
  readonly forGood: boolean;

  constructor(obstacle: Obstacle, error: ProviderError, forGood = false) {
    super(error.message);
    this.obstacle = obstacle;
    this.error = error;
    this.forGood = forGood;
  }
}
