// Routes of the data that the inspector shows: the timeline of a session, and the list of sessions with their figures.

import { createRoute, z } from '@hono/zod-openapi';
import type { SessionProjection } from '@tidemark/analytics';
import { listedSession, readTimeline } from '@tidemark/inspector';
import { sessionId } from '@tidemark/log';
import type { FreshProjection } from '../analytics/fresh-projection.ts';
import { LISTED_SESSIONS, TIMELINE } from './inspector-schemas.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, requireSession, SESSION_PATH } from './route-parts.ts';
import { COUNT, SESSION_ID } from './values.ts';

/** Adds the routes of the inspector's data. */
export function addInspectorRoutes(
  app: ServerApp,
  { log, live, projection }: RoutePlace & { readonly projection: FreshProjection },
): void {
  app.openapi(SESSIONS, async (context) => {
    const query = context.req.valid('query');
    const { session } = query;
    const ask = (rows: SessionProjection) => rows.sessions(query);
    const read = session === undefined ? projection.read(ask) : projection.readSession(session, ask);
    const { sessions, ...rest } = await read;
    const states = await live.states(sessions.map((one) => sessionId(one.session)));
    const listed = sessions.map((one) => {
      const { running = false, questions = [] } = states.get(sessionId(one.session)) ?? {};
      return listedSession(one, { running, questions: questions.length });
    });
    return context.json({ sessions: listed, ...rest }, 200);
  });
  app.openapi(READ_TIMELINE, async (context) => {
    const { session } = context.req.valid('param');
    await requireSession(log, session);
    return context.json(await projection.readSession(session, (rows) => readTimeline(rows, session)), 200);
  });
}

const SESSIONS = createRoute({
  method: 'get',
  path: '/analytics/sessions',
  operationId: 'readSessionFigures',
  summary: 'List sessions with their cost, hit rate and breaks, latest change first',
  request: {
    query: z.object({
      session: SESSION_ID.exactOptional(),
      workspace: z.string().min(1).exactOptional(),
      model: z.string().min(1).exactOptional(),
      title: z.string().min(1).exactOptional().describe('Part of the title, in any case.'),
      limit: COUNT.pipe(z.number().min(1).max(500)).default(100),
      after: z.string().min(1).max(500).exactOptional(),
    }),
  },
  responses: { 200: jsonAnswer(LISTED_SESSIONS, 'A page of sessions.'), default: REFUSED },
});

const READ_TIMELINE = createRoute({
  method: 'get',
  path: '/sessions/{session}/timeline',
  operationId: 'readTimeline',
  summary: 'Read all calls of a session as columns of numbers',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(TIMELINE, 'The timeline.'), default: REFUSED },
});
