// A call over a WebSocket: as one that goes on from an earlier answer where its connection still knows that answer, else
// whole. Where a connection turns out to be gone, or to know nothing, the call goes out whole over a new one. Where nothing arrived,
// it may go over HTTP after all.

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

/** How calls are sent, with all that they need beside their bytes. */
interface SendingWays extends Sockets {
  readonly path: string;
  readonly decoder: AnswerDecoder;
  /** `auto`: calls of a lane alone, and over HTTP what nothing arrived of. */
  readonly transport: 'websocket' | 'auto';
}

/** Calls in a row that nothing arrived of, until no more is tried. */
const MOST_OBSTACLES = 2;

/** `Provider.send` by these ways. */
export function createSending(ways: SendingWays): Provider['send'] {
  const isAuto = ways.transport === 'auto';
  let obstacles = 0;
  return async function* (outgoing) {
    if (isAuto && outgoing.lane === undefined) return yield* overHttp(ways, outgoing);
    if (isAuto && obstacles >= MOST_OBSTACLES) return yield* overHttp(ways, outgoing, 'given-up');
    try {
      yield* overSocket(ways, outgoing);
      obstacles = 0;
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
      if (!isAuto) throw overWay((await ways.client.sdk()).sort(error.error, 'asking'), 'websocket');
      obstacles = error.forGood ? MOST_OBSTACLES : obstacles + 1;
      yield* overHttp(ways, outgoing, error.obstacle);
    }
  };
}

/** @throws NotReached, or ProviderError sorted by what to do next. */
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

/** The same failure, with the way that the call went. */
function overWay(
  { class: sort, code, message, data, cause }: ProviderError,
  transport: Transport['kind'],
): ProviderError {
  return new ProviderError(sort, code, message, { ...data, transport }, cause);
}

/** What a call needs beside its bytes. */
interface Sockets {
  readonly client: OpenAIClient;
  readonly lanes: Lanes;
}

/** Why a call that could go on from an earlier answer goes out whole. */
type SocketReset = 'connection' | 'connection-limit' | 'not-found';

const CONNECT_MS = 10_000;
/** Until the first event, which says no more than that the call was taken. */
const FIRST_MS = 60_000;

/**
 * Sends over the connection of the call's lane, and streams the answer.
 *
 * @throws NotReached when nothing arrived over a connection that was opened for this call; else ProviderError.
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

/** Codes that say: this was not taken, ask over a new connection. */
const RESETS: ReadonlyMap<string | undefined, SocketReset> = new Map([
  ['previous_response_not_found', 'not-found'],
  ['websocket_connection_limit_reached', 'connection-limit'],
]);

/** Why to ask anew. @throws the error itself where that is none. */
function resetBy(error: unknown): SocketReset {
  if (error instanceof NotReached) return 'connection';
  const reset = error instanceof ProviderError ? RESETS.get(error.data.type) : undefined;
  if (reset === undefined) throw error;
  return reset;
}

/** One request and its answer on one connection. */
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
  // An abort after the end of the answer does not close the connection.
  const stop = (): void => (idle ? undefined : connection.close());
  signal.addEventListener('abort', stop, { once: true });
  connection.hold(true);
  // A call that fails takes with it what it went on from.
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
    // While an answer is under way, nothing else can be asked there.
    if (idle) lanes.give(lane, connection);
    else connection.close();
  }
}

/** The service itself said no: the connection stands. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProviderError && error.data.type !== undefined;
}

/** How an answer is listened to. */
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

/** @throws NotReached when none comes. */
async function firstFrame(connection: ProviderConnection, patienceMs: number, bridge: Bridge): Promise<string> {
  const frame = await within(connection.next(), patienceMs, (ms) => new NotReached('silent', silent(OPENAI, ms)));
  if (frame !== undefined) return frame;
  throw bridge.aborted() ? aborted(OPENAI) : new NotReached('closed', closed(OPENAI));
}

/**
 * A body as a frame: its fields, each with its bytes as they were, tagged as the event `response.create` (the SDK's types: `stream` is
 * implicit over WebSocket and should not be sent).
 */
function frameOf(body: Uint8Array): string {
  const fields = membersOf(body, (key) => key !== 'stream').map((member) => `,${member}`);
  return `{"type":"response.create"${fields.join('')}}`;
}
