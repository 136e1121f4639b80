// Sends a call over a WebSocket. If the connection of the lane still has the earlier answer in its memory, the call
// continues from that answer. Otherwise the call is sent with its full history. If the connection is closed or has
// forgotten the answer, the call is sent with its full history over a new connection. If a call received nothing, it
// may be sent over HTTP instead.

import { defined } from '@tidemark/core';
import type { Outgoing, Provider, StreamPart, Transport } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { AnswerDecoder, Bridge } from '@tidemark/provider-wire';
import {
  aborted,
  answerLimits,
  bridgeAbort,
  closed,
  createPartMeter,
  membersOf,
  oversized,
  silent,
  within,
} from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';
import type { OpenAIClient } from '../socket/client.ts';
import type { ProviderConnection } from '../socket/provider-connection.ts';
import { NotReached } from '../socket/provider-connection.ts';
import type { Lanes } from './lanes.ts';
import { beginResponse } from './stream.ts';

interface SendingWays extends Sockets {
  readonly path: string;
  readonly decoder: AnswerDecoder;
  readonly transport: 'websocket' | 'auto';
}

/** If this number of consecutive calls received nothing, `auto` stops using WebSockets. */
const MAX_FAILED_TRIES = 2;

/** Returns `Provider.send` for the given transport. */
export function createSending(ways: SendingWays): Provider['send'] {
  const isAuto = ways.transport === 'auto';
  let obstacles = 0;
  return async function* (outgoing) {
    if (isAuto && outgoing.lane === undefined) return yield* overHttp(ways, outgoing);
    if (isAuto && obstacles >= MAX_FAILED_TRIES) return yield* overHttp(ways, outgoing, 'given-up');
    try {
      yield* overSocket(ways, outgoing);
      obstacles = 0;
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
      if (!isAuto) throw overWay((await ways.client.sdk()).sort(error.error, 'asking'), 'websocket');
      obstacles = error.forGood ? MAX_FAILED_TRIES : obstacles + 1;
      yield* overHttp(ways, outgoing, error.obstacle);
    }
  };
}

/**
 * Sends a call over a WebSocket.
 *
 * @throws NotReached when nothing arrived; ProviderError for any other failure, sorted by the action that can follow.
 */
async function* overSocket(ways: SendingWays, outgoing: Outgoing): AsyncGenerator<StreamPart, void> {
  const bridge: Bridge = bridgeAbort(outgoing.signal);
  try {
    yield* sendOverSocket(ways, outgoing, bridge);
  } catch (error) {
    if (bridge.aborted()) throw aborted(OPENAI);
    throw error instanceof NotReached
      ? error
      : overWay((await ways.client.sdk()).sort(error, 'answering'), 'websocket');
  } finally {
    bridge.release();
  }
}

async function* overHttp(ways: SendingWays, outgoing: Outgoing, fallback?: string): AsyncGenerator<StreamPart, void> {
  const transport: Transport = defined({ kind: 'http', fallback });
  try {
    for await (const part of ways.client.stream(ways.path, ways.decoder, outgoing)) {
      yield part.type === 'finished' ? { ...part, answer: { ...part.answer, transport } } : part;
    }
  } catch (error) {
    throw error instanceof ProviderError ? overWay(error, 'http') : error;
  }
}

function overWay({ class: sort, code, what, data, cause }: ProviderError, transport: Transport['kind']): ProviderError {
  return new ProviderError(sort, code, what, { ...data, transport }, cause);
}

interface Sockets {
  readonly client: OpenAIClient;
  readonly lanes: Lanes;
}

/**
 * Reason why a call is sent with its full history although it could continue from an earlier answer.
 * - `connection`: the connection with the answer is closed or has forgotten the answer.
 * - `connection-limit`: the service refused the call because the connection has reached its age limit.
 * - `not-found`: the service no longer has the answer.
 */
type SocketReset = 'connection' | 'connection-limit' | 'not-found';

const CONNECT_MS = 10_000;
/** Timeout for the first event, in milliseconds. The first event only confirms that the service accepted the call. */
const FIRST_MS = 60_000;

/**
 * Sends a call over the connection of its lane and streams the answer.
 *
 * @throws NotReached when nothing arrived over a connection that was opened for this call; ProviderError for any other
 *   failure.
 */
async function* sendOverSocket(sockets: Sockets, outgoing: Outgoing, bridge: Bridge): AsyncGenerator<StreamPart, void> {
  const betas = outgoing.betas.join(',');
  const known = sockets.lanes.take(outgoing.lane, betas);
  let reset: SocketReset = 'connection';
  if (known !== undefined) {
    try {
      return yield* exchange(sockets, known, outgoing, bridge, reset);
    } catch (error) {
      reset = resetBy(error);
    }
  }
  const patienceMs = Math.min(sockets.client.idleMs, CONNECT_MS);
  const sdk = await sockets.client.sdk();
  const fresh = await sdk.connect({
    betas,
    patienceMs,
    signal: bridge.controller.signal,
    limits: answerLimits(outgoing.outputLimit),
  });
  yield* exchange(sockets, fresh, outgoing, bridge, reset);
}

/**
 * Reset reasons by the error code of the service. Each code means that the service did not accept the call, so the call
 * can be sent again over a new connection.
 */
const RESETS: ReadonlyMap<string | undefined, SocketReset> = new Map([
  ['previous_response_not_found', 'not-found'],
  ['websocket_connection_limit_reached', 'connection-limit'],
]);

/**
 * Returns the reason for sending a call again over a new connection.
 *
 * @throws the error itself when a new connection would not help.
 */
function resetBy(error: unknown): SocketReset {
  if (error instanceof NotReached) return 'connection';
  const reset = error instanceof ProviderError ? RESETS.get(error.data.type) : undefined;
  if (reset === undefined) throw error;
  return reset;
}

async function* exchange(
  { lanes, client: { idleMs } }: Sockets,
  connection: ProviderConnection,
  { body, continues, lane, outputLimit }: Outgoing,
  bridge: Bridge,
  reset: SocketReset,
): AsyncGenerator<StreamPart, void> {
  const { signal } = bridge.controller;
  const goesOn = continues !== undefined && connection.remembers === continues.response;
  const transport: Transport = {
    kind: 'websocket',
    continuation: goesOn,
    ...(continues !== undefined && !goesOn && { reset }),
  };
  let arrived = false;
  let idle = false;
  // An abort after the end of the answer must not close the connection.
  const stop = (): void => (idle ? undefined : connection.close());
  signal.addEventListener('abort', stop, { once: true });
  connection.hold(true);
  // If this call fails, the service forgets the earlier answer. The connection remembers an answer again only after the
  // call succeeds.
  connection.remembers = undefined;
  try {
    connection.send(frameOf(goesOn ? continues.body : body));
    for await (const part of answerOn(connection, { idleMs, bridge, outputLimit })) {
      arrived = true;
      idle = part.type === 'finished';
      if (part.type === 'finished') connection.remembers = part.answer.response;
      yield part.type === 'finished' ? { ...part, answer: { ...part.answer, transport } } : part;
    }
  } catch (error) {
    idle = !arrived && isRefusal(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    // A connection with an unfinished answer cannot take another call, so it is closed.
    if (idle) lanes.give(lane, connection);
    else connection.close();
  }
}

/** True if the service itself refused the call. The connection can then be used again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProviderError && error.data.type !== undefined;
}

interface Hearing {
  readonly idleMs: number;
  readonly bridge: Bridge;
  readonly outputLimit: number | undefined;
}

async function* answerOn(
  connection: ProviderConnection,
  { idleMs, bridge, outputLimit }: Hearing,
): AsyncGenerator<StreamPart, void> {
  const decoding = beginResponse();
  const limits = answerLimits(outputLimit);
  const meter = createPartMeter(OPENAI, limits);
  let bytes = 0;
  let frame: string | undefined = await firstFrame(connection, Math.min(idleMs, FIRST_MS), bridge);
  while (frame !== undefined) {
    bytes += frame.length;
    if (bytes > limits.answerBytes) throw oversized(OPENAI, `an answer of more than ${limits.answerBytes} bytes`);
    yield* meter(decoding.take(frame));
    if (decoding.finished()) return;
    frame = await within(connection.next(), idleMs, (ms) => silent(OPENAI, ms));
  }
  if (bridge.aborted()) throw aborted(OPENAI);
  yield* decoding.end();
}

/**
 * Returns the first frame. `patienceMs` is the maximum wait, in milliseconds.
 *
 * @throws NotReached when no frame arrives.
 */
async function firstFrame(connection: ProviderConnection, patienceMs: number, bridge: Bridge): Promise<string> {
  const frame = await within(connection.next(), patienceMs, (ms) => new NotReached('silent', silent(OPENAI, ms)));
  if (frame !== undefined) return frame;
  throw bridge.aborted() ? aborted(OPENAI) : new NotReached('closed', closed(OPENAI));
}

/**
 * Returns a body as a frame: its fields with unchanged bytes, and the event type `response.create`. The field `stream`
 * is removed (the SDK's types: `stream` is implicit over WebSocket and should not be sent).
 */
function frameOf(body: Uint8Array): string {
  const fields = membersOf(body, (key) => key !== 'stream').map((member) => `,${member}`);
  return `{"type":"response.create"${fields.join('')}}`;
}
