// HTTP server on loopback for all endpoints of the simulator. This file contains the routes `/v1/messages` and
// `/v1/messages/count_tokens`, with the headers and errors of the real service. The OpenAI part adds its own routes.

import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { HttpServerError, openServer } from '@tidemark/http-server';
import type { RefusalAnswer, RefusalForm, RefusalReason, ServerLimits, ServerRefusal } from '@tidemark/http-server';
import { Hono } from 'hono';
import { admit, count } from '../anthropic/admit.ts';
import type { AdmittedMessage, IncomingCall } from '../anthropic/admit.ts';
import type { OpenAICore } from '../openai/memory.ts';
import {
  accountOf,
  anthropicKeyOf,
  firstByteAt,
  headersOf,
  nextRequest,
  reject,
  timeOf,
  waitOf,
  wholeBody,
  writeStream,
} from './route-context.ts';
import type { RouteState, RouteBindings, RouteContext } from './route-context.ts';
import { SimulatorError } from '../core/errors.ts';
import { messageOf, encodedEvents, errorEventOf, MALFORMED_EVENT } from '../anthropic/message.ts';
import { addModelRoutes } from './models.ts';
import { addOpenAIRoutes, refuseOpenAIEarly, refuseOpenAIPath } from './openai.ts';
import { openAIUpgrade } from './socket.ts';
import { addControlRoutes } from './control.ts';
import { invalid, refuse } from '../core/refusal.ts';
import { errorBody } from '../anthropic/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { MAX_BYTES } from '../anthropic/read-request.ts';

/** Simulator that listens on a port of the loopback interface. */
export interface ListeningSimulator {
  /** Base URL for an SDK: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Returns the number of open connections, WebSockets included. */
  connections(): number;
  /** Returns the number of open WebSockets. */
  webSockets(): number;
  /** Cuts all open connections and frees the port. */
  close(): Promise<void>;
}

/** Options for listening on a port. */
export interface ListenOptions {
  /** Port on the loopback interface. Default: 0, which selects a free port. */
  readonly port?: number;
  /**
   * Host names that the `Host` header may contain. `127.0.0.1`, `localhost` and `[::1]` with the simulator's port are
   * always allowed. An entry `name` allows any port, and `name:port` allows one port. Use this option for a client in a
   * container, if this machine has another name there.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Limits on clients, for example on the size of a body. Each given limit replaces its default. The default for a body
   * is 32 MB. The other defaults are those of `@tidemark/http-server`.
   */
  readonly limits?: Partial<ServerLimits>;
}

/**
 * Opens the server on the loopback interface. Port 0, the default, selects a free port.
 *
 * @throws SimulatorError `simulator/listen-failed` when the port is taken, `simulator/bad-options` for a wrong limit or
 *   host name.
 */
export async function listen(core: OpenAICore, options: ListenOptions): Promise<ListeningSimulator> {
  const { port = 0, allowedHosts = [] } = options;
  const limits = { bodyBytes: MAX_BYTES, ...options.limits };
  const state: RouteState = { core };
  const app = createApp(state);
  const refusalForm: RefusalForm = (refusal, path) => refuseEarly(state, refusal, path);
  const server = await openServer(app.fetch, { port, allowedHosts, limits, refusalForm }).catch((error: unknown) => {
    throw error instanceof HttpServerError ? asSimulatorError(error, port) : error;
  });
  server.onUpgrade(openAIUpgrade(state));
  return server;
}

function asSimulatorError(error: HttpServerError, port: number): SimulatorError {
  if (error.code === 'http-server/bad-options') {
    return new SimulatorError('simulator/bad-options', error.message, {}, error);
  }
  const message = `The simulator cannot listen on port ${port} of 127.0.0.1. Choose another port, or 0 for a free one.`;
  return new SimulatorError('simulator/listen-failed', message, { port }, error);
}

/** If the path does not belong to OpenAI or OpenRouter, the refusal has Anthropic's form. */
function refuseEarly(state: RouteState, refusal: ServerRefusal, path = ''): RefusalAnswer {
  reject(state, path, refusal);
  const openAI = refuseOpenAIEarly(refusal, path, () => nextRequest(state));
  if (openAI !== undefined) return openAI;
  const { reason, status, message } = refusal;
  const text = reason === 'body-too-large' ? TOO_LARGE : `simulator: ${message}`;
  return answerOf(refuse(status, TYPES[reason], text), nextRequest(state));
}

const TOO_LARGE = 'Request exceeds the maximum size';

/**
 * Anthropic's error type for each reason of a refusal. The types are listed by status at
 * https://platform.claude.com/docs/en/api/errors. The types for 408, 415, 421 and 431 are inferred ([I]), because that
 * page does not list these statuses.
 */
const TYPES: { readonly [reason in RefusalReason]: string } = {
  'body-too-large': 'request_too_large',
  busy: 'overloaded_error',
  encoding: 'invalid_request_error',
  failed: 'api_error',
  'headers-too-large': 'invalid_request_error',
  host: 'invalid_request_error',
  malformed: 'invalid_request_error',
  'no-upgrade': 'not_found_error',
  origin: 'permission_error',
  timeout: 'timeout_error',
};

function createApp(state: RouteState): Hono<RouteBindings> {
  const app = new Hono<RouteBindings>();
  app.post('/v1/messages', (context) => answerMessages(state, context));
  app.post('/v1/messages/count_tokens', (context) => answerCount(state, context));
  addOpenAIRoutes(app, state);
  addModelRoutes(app, state);
  addControlRoutes(app, state);
  app.notFound((context) => refuseUnknown(state, context.req.path));
  app.onError((error, context) => {
    const refusal = failure(error);
    reject(state, context.req.path, refusal);
    return refuseCall(refusal, nextRequest(state));
  });
  return app;
}

/** Returns the 404 for a path without a route. It has the form of the provider to which the path belongs. */
function refuseUnknown(state: RouteState, path: string): Response {
  reject(state, path, { status: 404, message: 'no route for this path and method is simulated' });
  const openAI = refuseOpenAIPath(path, () => nextRequest(state));
  if (openAI !== undefined) return new Response(openAI.body, openAI);
  return refuseCall(refuse(404, 'not_found_error', 'Not found'), nextRequest(state));
}

/**
 * Returns the refusal for an error of the simulator itself. The error text starts with `simulator:`, so it cannot be
 * mistaken for an error text of a provider.
 */
function failure(error: Error): MessageRefusal {
  const text = `simulator: ${error.message}`;
  return error instanceof SimulatorError ? invalid(text) : refuse(500, 'api_error', text);
}

async function answerMessages(state: RouteState, context: RouteContext): Promise<Response> {
  const { core } = state;
  const request = nextRequest(state);
  const call = await readCall(state, context);
  if ('outcome' in call) return refuseCall(call, request);
  const outcome = admit(core, call);
  if (outcome.outcome === 'refused') return refuseCall(outcome, request);
  await delay(waitOf(core, outcome.fault));
  return outcome.streamed
    ? respondStreamed(core, context, outcome, request)
    : respondWhole(core, context, outcome, request);
}

async function answerCount(state: RouteState, context: RouteContext): Promise<Response> {
  const { core } = state;
  const request = nextRequest(state);
  const call = await readCall(state, context);
  if ('outcome' in call) return refuseCall(call, request);
  const counted = count(core, call);
  if (counted.outcome === 'refused') return refuseCall(counted, request);
  const { tokens, edited } = counted;
  const body = { input_tokens: tokens, ...(edited ? { context_management: { original_input_tokens: tokens } } : {}) };
  return context.json(body, 200, { 'request-id': request });
}

async function respondStreamed(
  core: OpenAICore,
  context: RouteContext,
  call: AdmittedMessage,
  request: string,
): Promise<Response> {
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

/**
 * A `silence` fault sends nothing and leaves the connection open, because `RESPONSE_ALREADY_SENT` keeps Hono from
 * sending a response.
 */
function respondWhole(core: OpenAICore, context: RouteContext, call: AdmittedMessage, request: string): Response {
  const { fault } = call;
  if (['silence', 'cut', 'error-event'].includes(fault?.kind ?? '')) call.abandon();
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

async function readCall(state: RouteState, context: RouteContext): Promise<IncomingCall | MessageRefusal> {
  const key = anthropicKeyOf(context);
  const refused = typeof key === 'string' ? versionRefusal(context) : key;
  if (typeof key !== 'string' || refused !== undefined) {
    const refusal = refused ?? invalid('the request has no key');
    reject(state, context.req.path, refusal);
    return refusal;
  }
  const betas = (context.req.header('anthropic-beta') ?? '').split(',').map((beta) => beta.trim());
  return {
    body: new Uint8Array(await context.req.arrayBuffer()),
    account: accountOf(key),
    betas: betas.filter((beta) => beta !== ''),
    headers: headersOf(context),
    ...timeOf(state.core, context),
  };
}

/** A version is a date. Any date is accepted, because new releases of the SDK send new versions. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** The text for a wrong version is the simulator's own. */
function versionRefusal(context: RouteContext): MessageRefusal | undefined {
  const version = context.req.header('anthropic-version');
  if (version === undefined) return invalid('anthropic-version: header is required');
  return VERSION.test(version)
    ? undefined
    : invalid(`anthropic-version: ${JSON.stringify(version)} is not a valid version`);
}

function refuseCall(refusal: MessageRefusal, request: string): Response {
  const { status, headers, body } = answerOf(refusal, request);
  return new Response(body, { status, headers });
}

function answerOf(refusal: MessageRefusal, request: string): RefusalAnswer {
  const headers = { 'content-type': 'application/json', 'request-id': request, ...refusal.headers };
  return { status: refusal.status, headers, body: errorBody(refusal, request) };
}
