// Routes of the requests of a session: the list, the structure of one, the texts of its blocks, and a search in them.

import { createRoute, z } from '@hono/zod-openapi';
import {
  createRequestReader,
  listRequests,
  readBlockText,
  readCarryCosts,
  readRequest,
  readWhatIf,
  searchRequest,
} from '@tidemark/inspector';
import type { RequestReader } from '@tidemark/inspector';
import { ServerError } from '../errors.ts';
import { BLOCK_TEXT, CARRY_COSTS, FOUND_BLOCKS, REQUEST, REQUESTS, WHAT_IF } from './request-schemas.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, SESSION_PATH } from './route-parts.ts';
import { COUNT } from './values.ts';

/** Adds the routes of the requests of a session. */
export function addRequestRoutes(app: ServerApp, { log, encoders }: RoutePlace): void {
  const reader = createRequestReader(log, encoders);
  addCostRoute(app, reader);
  app.openapi(LIST_REQUESTS, async (context) => {
    const { session } = context.req.valid('param');
    return context.json(listRequests(await reader(session)), 200);
  });
  app.openapi(READ_REQUEST, async (context) => {
    const { session, position } = context.req.valid('param');
    const { known } = context.req.valid('query');
    const found = await readRequest(await reader(session), position, known);
    if (found === undefined) throw noSuchRequest(session, position);
    return context.json(found, 200);
  });
  app.openapi(READ_BLOCK, async (context) => {
    const { session, position, block } = context.req.valid('param');
    const { from, to, form } = context.req.valid('query');
    const range = { from, to: Math.min(to, from + LONGEST_PART), sent: form === 'sent' };
    const found = await readBlockText(await reader(session), position, block, range);
    if (found === undefined) throw noSuchRequest(session, position, block);
    return context.json(found, 200);
  });
  app.openapi(SEARCH, async (context) => {
    const { session, position } = context.req.valid('param');
    const found = await searchRequest(await reader(session), position, context.req.valid('query').text);
    if (found === undefined) throw noSuchRequest(session, position);
    return context.json(found, 200);
  });
}

function addCostRoute(app: ServerApp, reader: RequestReader): void {
  app.openapi(READ_WHAT_IF, async (context) => {
    const { session } = context.req.valid('param');
    return context.json(await readWhatIf(await reader(session)), 200);
  });
  app.openapi(READ_CARRY_COSTS, async (context) => {
    const { session, position } = context.req.valid('param');
    const found = await readCarryCosts(await reader(session), position);
    if (found === undefined) throw noSuchRequest(session, position);
    return context.json(found, 200);
  });
}

/** Longest part of a text in one answer, in UTF-16 units. */
const LONGEST_PART = 1_000_000;

function noSuchRequest(session: string, position: number, block?: number): ServerError {
  const place =
    block === undefined ? `no request at position ${position}` : `no block ${block} at position ${position}`;
  return new ServerError('server/no-such-step', `session ${session} has ${place}`, 'list the requests of the session');
}

const REQUEST_PATH = SESSION_PATH.extend({ position: COUNT });

const LIST_REQUESTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/requests',
  operationId: 'listRequests',
  summary: 'List the requests of a session in the order of its log',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(REQUESTS, 'The requests.'), default: REFUSED },
});

const READ_REQUEST = createRoute({
  method: 'get',
  path: '/sessions/{session}/requests/{position}',
  operationId: 'readRequest',
  summary: 'Read the structure of a request: its blocks without their texts',
  request: {
    params: REQUEST_PATH,
    query: z.object({
      known: COUNT.optional().describe('Position of a request that the client has. Equal leading blocks are left out.'),
    }),
  },
  responses: { 200: jsonAnswer(REQUEST, 'The structure.'), default: REFUSED },
});

const READ_BLOCK = createRoute({
  method: 'get',
  path: '/sessions/{session}/requests/{position}/blocks/{block}',
  operationId: 'readBlock',
  summary: 'Read the text of one block of a request, or a part of it',
  request: {
    params: REQUEST_PATH.extend({ block: COUNT }),
    query: z.object({
      from: COUNT.default(0),
      to: COUNT.default(LONGEST_PART).describe('End of the part. An answer contains at most 1,000,000 UTF-16 units.'),
      form: z.enum(['text', 'sent']).default('text').describe('`sent`: JSON as it is sent, without markers.'),
    }),
  },
  responses: { 200: jsonAnswer(BLOCK_TEXT, 'The text.'), default: REFUSED },
});

const SEARCH = createRoute({
  method: 'get',
  path: '/sessions/{session}/requests/{position}/search',
  operationId: 'searchRequest',
  summary: 'Search the texts of a request',
  request: { params: REQUEST_PATH, query: z.object({ text: z.string().min(1).max(1_000) }) },
  responses: { 200: jsonAnswer(FOUND_BLOCKS, 'The blocks that contain the text.'), default: REFUSED },
});

const READ_CARRY_COSTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/requests/{position}/costs',
  operationId: 'readCarryCosts',
  summary: 'Read what each block of a request has cost in all requests that contained it',
  request: { params: REQUEST_PATH },
  responses: { 200: jsonAnswer(CARRY_COSTS, 'The costs, in the order of the blocks.'), default: REFUSED },
});

const READ_WHAT_IF = createRoute({
  method: 'get',
  path: '/sessions/{session}/what-if',
  operationId: 'readWhatIf',
  summary:
    'Read the cost of the calls of a session with other lifetimes and models, and without prunings and compactions',
  request: { params: SESSION_PATH },
  responses: {
    200: jsonAnswer(WHAT_IF, 'The costs. The calls are replayed with one rule for the cache.'),
    default: REFUSED,
  },
});
