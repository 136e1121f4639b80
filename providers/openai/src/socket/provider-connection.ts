// What a WebSocket connection of Responses promises, and why a call may find none. Nothing here loads the SDK.

import type { ProviderError } from '@tidemark/model';
import type { AnswerLimits, SdkClient } from '@tidemark/provider-wire';

/** OpenAI's SDK, which opens WebSockets too. */
export interface OpenAISdk extends SdkClient {
  /** Opens a WebSocket to Responses. @throws NotReached, or ProviderError when the key is refused. */
  connect(opening: ConnectionOpening): Promise<ProviderConnection>;
}

/** How to open a WebSocket connection. */
export interface ConnectionOpening {
  readonly betas: string;
  /** Milliseconds until it must be open. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Limits on each frame: those of the first call. */
  readonly limits: AnswerLimits;
}

/** An open WebSocket connection, used by one call at a time. */
export interface ProviderConnection {
  /** Betas are named when a connection opens: a call with others needs another connection. */
  readonly betas: string;
  /** Id of the last answer on this connection, which the service remembers. `undefined` after a failure. */
  remembers: string | undefined;
  isOpen(): boolean;
  send(frame: string): void;
  /** Returns the next frame; `undefined` once it is closed. @throws ProviderError `provider/oversized` for a frame beyond the limit. */
  next(): Promise<string | undefined>;
  /** Whether it keeps the process alive: only while a call waits for it. */
  hold(held: boolean): void;
  close(): void;
}

/**
 * Why nothing of a call arrived. `unreachable`: no connection was made; `refused`: the server did not upgrade it; `closed`,
 * `silent`: it was opened for this call, and then closed or sent nothing.
 */
type Obstacle = 'unreachable' | 'refused' | 'closed' | 'silent';

/** A call of which nothing arrived, so it may go over HTTP instead. `error` is the failure where it may not. */
export class NotReached extends Error {
  readonly obstacle: Obstacle;
  readonly error: ProviderError;
  /** Whether a second try is useless: this server has no WebSockets. */
  readonly forGood: boolean;

  constructor(obstacle: Obstacle, error: ProviderError, forGood = false) {
    super(error.message);
    this.obstacle = obstacle;
    this.error = error;
    this.forGood = forGood;
  }
}
