// Follows the events of a session. A broken connection is opened again from the position after the last record, so a
// caller gets each record once and in order.

import type { Recorded } from '@tidemark/log';
import { createParser } from 'eventsource-parser';
import type { components } from './generated/server-api.ts';
import type { RefusalBody } from './request-error.ts';
import { RequestError, requestError } from './request-error.ts';
import type { SessionClient } from './session-client.ts';

/** Event of a session, or a change of the connection. */
export type FollowedEvent =
  /** A record. Each position comes once and in order. */
  | { readonly type: 'record'; readonly record: Recorded }
  /**
   * State that is not stored yet. It comes after the last record, and after each new connection. It replaces everything
   * that was collected from `passing` before.
   */
  | { readonly type: 'state'; readonly state: components['schemas']['LiveState'] }
  /** Event that is not stored, such as a piece of the answer that is arriving. */
  | { readonly type: 'passing'; readonly event: components['schemas']['PassingEvent'] }
  /** Error of the server while it read the session. The connection is then opened again. */
  | { readonly type: 'failed'; readonly error: RefusalBody['error'] }
  /** The connection is lost. It is opened again after `pauseMs`. */
  | { readonly type: 'lost'; readonly cause: unknown; readonly pauseMs: number };

/** Options of `followSession`. */
export interface FollowOptions {
  /** Position of the first record. Default: 0. */
  readonly from?: number;
  /** Ends the events when it aborts. */
  readonly signal?: AbortSignal;
  /** First pause before a new connection, in milliseconds. Each failed try doubles it. Default: 250. */
  readonly pauseMs?: number;
  /** Longest pause, in milliseconds. Default: 10,000. */
  readonly longestPauseMs?: number;
  /**
   * Time without a byte after which a connection counts as lost, in milliseconds. A server that has no event sends a
   * comment every 15 s. Default: 45,000.
   */
  readonly silentMs?: number;
}

/**
 * Yields the events of a session until the signal aborts or the caller stops.
 *
 * @throws RequestError if the server refuses the request for a reason that does not pass, such as a wrong token.
 */
export async function* followSession(
  client: SessionClient,
  session: string,
  { from = 0, signal, pauseMs = 250, longestPauseMs = 10_000, silentMs = 45_000 }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, undefined> {
  let next = from;
  let pause = pauseMs;
  const ended = (): boolean => signal?.aborted === true;
  while (!ended()) {
    let cause: unknown;
    const connection = new AbortController();
    const abort = (): void => connection.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for await (const event of readConnection(client, session, next, { connection, silentMs })) {
        if (event.type === 'record') {
          const { position } = event.record;
          if (position < next) continue;
          next = position + 1;
        }
        pause = pauseMs;
        yield event;
        if (ended()) return;
      }
    } catch (error) {
      if (error instanceof RequestError && !PASSING_STATUSES.has(error.status)) throw error;
      cause = error;
    } finally {
      signal?.removeEventListener('abort', abort);
      connection.abort();
    }
    if (ended()) return;
    yield { type: 'lost', cause, pauseMs: pause };
    await wait(pause, signal);
    pause = Math.min(2 * pause, longestPauseMs);
  }
}

/** Statuses of a server that is starting, stopping or busy, and of a proxy before it. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

interface Connection {
  readonly connection: AbortController;
  readonly silentMs: number;
}

/** Yields the events of one connection. */
async function* readConnection(
  client: SessionClient,
  session: string,
  from: number,
  { connection, silentMs }: Connection,
): AsyncGenerator<FollowedEvent, void, undefined> {
  const silence = createSilenceTimer(connection, silentMs);
  try {
    const { data, error, response } = await client.GET('/sessions/{session}/events', {
      params: { path: { session }, query: { from } },
      parseAs: 'stream',
      signal: connection.signal,
      cache: 'no-store',
    });
    if (data === undefined || data === null) throw requestError(response.status, error);
    let events: FollowedEvent[] = [];
    const parser = createParser({
      onEvent(message) {
        const event = followedEvent(message.event, message.data);
        if (event !== undefined) events.push(event);
      },
    });
    const decoder = new TextDecoder();
    const reader = data.getReader();
    while (true) {
      silence.restart();
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      silence.stop();
      yield* events;
      events = [];
    }
  } finally {
    silence.stop();
  }
}

/** Returns the event of a message, or `undefined` for a message that a later version of the server sends. */
function followedEvent(name: string | undefined, data: string): FollowedEvent | undefined {
  switch (name) {
    case 'record':
      return { type: 'record', record: JSON.parse(data) };
    case 'state':
      return { type: 'state', state: JSON.parse(data) };
    case 'passing':
      return { type: 'passing', event: JSON.parse(data) };
    case 'failed':
      return { type: 'failed', error: JSON.parse(data) };
    default:
      return undefined;
  }
}

/** Ends a connection that is silent for too long. The time that the caller needs for an event does not count. */
function createSilenceTimer(connection: AbortController, ms: number): { restart(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  const restart = (): void => {
    stop();
    timer = setTimeout(() => connection.abort(new Error(`the server sent nothing for ${ms} ms`)), ms);
  };
  restart();
  return { restart, stop };
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
