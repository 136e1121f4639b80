// Which way a call of Responses goes: over HTTP, or over the connection of its lane; and over HTTP after all where nothing
// arrived.

import type { Outgoing, Provider, StreamPart, Transport } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { NotReached } from '../socket/client.ts';
import type { AnswerDecoder, Bridge } from '@tidemark/provider-wire';
import { aborted, bridgeAbort } from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';
import type { Sockets } from './over-websocket.ts';
import { sendOverSocket } from './over-websocket.ts';

/** What calls are sent with. */
export interface SendingWays extends Sockets {
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
  const transport: Transport = { kind: 'http', ...(fallback !== undefined && { fallback }) };
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
