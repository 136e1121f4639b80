// A call over a WebSocket: as one that goes on from an earlier answer where its connection still knows that answer, else
// whole. Where a connection turns out to be gone, or to know nothing, the call goes out whole over a new one.

import type { Outgoing, StreamPart, Transport } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Bridge } from '@tidemark/provider-wire';
import { aborted, answerLimits, closed, createPartMeter, oversized, silent, within } from '@tidemark/provider-wire';
import type { OpenAIClient, ProviderConnection } from '../socket/client.ts';
import { NotReached } from '../socket/client.ts';
import { beginResponse } from './stream.ts';
import { OPENAI } from '../service.ts';
import { frameOf } from './frame.ts';
import type { Lanes } from './lanes.ts';

/** What a call needs beside its bytes. */
export interface Sockets {
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
export async function* sendOverSocket(
  sockets: Sockets,
  outgoing: Outgoing,
  bridge: Bridge,
): AsyncGenerator<StreamPart, void> {
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
  // Whoever has heard the end may abort what is over: the connection stands.
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
