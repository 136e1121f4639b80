// WebSocket mode of `/v1/responses` (provider-facts §2.4). A client sends `response.create`. The simulator sends the
// events of the response as frames, one response at a time. HTTP and WebSocket calls use the same caches. Each
// connection has its own memory of earlier responses.

import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RefusalAnswer, ServerSocket, ServeUpgrade } from '@tidemark/http-server';
import type { OpenAICore } from '../openai/memory.ts';
import { accountOf, firstByteAt, waitOf, piecesOf, reject } from './route-context.ts';
import type { RouteState } from './route-context.ts';
import type { Fault } from '../core/faults.ts';
import { dataOf } from '../core/sse.ts';
import { callResponses } from '../openai/calls.ts';
import type { OpenAIReply } from '../openai/calls.ts';
import { createConnectionMemory } from '../openai/responses/stored.ts';
import type { ConnectionMemory } from '../openai/responses/stored.ts';
import { failure, keyOf } from './openai.ts';
import {
  openAIErrorBody,
  refuseOpenAI,
  bad,
  missingParameter,
  unknownParameter,
  wrongType,
  wrongValue,
} from '../openai/format/refusal.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';
import { parseBody, TOO_DEEP } from '../core/body.ts';
import { isPresent, isObject, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

const PATH = '/v1/responses';

/**
 * Returns the handler of WebSocket upgrades. The handler accepts `/v1/responses` with an API key and refuses other
 * upgrades.
 */
export function openAIUpgrade(state: RouteState): ServeUpgrade {
  const { core } = state;
  return (request, path) => {
    const account = admitUpgrade(core, request, path);
    if (typeof account === 'string') return (socket) => attend(core, socket, account, plainHeaders(request));
    if (account.cause !== 'fault') reject(state, path, account.refusal);
    return answerOf(account.refusal);
  };
}

/**
 * Returns the account of an accepted upgrade, or the refusal of the upgrade. If the next queued fault is
 * `upgrade-refused`, this fault is removed from the queue and the upgrade is refused.
 */
function admitUpgrade(core: OpenAICore, { headers }: IncomingMessage, path: string): string | RefusedUpgrade {
  if (path !== PATH) return { refusal: refuseOpenAI(404, 'Not found') };
  const key = keyOf(headers.authorization);
  if (typeof key !== 'string') return { refusal: key };
  const fault = takeFault(core, 'upgrade-refused');
  return fault === undefined
    ? accountOf(key)
    : { refusal: refuseOpenAI(fault.status ?? 426, 'simulator: a planned fault refused the upgrade.'), cause: 'fault' };
}

/** Refusal of an upgrade. `cause` is `fault` if the test planned the refusal. */
interface RefusedUpgrade {
  readonly refusal: OpenAIRefusal;
  readonly cause?: 'fault';
}

function plainHeaders({ headers }: IncomingMessage): { readonly [name: string]: string } {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as const],
  );
  return Object.fromEntries(entries);
}

function answerOf(refusal: OpenAIRefusal): RefusalAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: refusal.status, headers, body: openAIErrorBody(refusal) };
}

/**
 * If the next queued fault has this kind, removes and returns it. Used for faults that affect a connection, not a call.
 */
function takeFault<Kind extends Fault['kind']>(
  core: OpenAICore,
  kind: Kind,
): Extract<Fault, { readonly kind: Kind }> | undefined {
  const [next] = core.faults;
  if (!isOf(next, kind)) return undefined;
  core.faults.shift();
  return next;
}

function isOf<Kind extends Fault['kind']>(
  fault: Fault | undefined,
  kind: Kind,
): fault is Extract<Fault, { readonly kind: Kind }> {
  return fault?.kind === kind;
}

interface SocketConnection {
  readonly core: OpenAICore;
  readonly socket: ServerSocket;
  readonly account: string;
  /** Headers of the upgrade. They apply to each call of the connection. */
  readonly headers: { readonly [name: string]: string };
  readonly memory: ConnectionMemory;
  readonly openedAt: number;
}

function attend(core: OpenAICore, socket: ServerSocket, account: string, headers: SocketConnection['headers']): void {
  const openedAt = core.clock.now();
  const connection: SocketConnection = { core, socket, account, headers, memory: createConnectionMemory(), openedAt };
  socket.onMessage((text) => answerFrame(connection, text));
}

async function answerFrame(connection: SocketConnection, text: string): Promise<void> {
  const { core, socket, account, headers, memory, openedAt } = connection;
  const old = tooOld(openedAt, core.clock.now());
  if (old !== undefined) {
    reject(connection, PATH, old);
    await socket.send(refusalFrame(old));
    return socket.close();
  }
  if (takeFault(core, 'forgotten') !== undefined) memory.forget();
  const frame = readFrame(text);
  if (frame.outcome === 'refused') {
    reject(connection, PATH, frame);
    return socket.send(refusalFrame(frame));
  }
  const { body, generates, previous } = frame;
  const outcome = attempt(connection, () =>
    callResponses(core, { body, account, headers, connection: memory, generates }),
  );
  if (outcome.outcome === 'admitted') return tell(connection, outcome);
  memory.forget(previous);
  await socket.send(refusalFrame(outcome));
}

/** An error of the simulator itself is recorded, so that a strict run fails. */
function attempt(state: RouteState, call: () => OpenAIReply | OpenAIRefusal): OpenAIReply | OpenAIRefusal {
  try {
    return call();
  } catch (error) {
    const refusal = failure(error);
    reject(state, PATH, refusal);
    return refusal;
  }
}

/** After an `error-event` fault the connection forgets its latest response. */
async function tell({ core, socket, memory }: SocketConnection, reply: OpenAIReply): Promise<void> {
  await delay(waitOf(core, reply.fault));
  reply.begin(firstByteAt(core, reply));
  const pieces = piecesOf({ ...reply, events: reply.events(core.settings.deltaCharacters) });
  let next = pieces.next();
  for (; next.done !== true; next = pieces.next()) await socket.send(dataOf(next.value));
  if (next.value === 'cut') socket.terminate();
  if (reply.fault?.kind === 'error-event') memory.forget();
}

// Reads and writes frames of a WebSocket connection: the client's `response.create`, and errors in the form of the
// service (provider-facts §2.4).

/** Parsed `response.create` frame, with the id of the previous response. */
export interface CreateFrame {
  readonly outcome: 'read';
  /** Request body that the same call would have over HTTP. */
  readonly body: string;
  readonly previous: string | undefined;
  /** False if the call generates no answer and only fills the cache and the memory of the connection. */
  readonly generates: boolean;
}

function readFrame(text: string): CreateFrame | OpenAIRefusal {
  const parsed = parseBody(Buffer.from(text));
  if (parsed === 'too-deep') return bad(TOO_DEEP, null);
  const frame = parsed?.value;
  if (!isObject(frame)) return bad('simulator: the frame is not a JSON object. Send one event as JSON.', null);
  const { type, generate, ...fields } = frame;
  if (!isPresent(type)) return missingParameter('type');
  if (type !== 'response.create') return wrongValue('type', textOf(type), ['response.create']);
  if (isPresent(generate) && typeof generate !== 'boolean') return wrongType('generate', 'a boolean', generate);
  const wrong = checkFields(fields);
  if (wrong !== undefined) return wrong;
  const previous = textOf(fields['previous_response_id']);
  const body = JSON.stringify({ ...fields, stream: true });
  return { outcome: 'read', body, previous: previous || undefined, generates: generate !== false };
}

/**
 * Refuses fields that a WebSocket call may not have. `background` is allowed only over HTTP. A WebSocket always
 * streams, but Codex CLI 0.169 sends `stream: true`, so this field is accepted. `stream_id` is refused because the
 * simulator has no parallel lanes.
 */
function checkFields({ stream, stream_id: lane, ...fields }: WireObject): OpenAIRefusal | undefined {
  if (isPresent(lane)) {
    return bad("simulator: lanes are not simulated. Remove 'stream_id' and open another connection.", 'stream_id');
  }
  if (isPresent(stream) && stream !== true) {
    return bad("simulator: a WebSocket always streams. Remove 'stream', or send the call over HTTP.", 'stream');
  }
  return 'background' in fields ? unknownParameter('background') : undefined;
}

/** The `error` event contains the headers that HTTP would send. */
function refusalFrame({ status, type, message, param, code, headers }: OpenAIRefusal): string {
  const optional = Object.keys(headers).length === 0 ? {} : { headers };
  return JSON.stringify({ type: 'error', status, error: { type, code, message, param, ...optional } });
}

const LONGEST_MS = 60 * 60 * 1000;

function tooOld(openedAt: number, now: number): OpenAIRefusal | undefined {
  if (now - openedAt < LONGEST_MS) return undefined;
  const text =
    'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.';
  return bad(text, null, 'websocket_connection_limit_reached');
}
