// The socket: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import type { Outgoing, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Bridge, Service } from '@tidemark/provider-wire';
import { aborted, bridgeAbort, silent, within } from '@tidemark/provider-wire';
import { OpenAI } from 'openai';
import { _iterSSEMessages as rawEvents } from 'openai/core/streaming';
import type { Decoder } from '../decode/decoding.ts';
import { wholeAsStream } from '../decode/decoding.ts';
import type { Connection, Opening } from './connection.ts';
import { connect } from './connection.ts';
import type { Phase } from './map-error.ts';
import { mapError } from './map-error.ts';

/** How to reach a service that speaks OpenAI's wire. */
export interface SocketOptions {
  readonly service: Service;
  /** A server that asks for none takes any word. */
  readonly apiKey: string;
  /** Up to the version: `https://api.openai.com/v1`. Never taken from the environment. */
  readonly baseURL: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. */
  readonly idleMs?: number;
}

/** An open way to a service. It holds no connection of its own. */
export interface Socket {
  /** How long a call may be silent, in milliseconds. */
  readonly idleMs: number;
  /** Sends a body once and streams what the decoder makes of the answer. @throws ProviderError, in mid-stream too. */
  stream(path: string, decoder: Decoder, outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  /** Sends a body once and gives the text of the answer. @throws ProviderError. */
  whole(path: string, outgoing: Outgoing): Promise<string>;
  /** Opens a WebSocket to Responses. @throws NotReached, or ProviderError when the key is refused. */
  connect(opening: Opening): Promise<Connection>;
  /** Sorts what went wrong on such a connection. The key never passes. */
  sort(error: unknown, phase: Phase): ProviderError;
}

/** What a call needs beside its bytes. */
interface Line {
  readonly service: Service;
  readonly client: OpenAI;
  readonly key: string;
  readonly idleMs: number;
}

const IDLE_MS = 180_000;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** @throws ProviderError `provider/authentication` for a key that no header can hold. */
export function openSocket(options: SocketOptions): Socket {
  const line = openLine(options);
  return {
    stream: (path, decoder, outgoing) => stream(line, path, decoder, outgoing),
    whole: (path, outgoing) => whole(line, path, outgoing),
    idleMs: line.idleMs,
    connect: (opening) => connect(line, opening),
    sort: (error, phase) => mapError(line.service, error, phase, line.key),
  };
}

function openLine({ service, apiKey, baseURL, idleMs = IDLE_MS, fetch }: SocketOptions): Line {
  const key = apiKey.trim();
  if (!PRINTABLE.test(key)) {
    const message = `the API key for ${service.title} is empty or holds characters that a header cannot: set it again`;
    throw new ProviderError('stop', 'provider/authentication', message, { provider: service.name });
  }
  const client = new OpenAI({
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    ...(fetch !== undefined && { fetch }),
  });
  return { service, client, key, idleMs };
}

async function* stream(
  line: Line,
  path: string,
  decoder: Decoder,
  outgoing: Outgoing,
): AsyncGenerator<StreamPart, void> {
  const bridge = bridgeAbort(outgoing.signal);
  let phase: Phase = 'asking';
  try {
    const response = await post(line, path, outgoing, bridge);
    phase = 'answering';
    if (isStream(response)) yield* streamed(line, decoder, response, bridge);
    else yield* wholeAsStream(decoder.whole(await textOf(line, response)));
  } catch (error) {
    throw bridge.aborted() ? aborted(line.service) : mapError(line.service, error, phase, line.key);
  } finally {
    bridge.release();
  }
}

async function post({ client }: Line, path: string, { body, betas }: Outgoing, bridge: Bridge): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(betas.length > 0 && { 'openai-beta': betas.join(',') }),
  };
  return client.post(path, { body, headers, stream: true, signal: bridge.controller.signal }).asResponse();
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

function textOf({ service, idleMs }: Line, response: Response): Promise<string> {
  return within(response.text(), idleMs, (ms) => silent(service, ms));
}

async function* streamed(
  { service, idleMs }: Line,
  decoder: Decoder,
  response: Response,
  bridge: Bridge,
): AsyncGenerator<StreamPart, void> {
  // The SDK's public stream parses and prints: only its raw events keep encrypted reasoning as it was sent.
  const events = rawEvents(response, bridge.controller);
  const decoding = decoder.begin();
  while (!decoding.finished()) {
    const next = await within(events.next(), idleMs, (ms) => silent(service, ms));
    if (next.done === true) break;
    if (next.value.data !== '') yield* decoding.take(next.value.data);
  }
  if (bridge.aborted()) throw aborted(service);
  yield* decoding.end();
}

async function whole(line: Line, path: string, outgoing: Outgoing): Promise<string> {
  const bridge = bridgeAbort(outgoing.signal);
  try {
    return await textOf(line, await post(line, path, outgoing, bridge));
  } catch (error) {
    throw bridge.aborted() ? aborted(line.service) : mapError(line.service, error, 'answering', line.key);
  } finally {
    bridge.release();
  }
}
