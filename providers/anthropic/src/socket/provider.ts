// The socket: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import { Anthropic } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { Outgoing, Provider, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { decodeCount, decodeMessage } from '../decode/message.ts';
import { decodeEvent, NOTHING, requireFinished } from '../decode/stream.ts';
import { anthropicEncoder } from '../encode/encoder.ts';
import { ANTHROPIC } from '../service.ts';
import type { Bridge } from '@tidemark/provider-wire';
import { aborted, bridgeAbort, silent, within } from '@tidemark/provider-wire';
import { countBody } from './count-body.ts';
import type { Phase } from './map-error.ts';
import { mapError } from './map-error.ts';

/** How to reach the API. */
export interface AnthropicOptions {
  readonly apiKey: string;
  /** Without the `/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. A ping is a sign of life. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://api.anthropic.com';
const IDLE_MS = 180_000;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** What a call needs beside its bytes. */
interface Socket {
  readonly client: Anthropic;
  readonly key: string;
  readonly idleMs: number;
}

const unheard = (ms: number): ProviderError => silent(ANTHROPIC, ms);

/**
 * Anthropic's Messages API.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold.
 */
export function createAnthropicProvider(options: AnthropicOptions): Provider {
  const socket = openSocket(options);
  return {
    name: ANTHROPIC.name,
    encoder: anthropicEncoder,
    send: (outgoing) => send(socket, outgoing),
    countTokens: (outgoing) => countTokens(socket, outgoing),
  };
}

function openSocket(options: AnthropicOptions): Socket {
  const key = options.apiKey.trim();
  if (!PRINTABLE.test(key)) {
    const message = 'the API key for Anthropic is empty or holds characters that a header cannot: set it again';
    throw new ProviderError('stop', 'provider/authentication', message, { provider: ANTHROPIC.name });
  }
  const idleMs = options.idleMs ?? IDLE_MS;
  const client = new Anthropic({
    apiKey: key,
    baseURL: options.baseURL ?? ADDRESS,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  return { client, key, idleMs };
}

async function* send(socket: Socket, outgoing: Outgoing): AsyncGenerator<StreamPart, void> {
  const bridge = bridgeAbort(outgoing.signal);
  let phase: Phase = 'asking';
  try {
    const response = await post(socket, '/v1/messages', outgoing.body, outgoing.betas, bridge);
    phase = 'answering';
    if (isStream(response)) yield* streamed(socket, response, bridge);
    else yield* whole(await within(response.text(), socket.idleMs, unheard));
  } catch (error) {
    throw bridge.aborted() ? aborted(ANTHROPIC) : mapError(error, phase, socket.key);
  } finally {
    bridge.release();
  }
}

async function post(
  socket: Socket,
  path: string,
  body: Uint8Array,
  betas: readonly string[],
  bridge: Bridge,
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  };
  return socket.client.post(path, { body, headers, stream: true, signal: bridge.controller.signal }).asResponse();
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

async function* streamed(socket: Socket, response: Response, bridge: Bridge): AsyncGenerator<StreamPart, void> {
  const events = Stream.rawEvents(response, bridge.controller);
  let arrived = NOTHING;
  while (!arrived.finished) {
    const next = await within(events.next(), socket.idleMs, unheard);
    if (next.done === true) break;
    if (next.value.data === '') continue;
    const step = decodeEvent(arrived, next.value.data);
    arrived = step.arrived;
    yield* step.says;
  }
  if (bridge.aborted()) throw aborted(ANTHROPIC);
  requireFinished(arrived);
}

function* whole(text: string): Generator<StreamPart, void> {
  const answer = decodeMessage(text);
  const { response, model } = answer;
  const named = { ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
  yield { type: 'began', ...named, usage: answer.usage };
  for (const [index, part] of answer.parts.entries()) yield { type: 'part', index, part };
  yield { type: 'finished', answer };
}

async function countTokens(socket: Socket, outgoing: Outgoing): Promise<number> {
  const bridge = bridgeAbort(outgoing.signal);
  try {
    const body = countBody(outgoing.body);
    const response = await post(socket, '/v1/messages/count_tokens', body, outgoing.betas, bridge);
    return decodeCount(await within(response.text(), socket.idleMs, unheard));
  } catch (error) {
    throw bridge.aborted() ? aborted(ANTHROPIC) : mapError(error, 'answering', socket.key);
  } finally {
    bridge.release();
  }
}
