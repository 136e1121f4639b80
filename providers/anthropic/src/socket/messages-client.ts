// The line to the API: the official SDK sends exactly the bytes it is given, once. Retry belongs to the turn, which records it.

import { Anthropic } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { Outgoing, ProviderError, StreamPart } from '@tidemark/model';
import type { AnswerLimits, Bridge, PartMeter } from '@tidemark/provider-wire';
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
import { decodeCount, decodeMessage } from '../decode/message.ts';
import { decodeEvent, NOTHING, requireFinished } from '../decode/stream.ts';
import { ANTHROPIC } from '../service.ts';
import { countBody } from './count-body.ts';
import type { MessagePhase } from './map-error.ts';
import { mapError } from './map-error.ts';

/** How to open one. */
export interface MessagesClientOptions {
  /** One that a header can hold. */
  readonly key: string;
  readonly baseURL: string;
  /** How long a call may be silent, in milliseconds. */
  readonly idleMs: number;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** See the head of this file. It holds no connection of its own. */
export interface MessagesClient {
  send(outgoing: Outgoing): AsyncGenerator<StreamPart, void>;
  countTokens(outgoing: Outgoing): Promise<number>;
}

/** What a call needs beside its bytes. */
interface MessagesSocket {
  readonly client: Anthropic;
  readonly key: string;
  readonly idleMs: number;
}

const unheard = (ms: number): ProviderError => silent(ANTHROPIC, ms);

/** Opens a line: nothing is sent yet. */
export function openLine({ key, baseURL, idleMs, fetch }: MessagesClientOptions): MessagesClient {
  const client = new Anthropic({
    apiKey: key,
    baseURL,
    maxRetries: 0,
    timeout: idleMs,
    logLevel: 'off',
    fetch: boundFetch({ service: ANTHROPIC, reach: createReach(), idleMs, fetch }),
  });
  const socket: MessagesSocket = { client, key, idleMs };
  return { send: (outgoing) => send(socket, outgoing), countTokens: (outgoing) => countTokens(socket, outgoing) };
}

async function* send(socket: MessagesSocket, outgoing: Outgoing): AsyncGenerator<StreamPart, void> {
  const bridge = bridgeAbort(outgoing.signal);
  let phase: MessagePhase = 'asking';
  try {
    const limits = answerLimits(outgoing.outputLimit);
    const meter = createPartMeter(ANTHROPIC, limits);
    const response = await post(socket, '/v1/messages', outgoing, { bridge, limits });
    phase = 'answering';
    if (isStream(response)) yield* streamed(socket, response, bridge, meter);
    else yield* meter(whole(await within(response.text(), socket.idleMs, unheard)));
  } catch (error) {
    throw bridge.aborted() ? aborted(ANTHROPIC) : mapError(error, phase, socket.key);
  } finally {
    bridge.release();
  }
}

async function post(
  socket: MessagesSocket,
  path: string,
  { body, betas }: Pick<Outgoing, 'body' | 'betas'>,
  { bridge, limits }: { readonly bridge: Bridge; readonly limits: AnswerLimits },
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  };
  const { signal } = bridge.controller;
  const response = await socket.client.post(path, { body, headers, stream: true, signal }).asResponse();
  return boundAnswer(ANTHROPIC, response, limits);
}

function isStream(response: Response): boolean {
  return !(response.headers.get('content-type') ?? '').includes('application/json');
}

async function* streamed(
  socket: MessagesSocket,
  response: Response,
  bridge: Bridge,
  meter: PartMeter,
): AsyncGenerator<StreamPart, void> {
  const events = Stream.rawEvents(response, bridge.controller);
  let arrived = NOTHING;
  while (!arrived.finished) {
    const next = await within(events.next(), socket.idleMs, unheard);
    if (next.done === true) break;
    if (next.value.data === '') continue;
    const step = decodeEvent(arrived, next.value.data);
    arrived = step.arrived;
    yield* meter(step.says);
  }
  if (bridge.aborted()) throw aborted(ANTHROPIC);
  requireFinished(arrived);
}

function whole(text: string): readonly StreamPart[] {
  const answer = decodeMessage(text);
  const { response, model } = answer;
  const named = { ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
  return [
    { type: 'began', ...named, usage: answer.usage },
    ...answer.parts.map((part, index): StreamPart => ({ type: 'part', index, part })),
    { type: 'finished', answer },
  ];
}

async function countTokens(socket: MessagesSocket, outgoing: Outgoing): Promise<number> {
  const bridge = bridgeAbort(outgoing.signal);
  try {
    const body = countBody(outgoing.body);
    const limits = answerLimits(0);
    const { betas } = outgoing;
    const response = await post(socket, '/v1/messages/count_tokens', { body, betas }, { bridge, limits });
    return decodeCount(await within(response.text(), socket.idleMs, unheard));
  } catch (error) {
    throw bridge.aborted() ? aborted(ANTHROPIC) : mapError(error, 'answering', socket.key);
  } finally {
    bridge.release();
  }
}
