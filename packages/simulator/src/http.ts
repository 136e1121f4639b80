// The port: every wire over loopback HTTP. Here `/v1/messages` and `/v1/messages/count_tokens`, with the headers and errors of
// the real one; the OpenAI part brings its own doors.

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { admit, count } from './admit.ts';
import type { Admitted, IncomingCall } from './admit.ts';
import type { Core } from './core.ts';
import { accountOf, firstByteAt, nextRequest, timeOf, waitOf } from './door.ts';
import type { Door, DoorBindings, DoorContext } from './door.ts';
import { SimulatorError } from './errors.ts';
import { messageOf } from './message.ts';
import { addOpenAIDoors } from './openai/http.ts';
import { addOpenAISockets } from './openai/socket.ts';
import { errorBody, invalid, refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { encodedEvents, errorEventOf, MALFORMED_EVENT } from './sse.ts';
import { wholeBody, writeStream } from './stream.ts';

/** A simulator that listens. */
export interface Listening {
  /** `http://127.0.0.1:<port>`, what an SDK takes as its base URL. */
  readonly url: string;
  readonly port: number;
  /** WebSockets that are open now. */
  webSockets(): number;
  /** Cuts what is open and frees the port. */
  close(): Promise<void>;
}

/**
 * Listens on loopback. Port 0 takes a free one.
 *
 * @throws SimulatorError `simulator/listen-failed` when the port is taken.
 */
export async function listen(core: Core, port: number): Promise<Listening> {
  const app = createApp(core);
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  const sockets = addOpenAISockets(server, core);
  await bind(server, port);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    webSockets: () => sockets.open(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.cut();
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The simulator cannot listen on port ${port} of 127.0.0.1. Choose another port, or 0 for a free one.`;
      reject(new SimulatorError('simulator/listen-failed', message, { port }, cause));
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

function createApp(core: Core): Hono<DoorBindings> {
  const door: Door = { core, requests: 0 };
  const app = new Hono<DoorBindings>();
  app.post('/v1/messages', (context) => answerMessages(door, context));
  app.post('/v1/messages/count_tokens', (context) => answerCount(door, context));
  addOpenAIDoors(app, door);
  app.notFound(() => refuseCall(refuse(404, 'not_found_error', 'Not found'), nextRequest(door)));
  app.onError((error) => refuseCall(failure(error), nextRequest(door)));
  return app;
}

/** What went wrong in the simulator itself is said so, never as a provider's text. */
function failure(error: Error): Refusal {
  const text = `simulator: ${error.message}`;
  return error instanceof SimulatorError ? invalid(text) : refuse(500, 'api_error', text);
}

async function answerMessages(door: Door, context: DoorContext): Promise<Response> {
  const { core } = door;
  const request = nextRequest(door);
  const call = await readCall(core, context);
  if ('outcome' in call) return refuseCall(call, request);
  const outcome = admit(core, call);
  if (outcome.outcome === 'refused') return refuseCall(outcome, request);
  await delay(waitOf(core, outcome.fault));
  return outcome.streamed
    ? respondStreamed(core, context, outcome, request)
    : respondWhole(core, context, outcome, request);
}

async function answerCount(door: Door, context: DoorContext): Promise<Response> {
  const { core } = door;
  const request = nextRequest(door);
  const call = await readCall(core, context);
  if ('outcome' in call) return refuseCall(call, request);
  const counted = count(core, call);
  if (counted.outcome === 'refused') return refuseCall(counted, request);
  return context.json({ input_tokens: counted.tokens }, 200, { 'request-id': request });
}

async function respondStreamed(core: Core, context: DoorContext, call: Admitted, request: string): Promise<Response> {
  const { outgoing } = context.env;
  call.begin(firstByteAt(core, call));
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': request,
  });
  const { deltaCharacters } = core.settings;
  await writeStream(outgoing, {
    events: encodedEvents(call.reply, deltaCharacters),
    fault: call.fault,
    malformed: MALFORMED_EVENT,
    errorEvent: ({ type, message }) => errorEventOf(type, message, request),
  });
  return RESPONSE_ALREADY_SENT;
}

/** Without a stream a fault on the way strikes before the first byte. */
function respondWhole(core: Core, context: DoorContext, call: Admitted, request: string): Response {
  const { fault } = call;
  if (fault?.kind === 'silence') return RESPONSE_ALREADY_SENT;
  if (fault?.kind === 'cut') {
    context.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (fault?.kind === 'error-event') {
    return refuseCall(refuse(529, fault.type ?? 'overloaded_error', fault.message ?? 'Overloaded'), request);
  }
  call.begin(firstByteAt(core, call));
  return context.body(wholeBody(messageOf(call.reply), fault), 200, {
    'content-type': 'application/json',
    'request-id': request,
  });
}

async function readCall(core: Core, context: DoorContext): Promise<IncomingCall | Refusal> {
  const bearer = context.req.header('authorization')?.replace(/^Bearer\s+/i, '');
  const key = context.req.header('x-api-key') ?? bearer ?? '';
  if (key === '') return refuse(401, 'authentication_error', 'x-api-key header is required');
  if (context.req.header('anthropic-version') === undefined) return invalid('anthropic-version: header is required');
  const betas = (context.req.header('anthropic-beta') ?? '').split(',').map((beta) => beta.trim());
  return {
    body: new Uint8Array(await context.req.arrayBuffer()),
    account: accountOf(key),
    betas: betas.filter((beta) => beta !== ''),
    ...timeOf(core, context),
  };
}

function refuseCall(refusal: Refusal, request: string): Response {
  const headers = { 'content-type': 'application/json', 'request-id': request, ...refusal.headers };
  return new Response(errorBody(refusal, request), { status: refusal.status, headers });
}
