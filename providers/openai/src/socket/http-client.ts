// The line to a service: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import type { Outgoing, ProviderError, StreamPart } from '@tidemark/model';
import type { AnswerLimits, Bridge, PartMeter, AddressReach, Service } from '@tidemark/provider-wire';
import {
  aborted,
  answerLimits,
  boundAnswer,
  boundFetch,
  bridgeAbort,
  createPartMeter,
  createReach,
  silent,
  within,
} from '@tidemark/provider-wire';
import { OpenAI } from 'openai';
import { _iterSSEMessages as rawEvents } from 'openai/core/streaming';
import type { AnswerDecoder } from '../decode/decoding.ts';
import { wholeAsStream } from '../decode/decoding.ts';
import type { ProviderConnection, ConnectionOpening } from './connection.ts';
import { connect } from './connection.ts';
import type { CallPhase } from './map-error.ts';
import { mapError } from './map-error.ts';

/** How to open one. */
export interface HttpClientOptions {
  readonly service: Service;
  /** One that a header can hold. */
  readonly key: string;
  /** Up to the version. */
  readonly baseURL: string;
  /** How long a call may be silent, in milliseconds. */
  readonly idleMs: number;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** See the head of this file. It holds no connection of its own. */
export interface HttpClient {
  stream(path: string, decoder: AnswerDecoder, outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  whole(path: string, outgoing: Outgoing): Promise<string>;
  connect(opening: ConnectionOpening): Promise<ProviderConnection>;
  sort(error: unknown, phase: CallPhase): ProviderError;
}

/** What a call needs beside its bytes. */
interface HeldClient {
  readonly service: Service;
  readonly client: OpenAI;
  readonly key: string;
  readonly idleMs: number;
  readonly reach: AddressReach;
}

/** Opens a line: nothing is sent yet. */
export function openLine({ service, key, baseURL, idleMs, fetch }: HttpClientOptions): HttpClient {
  const reach = createReach();
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
    fetch: boundFetch({ service, reach, idleMs, fetch }),
  });
  const held: HeldClient = { service, client, key, idleMs, reach };
  return {
    stream: (path, decoder, outgoing) => stream(held, path, decoder, outgoing),
    whole: (path, outgoing) => whole(held, path, outgoing),
    connect: (opening) => connect(held, opening),
    sort: (error, phase) => mapError(service, error, phase, key),
  };
}

async function* stream(
  held: HeldClient,
  path: string,
  decoder: AnswerDecoder,
  outgoing: Outgoing,
): AsyncGenerator<StreamPart, void> {
  const bridge = bridgeAbort(outgoing.signal);
  let phase: CallPhase = 'asking';
  try {
    const limits = answerLimits(outgoing.outputLimit);
    const meter = createPartMeter(held.service, limits);
    const response = await post(held, path, outgoing, { bridge, limits });
    phase = 'answering';
    if (isStream(response)) yield* streamed(held, decoder, response, { bridge, meter });
    else yield* meter(wholeAsStream(decoder.whole(await textOf(held, response))));
  } catch (error) {
    throw bridge.aborted() ? aborted(held.service) : mapError(held.service, error, phase, held.key);
  } finally {
    bridge.release();
  }
}

async function post(
  { client, service }: HeldClient,
  path: string,
  { body, betas }: Outgoing,
  { bridge, limits }: { readonly bridge: Bridge; readonly limits: AnswerLimits },
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(betas.length > 0 && { 'openai-beta': betas.join(',') }),
  };
  const { signal } = bridge.controller;
  return boundAnswer(service, await client.post(path, { body, headers, stream: true, signal }).asResponse(), limits);
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

function textOf({ service, idleMs }: HeldClient, response: Response): Promise<string> {
  return within(response.text(), idleMs, (ms) => silent(service, ms));
}

async function* streamed(
  { service, idleMs }: HeldClient,
  decoder: AnswerDecoder,
  response: Response,
  { bridge, meter }: { readonly bridge: Bridge; readonly meter: PartMeter },
): AsyncGenerator<StreamPart, void> {
  // The SDK's public stream parses and prints: only its raw events keep encrypted reasoning as it was sent.
  const events = rawEvents(response, bridge.controller);
  const decoding = decoder.begin();
  while (!decoding.finished()) {
    const next = await within(events.next(), idleMs, (ms) => silent(service, ms));
    if (next.done === true) break;
    if (next.value.data !== '') yield* meter(decoding.take(next.value.data));
  }
  if (bridge.aborted()) throw aborted(service);
  yield* meter(decoding.end());
}

async function whole(held: HeldClient, path: string, outgoing: Outgoing): Promise<string> {
  const bridge = bridgeAbort(outgoing.signal);
  try {
    return await textOf(held, await post(held, path, outgoing, { bridge, limits: answerLimits(0) }));
  } catch (error) {
    throw bridge.aborted() ? aborted(held.service) : mapError(held.service, error, 'answering', held.key);
  } finally {
    bridge.release();
  }
}
