// The door of WebSocket mode: `response.create` on `/v1/responses`, events as frames, one response after the other (§2.4).
// The caches are those of HTTP; what a connection remembers is its own.

import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RefusalAnswer, ServerSocket, ServeUpgrade } from '@tidemark/http-server';
import type { OpenAICore } from '../openai/memory.ts';
import { accountOf, firstByteAt, waitOf } from './door.ts';
import type { Fault } from '../core/faults.ts';
import { dataOf } from '../core/sse.ts';
import { piecesOf } from './stream.ts';
import { callResponses } from '../openai/calls.ts';
import type { OpenAIReply } from '../openai/calls.ts';
import { createConnectionMemory } from '../openai/responses/connection.ts';
import type { ConnectionMemory } from '../openai/responses/connection.ts';
import { readFrame, refusalFrame, tooOld } from './frames.ts';
import { failure, keyOf } from './openai.ts';
import { openAIErrorBody, refuseOpenAI } from '../openai/format/refusal.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';

const PATH = '/v1/responses';

/** Decides on upgrades: `/v1/responses` with a key is taken. */
export function openAIUpgrade(core: OpenAICore): ServeUpgrade {
  return (request, path) => {
    const account = admitUpgrade(core, request, path);
    return typeof account === 'string' ? (socket) => attend(core, socket, account) : answerOf(account);
  };
}

/** The account, or why there is no upgrade. */
function admitUpgrade(core: OpenAICore, { headers }: IncomingMessage, path: string): string | OpenAIRefusal {
  if (path !== PATH) return refuseOpenAI(404, 'Not found');
  const key = keyOf(headers.authorization);
  if (typeof key !== 'string') return key;
  const fault = takeFault(core, 'upgrade-refused');
  return fault === undefined ? accountOf(key) : refuseOpenAI(fault.status ?? 426, 'simulator: no upgrade, as asked.');
}

function answerOf(refusal: OpenAIRefusal): RefusalAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: refusal.status, headers, body: openAIErrorBody(refusal) };
}

/** Takes the next fault that was asked for, if it is of this kind: such a one strikes a connection, not a call. */
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

/** One connection. */
interface SocketConnection {
  readonly core: OpenAICore;
  readonly socket: ServerSocket;
  readonly account: string;
  readonly memory: ConnectionMemory;
  readonly openedAt: number;
}

function attend(core: OpenAICore, socket: ServerSocket, account: string): void {
  const openedAt = core.clock.now();
  const connection: SocketConnection = { core, socket, account, memory: createConnectionMemory(), openedAt };
  socket.onMessage((text) => answerFrame(connection, text));
}

async function answerFrame(connection: SocketConnection, text: string): Promise<void> {
  const { core, socket, account, memory, openedAt } = connection;
  const old = tooOld(openedAt, core.clock.now());
  if (old !== undefined) {
    await socket.send(refusalFrame(old));
    return socket.close();
  }
  if (takeFault(core, 'forgotten') !== undefined) memory.forget();
  const frame = readFrame(text);
  if (frame.outcome === 'refused') return socket.send(refusalFrame(frame));
  const { body, generates, previous } = frame;
  const outcome = attempt(() => callResponses(core, { body, account, connection: memory, generates }));
  if (outcome.outcome === 'admitted') return tell(connection, outcome);
  memory.forget(previous);
  await socket.send(refusalFrame(outcome));
}

function attempt(call: () => OpenAIReply | OpenAIRefusal): OpenAIReply | OpenAIRefusal {
  try {
    return call();
  } catch (error) {
    return failure(error);
  }
}

/** Sends all events of an answer, and ends as a fault wants it. */
async function tell({ core, socket, memory }: SocketConnection, reply: OpenAIReply): Promise<void> {
  await delay(waitOf(core, reply.fault));
  reply.begin(firstByteAt(core, reply));
  const pieces = piecesOf({ ...reply, events: reply.events(core.settings.deltaCharacters) });
  let next = pieces.next();
  for (; next.done !== true; next = pieces.next()) await socket.send(dataOf(next.value));
  if (next.value === 'cut') socket.terminate();
  if (reply.fault?.kind === 'error-event') memory.forget();
}
