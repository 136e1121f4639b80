// The way to a service that speaks OpenAI's wire: its key is looked at here, and its line opened with the first call.

import type { Outgoing, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';
import { requireAddress } from '@tidemark/provider-wire';
import type { AnswerDecoder } from '../decode/decoding.ts';
import type { ProviderConnection, ConnectionOpening } from './connection.ts';
import type { HttpClient, HttpClientOptions } from './http-client.ts';
import type { CallPhase } from './map-error.ts';

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
export interface ProviderSocket {
  /** How long a call may be silent, in milliseconds. */
  readonly idleMs: number;
  /** Sends a body once and streams what the decoder makes of the answer. @throws ProviderError, in mid-stream too. */
  stream(path: string, decoder: AnswerDecoder, outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  /** Sends a body once and gives the text of the answer. @throws ProviderError. */
  whole(path: string, outgoing: Outgoing): Promise<string>;
  /** Opens a WebSocket to Responses. @throws NotReached, or ProviderError when the key is refused. */
  connect(opening: ConnectionOpening): Promise<ProviderConnection>;
  /** Sorts what went wrong on such a connection. The key never passes. */
  sort(error: unknown, phase: CallPhase): Promise<ProviderError>;
}

const IDLE_MS = 180_000;
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * @throws ProviderError `provider/authentication` for a key that no header can hold, `provider/address` for an address that is
 *   not one of HTTP or holds a password.
 */
export function openSocket(options: SocketOptions): ProviderSocket {
  const how = lineOptions(options);
  let opened: Promise<HttpClient> | undefined;
  // The SDK is 250 modules: whoever starts a program does not wait for them before anything is asked.
  const line = (): Promise<HttpClient> => (opened ??= import('./http-client.ts').then(({ openLine }) => openLine(how)));
  return {
    idleMs: how.idleMs,
    async *stream(path, decoder, outgoing) {
      yield* (await line()).stream(path, decoder, outgoing);
    },
    whole: async (path, outgoing) => (await line()).whole(path, outgoing),
    connect: async (opening) => (await line()).connect(opening),
    sort: async (error, phase) => (await line()).sort(error, phase),
  };
}

function lineOptions({ service, apiKey, baseURL, idleMs = IDLE_MS, fetch }: SocketOptions): HttpClientOptions {
  requireAddress(service, baseURL);
  const key = apiKey.trim();
  if (!PRINTABLE.test(key)) {
    const message = `the API key for ${service.title} is empty or holds characters that a header cannot: set it again`;
    throw new ProviderError('stop', 'provider/authentication', message, { provider: service.name });
  }
  return { service, key, baseURL, idleMs, ...(fetch !== undefined && { fetch }) };
}
