// HTTP client of every provider. The official SDK sends exactly the given bytes once, and a decoder reads the answer.
// The client never retries. The turn retries a call, because it records each attempt.

import { defined } from '@tidemark/core';
import type { AbortSignalLike, Answer, Outgoing, StreamPart, Usage } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { AddressReach } from './address.ts';
import { createReach, requireAddress } from './address.ts';
import type { PartMeter } from './answer-limits.ts';
import { answerLimits, createPartMeter } from './answer-limits.ts';
import { boundAnswer, boundFetch } from './bounded-fetch.ts';
import { aborted, silent } from './call-errors.ts';
import type { CallPhase } from './map-error.ts';
import type { Service } from './service.ts';

/** An official SDK, configured for one address and one key. */
export interface SdkClient {
  /** Sends a body once. Throws an error of the SDK for a status that is not a success. */
  post(path: string, request: SdkRequest): Promise<Response>;
  /**
   * Returns the server-sent events of a response, with their data as it was sent. An abort of the controller ends the
   * events.
   */
  events(response: Response, controller: AbortController): AsyncIterator<{ readonly data: string }>;
  /**
   * Converts an error of a call to a `ProviderError`, whose class determines the next action. The result does not
   * contain the API key.
   */
  sort(error: unknown, phase: CallPhase): ProviderError;
}

interface SdkRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: true;
  readonly signal: AbortSignal;
}

/** Settings from which the client of an SDK is created. */
export interface SdkSetup {
  readonly service: Service;
  readonly key: string;
  readonly baseURL: string;
  readonly idleMs: number;
  /** Function used as `fetch`. It limits the data that it reads and follows no redirect. */
  readonly fetch: typeof globalThis.fetch;
  readonly reach: AddressReach;
}

/** Options for reaching a service. */
export interface HttpClientOptions<Sdk extends SdkClient> {
  readonly service: Service;
  /** API key. For a server that needs no key, any text works. */
  readonly apiKey: string;
  /** Base address in the form that the SDK expects. It is never read from the environment. */
  readonly baseURL: string;
  /** Function used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum time in a call without received data, in milliseconds. The default is 180,000. */
  readonly idleMs?: number;
  /** Name of the header that lists the betas of a request. */
  readonly betaHeader: string;
  /**
   * Loads the SDK. Called with the first request, because the SDK has 250 modules and a program that sends no request
   * should not wait for them.
   */
  readonly load: () => Promise<(setup: SdkSetup) => Sdk>;
}

/** Sends requests to one service. The client itself keeps no connection open. */
export interface HttpClient<Sdk extends SdkClient = SdkClient> {
  /** Maximum time in a call without received data, in milliseconds. */
  readonly idleMs: number;
  /**
   * Sends a body once and streams the decoded answer.
   *
   * @throws ProviderError before the answer or in the middle of the stream.
   */
  stream(path: string, decoder: AnswerDecoder, outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  /**
   * Sends a body once, passes the text of the answer to `read` and returns the result.
   *
   * @throws ProviderError when the call fails.
   */
  whole<T>(path: string, outgoing: Outgoing, read: (text: string) => T): Promise<T>;
  /** Returns the SDK, for calls that are not a single HTTP request. */
  sdk(): Promise<Sdk>;
}

/** Decoder for the answers of one API. `begin` starts to decode one streamed answer. */
export interface AnswerDecoder {
  begin(): Decoding;
  /**
   * Reads an answer that is not a stream.
   *
   * @throws ProviderError `provider/malformed`, or the failure that the answer reports.
   */
  whole(text: string): readonly StreamPart[];
}

/**
 * Decoder of one answer while it arrives. The decoder stores the data received so far, so each call needs its own
 * decoder.
 */
export interface Decoding {
  /** True if the answer is complete. Later events are not read. */
  finished(): boolean;
  /**
   * Reads the data of one event.
   *
   * @throws ProviderError `provider/malformed` for an event without its documented shape, or the failure that an error
   *   event reports.
   */
  take(data: string): readonly StreamPart[];
  /**
   * Ends the stream.
   *
   * @throws ProviderError `provider/cut` when the answer was not finished.
   */
  end(): readonly StreamPart[];
}

/** Returns the stream parts for an answer that did not arrive as a stream. `usage` is the usage in the part `began`. */
export function wholeAsStream(answer: Answer, usage: Usage = {}): readonly StreamPart[] {
  const { response, model, parts } = answer;
  const named = defined({ response, model });
  return [
    { type: 'began', ...named, usage },
    ...parts.map((part, index): StreamPart => ({ type: 'part', index, part })),
    { type: 'finished', answer },
  ];
}

const IDLE_MS = 180_000;

/**
 * Opens a client. Nothing is sent yet, and the SDK is not loaded.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a user name or a password.
 */
export function openHttpClient<Sdk extends SdkClient>(options: HttpClientOptions<Sdk>): HttpClient<Sdk> {
  const { service, apiKey, baseURL, fetch, idleMs = IDLE_MS, betaHeader, load } = options;
  requireAddress(service, baseURL);
  const key = headerKey(service, apiKey);
  const reach = createReach();
  let loaded: Promise<Sdk> | undefined;
  const sdk = (): Promise<Sdk> =>
    (loaded ??= load().then((create) =>
      create({ service, key, baseURL, idleMs, reach, fetch: boundFetch({ service, reach, idleMs, fetch }) }),
    ));
  const connection = async (): Promise<ClientConnection> => ({ service, idleMs, betaHeader, sdk: await sdk() });
  return {
    idleMs,
    sdk,
    async *stream(path, decoder, outgoing) {
      yield* streamAnswer(await connection(), path, decoder, outgoing);
    },
    whole: async (path, outgoing, read) => readWhole(await connection(), path, outgoing, read),
  };
}

const PRINTABLE = /^[\x21-\x7e]+$/;

function headerKey(service: Service, apiKey: string): string {
  const key = apiKey.trim();
  if (PRINTABLE.test(key)) return key;
  const message = `the API key for ${service.title} is empty or contains characters that a header cannot contain: set it again`;
  throw new ProviderError('stop', 'provider/authentication', message, { provider: service.name });
}

interface ClientConnection {
  readonly service: Service;
  readonly idleMs: number;
  readonly betaHeader: string;
  readonly sdk: SdkClient;
}

async function* streamAnswer(
  connection: ClientConnection,
  path: string,
  decoder: AnswerDecoder,
  outgoing: Outgoing,
): AsyncGenerator<StreamPart, void> {
  const { service, sdk, idleMs } = connection;
  const bridge = bridgeAbort(outgoing.signal);
  let phase: CallPhase = 'asking';
  try {
    const meter = createPartMeter(service, answerLimits(outgoing.outputLimit));
    const response = await post(connection, path, outgoing, bridge);
    phase = 'answering';
    if (isStream(response)) yield* decodeEvents(connection, decoder.begin(), response, { bridge, meter });
    else yield* meter(decoder.whole(await within(response.text(), idleMs, (ms) => silent(service, ms))));
  } catch (error) {
    throw bridge.aborted() ? aborted(service) : sdk.sort(error, phase);
  } finally {
    bridge.release();
  }
}

async function post(
  { service, sdk, betaHeader }: ClientConnection,
  path: string,
  { body, betas, outputLimit }: Outgoing,
  bridge: Bridge,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(betas.length > 0 && { [betaHeader]: betas.join(',') }) };
  const response = await sdk.post(path, { body, headers, stream: true, signal: bridge.controller.signal });
  return boundAnswer(service, response, answerLimits(outputLimit));
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

async function* decodeEvents(
  { service, sdk, idleMs }: ClientConnection,
  decoding: Decoding,
  response: Response,
  { bridge, meter }: { readonly bridge: Bridge; readonly meter: PartMeter },
): AsyncGenerator<StreamPart, void> {
  const events = sdk.events(response, bridge.controller);
  while (!decoding.finished()) {
    const next = await within(events.next(), idleMs, (ms) => silent(service, ms));
    if (next.done === true) break;
    if (next.value.data !== '') yield* meter(decoding.take(next.value.data));
  }
  if (bridge.aborted()) throw aborted(service);
  yield* meter(decoding.end());
}

/**
 * Sends a request whose answer is short, for example a token count, and reads the whole answer. The limits are those
 * for an output of 0 tokens.
 */
async function readWhole<T>(
  connection: ClientConnection,
  path: string,
  outgoing: Outgoing,
  read: (text: string) => T,
): Promise<T> {
  const { service, sdk, idleMs } = connection;
  const bridge = bridgeAbort(outgoing.signal);
  try {
    const response = await post(connection, path, { ...outgoing, outputLimit: 0 }, bridge);
    return read(await within(response.text(), idleMs, (ms) => silent(service, ms)));
  } catch (error) {
    throw bridge.aborted() ? aborted(service) : sdk.sort(error, 'answering');
  } finally {
    bridge.release();
  }
}

/** Connects the caller's minimal abort signal to the AbortController that an SDK requires. */
export interface Bridge {
  readonly controller: AbortController;
  /** True if the caller aborted the call. An abort by the client itself does not count. */
  aborted(): boolean;
  /** Removes the listener from the caller's signal, and aborts everything of the call that is still running. */
  release(): void;
}

/** Creates a bridge that follows a signal. */
export function bridgeAbort(signal: AbortSignalLike | undefined): Bridge {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) controller.abort();
  return {
    controller,
    aborted: () => signal?.aborted === true,
    release() {
      signal?.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}

/**
 * Waits for a promise for at most `idleMs` milliseconds. A result of the promise after that time is ignored.
 *
 * @throws the error that `late` returns when the time is over.
 */
export async function within<T>(promise: Promise<T>, idleMs: number, late: (idleMs: number) => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late(idleMs)), idleMs);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
