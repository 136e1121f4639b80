// Routes that show sessions: the list, one session, its records and its messages.

import { createRoute, z } from '@hono/zod-openapi';
import type { SessionMessage } from '@tidemark/agent';
import { readMessages } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { listEntry, readSessionDetails } from '../view/session-view.ts';
import { shareListing } from '../view/shared-listing.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import { ENTRY, MESSAGE_OF_SESSION, NEW_SESSION, RECORD, SESSION } from './schemas.ts';
import { COUNT } from './values.ts';

/** Adds the routes that show and create sessions. */
export function addSessionRoutes(app: ServerApp, { log, live }: RoutePlace): void {
  const list = shareListing(log);
  app.openapi(LIST, async (context) => {
    const { workspace, limit, offset, title } = context.req.valid('query');
    const { sessions, unreadable } = await list(workspace);
    const wanted = title?.toLowerCase();
    const found =
      wanted === undefined ? sessions : sessions.filter((one) => one.title?.toLowerCase().includes(wanted) === true);
    const chosen = found.slice(offset, offset + limit);
    const states = await live.states(chosen.map((one) => one.session));
    const page = chosen.map((one) => listEntry(one, states));
    return context.json({ sessions: page, total: found.length, unreadable: [...unreadable] }, 200);
  });
  app.openapi(CREATE, async (context) => {
    const { session } = await live.create(context.req.valid('json'));
    return context.json(await readSessionDetails(log, session.id, live), 201);
  });
  app.openapi(READ, async (context) => {
    const { session } = context.req.valid('param');
    return context.json(await readSessionDetails(log, session, live), 200);
  });
  app.openapi(RECORDS, async (context) => {
    const { session } = context.req.valid('param');
    const { from, limit } = context.req.valid('query');
    const records: Recorded[] = [];
    for await (const record of log.read(session, from, from + limit)) records.push(record);
    return context.json({ records, next: from + records.length }, 200);
  });
  app.openapi(MESSAGES, async (context) => {
    const { session } = context.req.valid('param');
    const messages: SessionMessage[] = [];
    for await (const message of readMessages(log, session)) messages.push(message);
    return context.json({ messages }, 200);
  });
}

const LIST = createRoute({
  method: 'get',
  path: '/sessions',
  operationId: 'listSessions',
  summary: 'List sessions, newest first',
  request: {
    query: z.object({
      workspace: z.string().optional().describe('Absolute path of the folder of the sessions.'),
      title: z.string().optional().describe('Part of the title, in any case.'),
      limit: COUNT.pipe(z.number().max(1_000)).default(100),
      offset: COUNT.default(0),
    }),
  },
  responses: {
    200: jsonAnswer(
      z.object({
        sessions: z.array(ENTRY),
        total: z.number().describe('Number of sessions that match.'),
        unreadable: z.array(z.object({ session: z.string(), reason: z.string() })),
      }),
      'A page of sessions.',
    ),
    default: REFUSED,
  },
});

const CREATE = createRoute({
  method: 'post',
  path: '/sessions',
  operationId: 'createSession',
  summary: 'Create a session',
  request: jsonBody(NEW_SESSION),
  responses: { 201: jsonAnswer(SESSION, 'The new session.'), default: REFUSED },
});

const READ = createRoute({
  method: 'get',
  path: '/sessions/{session}',
  operationId: 'readSession',
  summary: 'Read the state of a session',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(SESSION, 'The session.'), default: REFUSED },
});

const RECORDS = createRoute({
  method: 'get',
  path: '/sessions/{session}/records',
  operationId: 'readRecords',
  summary: 'Read records of a session from a position',
  request: {
    params: SESSION_PATH,
    query: z.object({ from: COUNT.default(0), limit: COUNT.pipe(z.number().min(1).max(1_000)).default(100) }),
  },
  responses: {
    200: jsonAnswer(
      z.object({ records: z.array(RECORD), next: z.number().describe('Position after the last record.') }),
      'A page of records.',
    ),
    default: REFUSED,
  },
});

const MESSAGES = createRoute({
  method: 'get',
  path: '/sessions/{session}/messages',
  operationId: 'readMessages',
  summary: 'Read the prompts and answers of a session',
  request: { params: SESSION_PATH },
  responses: {
    200: jsonAnswer(z.object({ messages: z.array(MESSAGE_OF_SESSION) }), 'The messages.'),
    default: REFUSED,
  },
});
