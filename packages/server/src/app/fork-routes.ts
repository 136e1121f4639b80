// Routes that fork a session, number its prompts and compact its history.

import { createRoute, z } from '@hono/zod-openapi';
import { readPrompts } from '@tidemark/agent';
import { readSessionDetails } from '../view/session-view.ts';
import { COMPACT, COMPACTION_REPORT, GIVEN_FORK, NUMBERED_PROMPT } from './command-schemas.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import { SESSION } from './schemas.ts';

/** Adds the routes of forks and compactions. */
export function addForkRoutes(app: ServerApp, { log, live, models }: RoutePlace): void {
  app.openapi(FORK, async (context) => {
    const { session: id } = context.req.valid('param');
    const { model, provider, ...options } = context.req.valid('json');
    const named = model === undefined ? undefined : { model, ...(provider !== undefined && { provider }) };
    const chosen = named && ((await models?.resolve(id, named)) ?? named);
    const { session } = await live.fork(id, { ...options, ...chosen });
    if (chosen !== undefined) live.keepModel(session.id, chosen);
    return context.json(await readSessionDetails(log, session.id, live), 201);
  });
  app.openapi(PROMPTS, async (context) => {
    const { session: id } = context.req.valid('param');
    return context.json({ prompts: [...(await readPrompts(log, id))] }, 200);
  });
  app.openapi(COMPACT_HISTORY, async (context) => {
    const { session: id } = context.req.valid('param');
    const options = context.req.valid('json');
    return context.json(await live.use(id, ({ session }) => session.compact(options)), 200);
  });
}

const FORK = createRoute({
  method: 'post',
  path: '/sessions/{session}/fork',
  operationId: 'forkSession',
  summary: 'Create a session that begins with the records of this one',
  description: 'The fork reads the cache of this session. This session and the files do not change.',
  request: { params: SESSION_PATH, ...jsonBody(GIVEN_FORK) },
  responses: { 201: jsonAnswer(SESSION, 'The fork.'), default: REFUSED },
});

const PROMPTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/prompts',
  operationId: 'listPrompts',
  summary: 'List the prompts with the numbers that `fork` and `rewind` use',
  request: { params: SESSION_PATH },
  responses: {
    200: jsonAnswer(z.object({ prompts: z.array(NUMBERED_PROMPT) }), 'The prompts, oldest first.'),
    default: REFUSED,
  },
});

const COMPACT_HISTORY = createRoute({
  method: 'post',
  path: '/sessions/{session}/compact',
  operationId: 'compactSession',
  summary: 'Replace older history with a checkpoint, or report what this would save and cost',
  request: { params: SESSION_PATH, ...jsonBody(COMPACT) },
  responses: {
    200: jsonAnswer(COMPACTION_REPORT, 'The report. `outcome` is `refused` if a compaction saves nothing.'),
    default: REFUSED,
  },
});
