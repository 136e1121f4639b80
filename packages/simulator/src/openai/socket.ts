// The door of WebSocket mode: `response.create` on `/v1/responses`, events as frames, one response after the other (§2.4).
// The caches are those of HTTP; what a connection remembers is its own.

import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Core } from '../core.ts';
import { accountOf, firstByteAt, waitOf } from '../door.ts';
import type { Fault } from '../faults.ts';
import { dataOf } from '../sse.ts';
import { piecesOf } from '../stream.ts';
import { callResponses } from './calls.ts';
import type { OpenAIReply } from './calls.ts';
import { createConnectionMemory } from './connection.ts';
import type { ConnectionMemory } from './connection.ts';
import { readFrame, refusalFrame, tooOld } from './frames.ts';
import { failure, keyOf } from './http.ts';
import { openAIErrorBody, refuseOpenAI } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

const PATH = '/v1/responses';

/** The connections of a server. */
export interface OpenAISockets {
  /** How many there are now. */
  open(): number;
  /** Cuts every one. */
  cut(): void;
}

/** Takes upgrades on this server. */
export function addOpenAISockets(server: Server, core: Core): OpenAISockets {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream, head) => {
    const account = admitUpgrade(core, request);
    if (typeof account !== 'string') return refuseUpgrade(stream, account);
    sockets.handleUpgrade(request, stream, head, (socket) => attend(core, socket, account));
  });
  return {
    open: () => sockets.clients.size,
    cut() {
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

/** The account, or why there is no upgrade. */
function admitUpgrade(core: Core, request: IncomingMessage): string | OpenAIRefusal {
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH) return refuseOpenAI(404, 'Not found');
  const key = keyOf(request.headers.authorization);
  if (typeof key !== 'string') return key;
  const fault = takeFault(core, 'upgrade-refused');
  return fault === undefined ? accountOf(key) : refuseOpenAI(fault.status ?? 426, 'simulator: no upgrade, as asked.');
}

function refuseUpgrade(stream: Duplex, refusal: OpenAIRefusal): void {
  const body = openAIErrorBody(refusal);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\nconnection: close\r\n`;
  const about = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  stream.end(head + about + body);
}

/** Takes the next fault that was asked for, if it is of this kind: such a one strikes a connection, not a call. */
function takeFault<Kind extends Fault['kind']>(
  core: Core,
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
interface Connection {
  readonly core: Core;
  readonly socket: WebSocket;
  readonly account: string;
  readonly memory: ConnectionMemory;
  readonly openedAt: number;
}

function attend(core: Core, socket: WebSocket, account: string): void {
  const openedAt = core.clock.now();
  const connection: Connection = { core, socket, account, memory: createConnectionMemory(), openedAt };
  let last = Promise.resolve();
  socket.on('error', () => socket.terminate());
  // What is asked while an answer is on its way waits its turn.
  socket.on('message', (data: Buffer) => {
    last = last.then(() => answerFrame(connection, data.toString()));
  });
}

async function answerFrame(connection: Connection, text: string): Promise<void> {
  const { core, socket, account, memory, openedAt } = connection;
  const old = tooOld(openedAt, core.clock.now());
  if (old !== undefined) {
    socket.send(refusalFrame(old));
    return socket.close();
  }
  if (takeFault(core, 'forgotten') !== undefined) memory.forget();
  const frame = readFrame(text);
  if (frame.outcome === 'refused') return socket.send(refusalFrame(frame));
  const { body, generates, previous } = frame;
  const outcome = attempt(() => callResponses(core, { body, account, connection: memory, generates }));
  if (outcome.outcome === 'admitted') return tell(connection, outcome);
  memory.forget(previous);
  socket.send(refusalFrame(outcome));
}

function attempt(call: () => OpenAIReply | OpenAIRefusal): OpenAIReply | OpenAIRefusal {
  try {
    return call();
  } catch (error) {
    return failure(error);
  }
}

/** Sends all events of an answer, and ends as a fault wants it. */
async function tell({ core, socket, memory }: Connection, reply: OpenAIReply): Promise<void> {
  await delay(waitOf(core, reply.fault));
  reply.begin(firstByteAt(core, reply));
  const pieces = piecesOf({ ...reply, events: reply.events(core.settings.deltaCharacters) });
  let next = pieces.next();
  for (; next.done !== true; next = pieces.next()) await send(socket, dataOf(next.value));
  if (next.value === 'cut') socket.terminate();
  if (reply.fault?.kind === 'error-event') memory.forget();
}

/** To one that is gone nothing is sent. */
function send(socket: WebSocket, frame: string): Promise<void> {
  return new Promise((resolve) => {
    socket.send(frame, () => resolve());
  });
}
