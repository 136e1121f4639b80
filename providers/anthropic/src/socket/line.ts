// The line to the API: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import { Anthropic } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { Outgoing, ProviderError, StreamPart } from '@tidemark/model';
import type { Bridge } from '@tidemark/provider-wire';
import { aborted, bridgeAbort, silent, within } from '@tidemark/provider-wire';
import { decodeCount, decodeMessage } from '../decode/message.ts';
import { decodeEvent, NOTHING, requireFinished } from '../decode/stream.ts';
import { ANTHROPIC } from '../service.ts';
import { countBody } from './count-body.ts';
import type { Phase } from './map-error.ts';
import { mapError } from './map-error.ts';

/** How to open one. */
export interface LineOptions {
  /** One that a header can hold. */
  readonly key: string;
  readonly baseURL: string;
  /** How long a call may be silent, in milliseconds. */
  readonly idleMs: number;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** See the head of this file. It holds no connection of its own. */
export interface Line {
  send(outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  countTokens(outgoing: Outgoing): Promise<number>;
}

/** What a call needs beside its bytes. */
interface Socket {
  readonly client: Anthropic;
  readonly key: string;
  readonly idleMs: number;
}

const unheard = (ms: number): ProviderError => silent(ANTHROPIC, ms);

/** Opens a line: nothing is sent yet. */
export function openLine({ key, baseURL, idleMs, fetch }: LineOptions): Line {
  const client = new Anthropic({
    apiKey: key,
    baseURL,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    ...(fetch !== undefined && { fetch }),
  });
  const socket: Socket = { client, key, idleMs };
  return { send: (outgoing) => send(socket, outgoing), countTokens: (outgoing) => countTokens(socket, outgoing) };
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
