// The socket: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import type { Encoder, Outgoing, Provider, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { OpenAI } from 'openai';
import { _iterSSEMessages as rawEvents } from 'openai/core/streaming';
import { openaiChatEncoder } from '../chat/encoder.ts';
import { beginCompletion, decodeCompletion } from '../chat/stream.ts';
import { countBody } from '../responses/count-body.ts';
import { openaiResponsesEncoder } from '../responses/encoder.ts';
import { beginResponse } from '../responses/stream.ts';
import { decodeCount, decodeResponse } from '../responses/whole.ts';
import type { Decoder } from '../wire/decoding.ts';
import { wholeAsStream } from '../wire/decoding.ts';
import { PROVIDER } from '../wire/refuse.ts';
import type { Bridge } from '@tidemark/provider-wire';
import { bridgeAbort, within } from '@tidemark/provider-wire';
import type { Phase } from './map-error.ts';
import { aborted, mapError, silent } from './map-error.ts';

/** How to reach the API, and which of the two. */
export interface OpenAIOptions {
  /** A server that asks for none takes any word. */
  readonly apiKey: string;
  /** Responses is OpenAI's own; Chat Completions is what compatible servers speak. */
  readonly api: 'responses' | 'chat';
  /** With the `/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://api.openai.com/v1';
const IDLE_MS = 180_000;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** One of the two APIs. */
interface Api {
  readonly path: string;
  readonly encoder: Encoder;
  readonly decoder: Decoder;
}

const APIS: { readonly [api in OpenAIOptions['api']]: Api } = {
  responses: {
    path: '/responses',
    encoder: openaiResponsesEncoder,
    decoder: { begin: beginResponse, whole: decodeResponse },
  },
  chat: {
    path: '/chat/completions',
    encoder: openaiChatEncoder,
    decoder: { begin: beginCompletion, whole: decodeCompletion },
  },
};

/** What a call needs beside its bytes. */
interface Socket {
  readonly client: OpenAI;
  readonly key: string;
  readonly idleMs: number;
}

/**
 * OpenAI, or a server that speaks its wire format. Only the Responses API counts tokens.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold.
 */
export function createOpenAIProvider(options: OpenAIOptions): Provider {
  const api = APIS[options.api];
  const socket = openSocket(options);
  return {
    name: PROVIDER,
    encoder: api.encoder,
    send: (outgoing) => send(socket, api, outgoing),
    ...(options.api === 'responses' && { countTokens: (outgoing: Outgoing) => countTokens(socket, outgoing) }),
  };
}

function openSocket(options: OpenAIOptions): Socket {
  const key = options.apiKey.trim();
  if (!PRINTABLE.test(key)) {
    const message = 'the API key for OpenAI is empty or holds characters that a header cannot: set it again';
    throw new ProviderError('stop', 'provider/authentication', message, { provider: PROVIDER });
  }
  const idleMs = options.idleMs ?? IDLE_MS;
  const client = new OpenAI({
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: options.baseURL ?? ADDRESS,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  return { client, key, idleMs };
}

async function* send(socket: Socket, api: Api, outgoing: Outgoing): AsyncGenerator<StreamPart, void> {
  const bridge = bridgeAbort(outgoing.signal);
  let phase: Phase = 'asking';
  try {
    const response = await post(socket, api.path, outgoing, bridge);
    phase = 'answering';
    if (isStream(response)) yield* streamed(socket, api.decoder, response, bridge);
    else yield* wholeAsStream(api.decoder.whole(await within(response.text(), socket.idleMs, silent)));
  } catch (error) {
    throw bridge.aborted() ? aborted() : mapError(error, phase, socket.key);
  } finally {
    bridge.release();
  }
}

async function post(socket: Socket, path: string, { body, betas }: Outgoing, bridge: Bridge): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(betas.length > 0 && { 'openai-beta': betas.join(',') }),
  };
  return socket.client.post(path, { body, headers, stream: true, signal: bridge.controller.signal }).asResponse();
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

async function* streamed(
  socket: Socket,
  decoder: Decoder,
  response: Response,
  bridge: Bridge,
): AsyncGenerator<StreamPart, void> {
  // The SDK's public stream parses and prints: only its raw events keep encrypted reasoning as it was sent.
  const events = rawEvents(response, bridge.controller);
  const decoding = decoder.begin();
  while (!decoding.finished()) {
    const next = await within(events.next(), socket.idleMs, silent);
    if (next.done === true) break;
    if (next.value.data !== '') yield* decoding.take(next.value.data);
  }
  if (bridge.aborted()) throw aborted();
  yield* decoding.end();
}

async function countTokens(socket: Socket, outgoing: Outgoing): Promise<number> {
  const bridge = bridgeAbort(outgoing.signal);
  try {
    const counted = { ...outgoing, body: countBody(outgoing.body) };
    const response = await post(socket, '/responses/input_tokens', counted, bridge);
    return decodeCount(await within(response.text(), socket.idleMs, silent));
  } catch (error) {
    throw bridge.aborted() ? aborted() : mapError(error, 'answering', socket.key);
  } finally {
    bridge.release();
  }
}
