// Port for sessions that workers run: commands go to the worker of the session, and the worker publishes the state that
// is not in the log.

import type { SessionId } from '@tidemark/log';
import type { LiveState } from './frames.ts';

/** A request for a session, as the server got it. */
export interface RemoteRequest {
  readonly method: string;
  /** Path with the session in it, and the query. */
  readonly path: string;
  /** Value of the JSON body. Absent if the request has none. */
  readonly body?: unknown;
}

/** Answer of a worker. */
export interface RemoteAnswer {
  readonly status: number;
  /** Value that JSON can represent. */
  readonly body: unknown;
}

/** State of a session that a worker has open. */
export interface RemoteState extends Omit<LiveState, 'length' | 'open'> {
  /** Number of records that the state belongs to. Absent if the worker has added none since it opened the session. */
  readonly length?: number;
  /** True if the worker runs a turn of the session. */
  readonly running: boolean;
}

/** Sessions that workers run. */
export interface RemoteSessions {
  /**
   * Stores a request, and waits for the answer of the worker that runs it. If the signal aborts, the request stays
   * stored, and the promise rejects with the reason of the signal.
   */
  run(session: SessionId, request: RemoteRequest, signal: AbortSignal): Promise<RemoteAnswer>;
  /** Returns the states of those sessions that a worker has open. */
  states(sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, RemoteState>>;
}
