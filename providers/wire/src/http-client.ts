// HTTP client of every provider. The official SDK sends exactly the given bytes one time, and a decoder reads the
// answer. The client never retries. The agent's turn retries a call, because it records each attempt.

import { defined } from '@tidemark/core';
import type { AbortSignalLike, Answer, Outgoing, ProviderError, StreamPart, Usage } from '@tidemark/model';
import type { AddressReach } from './address.ts';
import { createReach, requireAddress } from './address.ts';
import type { PartMeter } from './answer-limits.ts';
import { answerLimits, createPartMeter } from './answer-limits.ts';
import { boundAnswer, boundFetch } from './bounded-fetch.ts';
import { aborted, silent } from './call-errors.ts';
import type { BearerToken, Hide } from './credentials.ts';
import { createCredentials, headerKey } from './credentials.ts';
import type { CallPhase } from './map-error.ts';
import { peekAnswer } from './peek-answer.ts';
import type { Service } from './service.ts';
import { accountName } from './service.ts';

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
   * contain the API key, the bearer token and the values of the caller's headers.
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
  /** Function used as `fetch`. It adds the headers and the token, limits the data that it reads and follows no redirect. */
  readonly fetch: typeof globalThis.fetch;
  /** The caller's headers, for connections that do not use `fetch`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns a text without the key, the token and the values of the headers. */
  readonly hide: Hide;
  readonly reach: AddressReach;
}

/** Headers, token and `fetch` of the caller, for requests to a service. */
export interface CallerConnection {
  /**
   * Additional headers of every request. Their values do not occur in errors, except values of fewer than 4 characters.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Token that is sent as `Authorization: Bearer` instead of the API key. A function is called before the first
   * request, and again after a 401. The request is then sent once more.
   */
  readonly bearerToken?: BearerToken;
  /**
   * Function used instead of the global `fetch`. All limits on answers apply to it. If it follows a redirect, the
   * answer is refused.
   */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options for reaching a service. */
export interface HttpClientOptions<Sdk extends SdkClient> extends CallerConnection {
  readonly service: Service;
  /** API key. For a server that needs no key, any text works. */
  readonly apiKey: string;
  /** Base address in the form that the SDK expects. It is never read from the environment. */
  readonly baseURL: string;
  /** Maximum time in a call without received data, in milliseconds. The default is 180,000. */
  readonly idleMs?: number;
  /** Name of the header that lists the betas of a request. */
  readonly betaHeader: string;
  /**
   * Loads the SDK. It is called with the first request, because the SDK has 250 modules. A program that sends no
   * request should not wait for them.
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
   * True if all parts of the answer have arrived. Then only facts about the call, such as its usage, can follow. If the
   * connection breaks or sends nothing more, the answer is still accepted. Default: false until the answer is complete.
   */
  hasAllParts?(): boolean;
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

/**
 * Returns the name of the account that a caller uses at an address. With a bearer token, the result is `undefined`. An
 * expired token is replaced by another token of the same account, so a token does not identify the account.
 */
export function callerAccount(
  service: Service,
  { apiKey, bearerToken }: Pick<HttpClientOptions<SdkClient>, 'apiKey' | 'bearerToken'>,
  baseURL: string,
): string | undefined {
  return bearerToken === undefined ? accountName(service, apiKey, baseURL) : undefined;
}

const IDLE_MS = 180_000;

/**
 * Opens a client. Nothing is sent yet, and the SDK is not loaded.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a user name or a password.
 */
export function openHttpClient<Sdk extends SdkClient>(options: HttpClientOptions<Sdk>): HttpClient<Sdk> {
  const { service, apiKey, baseURL, fetch = globalFetch, idleMs = IDLE_MS, betaHeader, load } = options;
  const { headers, bearerToken } = options;
  requireAddress(service, baseURL);
  const key = headerKey(service, apiKey);
  const reach = createReach();
  const credentials = createCredentials({ service, key, headers, bearerToken });
  const bounded = boundFetch({ service, reach, idleMs, fetch: credentials.through(fetch) });
  const setup: SdkSetup = {
    service,
    key,
    baseURL,
    idleMs,
    reach,
    fetch: bounded,
    headers: credentials.headers,
    hide: credentials.hide,
  };
  let loaded: Promise<Sdk> | undefined;
  const sdk = (): Promise<Sdk> => (loaded ??= load().then((create) => create(setup)));
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

/** Calls the global `fetch` of that moment, which a program may replace after the client was opened. */
const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

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
    const posted = await post(connection, path, outgoing, bridge);
    phase = 'answering';
    const peeking = peekAnswer(posted, bridge.controller.signal);
    const { form, response } = await within(peeking, idleMs, (ms) => silent(service, ms));
    if (form === 'events') yield* decodeEvents(connection, decoder.begin(), response, { bridge, meter });
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

/** Longest wait for the facts that follow the last part of an answer, in milliseconds. */
const LAST_FACTS_MS = 10_000;

const ENDED = { done: true, value: undefined } as const;

async function* decodeEvents(
  { service, sdk, idleMs }: ClientConnection,
  decoding: Decoding,
  response: Response,
  { bridge, meter }: { readonly bridge: Bridge; readonly meter: PartMeter },
): AsyncGenerator<StreamPart, void> {
  const events = sdk.events(response, bridge.controller);
  while (!decoding.finished()) {
    const patience = decoding.hasAllParts?.() === true ? Math.min(idleMs, LAST_FACTS_MS) : idleMs;
    const next = await within(events.next(), patience, (ms) => silent(service, ms)).catch((error: unknown) => {
      // With a new request, the user would pay again for the same answer.
      if (decoding.hasAllParts?.() !== true || sdk.sort(error, 'answering').class !== 'retryable') throw error;
      return ENDED;
    });
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
 * Waits for a promise for at most `idleMs` milliseconds. If the result comes later, it is ignored.
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
