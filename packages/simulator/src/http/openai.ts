// Routes of the OpenAI part, with the headers and errors of the real services: `/v1/responses`,
// `/v1/responses/input_tokens`, `/v1/chat/completions`, and OpenRouter's `/api/v1/chat/completions`.

import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { RefusalAnswer, ServerRefusal } from '@tidemark/http-server';
import type { Hono } from 'hono';
import type { OpenAICore } from '../openai/memory.ts';
import {
  accountOf,
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
import type { IncomingOpenAICall } from '../openai/admit.ts';
import { callChat, callInputTokens, callResponses } from '../openai/calls.ts';
import type { OpenAIReply } from '../openai/calls.ts';
import { SERVER_ERROR } from '../openai/format/faults.ts';
import { bad, openAIErrorBody, refuseOpenAI } from '../openai/format/refusal.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';

type AnswerCall = (core: OpenAICore, call: IncomingOpenAICall) => OpenAIReply | OpenAIRefusal;

/** Function that returns the response body of a refusal. */
type Form = (refusal: OpenAIRefusal) => string;

/**
 * Adds the routes of the OpenAI part to the server. All errors have the form of the provider, including errors of the
 * simulator itself.
 */
export function addOpenAIRoutes(app: Hono<RouteBindings>, state: RouteState): void {
  const { core } = state;
  const answering =
    (answer: AnswerCall, form: Form = openAIErrorBody) =>
    (context: RouteContext): Promise<Response> =>
      respondGuarded(state, context, form, (call, request) => respond(core, context, answer(core, call), request));
  const routed: AnswerCall = (own, call) => callChat(own, call, 'router');
  app.post('/v1/responses', answering(callResponses));
  app.post(
    '/v1/chat/completions',
    answering((own, call) => callChat(own, call, 'chat')),
  );
  app.post('/api/v1/chat/completions', answering(routed, routerErrorBody));
  app.post('/v1/responses/input_tokens', (context) =>
    respondGuarded(state, context, openAIErrorBody, (call, request) =>
      respondCount(context, callInputTokens(core, call), request),
    ),
  );
}

/**
 * Returns a refusal of the HTTP server in the form of OpenAI or OpenRouter. Returns `undefined` if the path belongs to
 * neither of them. OpenAI publishes no limit for the size of a body, so Anthropic's limit applies (inferred, [I]).
 */
export function refuseOpenAIEarly(
  { reason, status, message }: ServerRefusal,
  path: string,
  nextId: () => string,
): RefusalAnswer | undefined {
  const form = formOf(path);
  if (form === undefined) return undefined;
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  const code = reason === 'body-too-large' ? 'request_too_large' : null;
  const body = form(refuseOpenAI(status, `simulator: ${message}`, { type, code }));
  return { status, headers: { 'content-type': 'application/json', 'x-request-id': nextId() }, body };
}

/**
 * Returns the 404 for a path of OpenAI or OpenRouter that has no route. Returns `undefined` if the path belongs to
 * neither of them.
 */
export function refuseOpenAIPath(path: string, nextId: () => string): RefusalAnswer | undefined {
  const form = formOf(path);
  if (form === undefined) return undefined;
  const body = form(refuseOpenAI(404, `simulator: no route for ${path} is simulated with this method.`));
  return { status: 404, headers: { 'content-type': 'application/json', 'x-request-id': nextId() }, body };
}

function formOf(path: string): Form | undefined {
  if (path.startsWith('/api/v1/')) return routerErrorBody;
  return /^\/v1\/(?:responses|chat)(?:\/|$)/.test(path) ? openAIErrorBody : undefined;
}

/**
 * Returns the body of an OpenRouter error, in which `code` is the HTTP status. This form is inferred ([I]), because
 * provider-facts §3 gives no error text.
 */
function routerErrorBody({ message, status }: OpenAIRefusal): string {
  return JSON.stringify({ error: { message, code: status } });
}

type RouteOutcome = Response | OpenAIRefusal;

type AnswerWork = (call: IncomingOpenAICall, request: string) => RouteOutcome | Promise<RouteOutcome>;

async function respondGuarded(
  state: RouteState,
  context: RouteContext,
  form: Form,
  work: AnswerWork,
): Promise<Response> {
  const request = nextRequest(state);
  const outcome = await attempt(state, context, request, work);
  if (outcome instanceof Response) return outcome;
  const headers = { 'content-type': 'application/json', 'x-request-id': request, ...outcome.headers };
  return new Response(form(outcome), { status: outcome.status, headers });
}

async function attempt(
  state: RouteState,
  context: RouteContext,
  request: string,
  work: AnswerWork,
): Promise<RouteOutcome> {
  try {
    const call = await readCall(state, context);
    return 'outcome' in call ? call : await work(call, request);
  } catch (error) {
    const refusal = failure(error);
    reject(state, context.req.path, refusal);
    return refusal;
  }
}

/**
 * Returns the refusal for an error of the simulator itself. The error text starts with `simulator:`, so it cannot be
 * mistaken for an error text of a provider.
 */
export function failure(error: unknown): OpenAIRefusal {
  const text = `simulator: ${error instanceof Error ? error.message : String(error)}`;
  return error instanceof SimulatorError ? bad(text, null) : refuseOpenAI(500, text, { type: 'server_error' });
}

const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

/** Returns the API key in the `Authorization` header, or a refusal if the header contains none. */
export function keyOf(authorization: string | undefined): string | OpenAIRefusal {
  return /^Bearer\s+(.+)$/i.exec(authorization ?? '')?.[1] ?? refuseOpenAI(401, NO_KEY);
}

async function readCall(state: RouteState, context: RouteContext): Promise<IncomingOpenAICall | OpenAIRefusal> {
  const key = keyOf(context.req.header('authorization'));
  if (typeof key !== 'string') {
    reject(state, context.req.path, key);
    return key;
  }
  const body = new Uint8Array(await context.req.arrayBuffer());
  return { body, account: accountOf(key), headers: headersOf(context), ...timeOf(state.core, context) };
}

async function respond(
  core: OpenAICore,
  context: RouteContext,
  outcome: OpenAIReply | OpenAIRefusal,
  request: string,
): Promise<RouteOutcome> {
  if (outcome.outcome === 'refused') return outcome;
  await delay(waitOf(core, outcome.fault));
  return outcome.streamed
    ? respondStreamed(core, context, outcome, request)
    : respondWhole(core, context, outcome, request);
}

async function respondStreamed(
  core: OpenAICore,
  context: RouteContext,
  reply: OpenAIReply,
  request: string,
): Promise<Response> {
  const { outgoing } = context.env;
  reply.begin(firstByteAt(core, reply));
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': request,
  });
  await writeStream(outgoing, { ...reply, events: reply.events(core.settings.deltaCharacters) });
  return RESPONSE_ALREADY_SENT;
}

/**
 * A `silence` fault sends nothing and leaves the connection open, because `RESPONSE_ALREADY_SENT` keeps Hono from
 * sending a response.
 */
function respondWhole(core: OpenAICore, context: RouteContext, reply: OpenAIReply, request: string): RouteOutcome {
  const { fault } = reply;
  if (fault?.kind === 'silence') return RESPONSE_ALREADY_SENT;
  if (fault?.kind === 'cut') {
    context.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (fault?.kind === 'error-event') {
    const { type = 'server_error', message = SERVER_ERROR } = fault;
    return refuseOpenAI(500, message, { type, code: type });
  }
  reply.begin(firstByteAt(core, reply));
  const headers = { 'content-type': 'application/json', 'x-request-id': request };
  return context.body(wholeBody(reply.body, fault), 200, headers);
}

function respondCount(
  context: RouteContext,
  counted: ReturnType<typeof callInputTokens>,
  request: string,
): RouteOutcome {
  if (counted.outcome === 'refused') return counted;
  const body = { object: 'response.input_tokens', input_tokens: counted.tokens };
  return context.json(body, 200, { 'x-request-id': request });
}
