// Routes of the settings of a session: permission mode, model, effort, own agent.

import { createRoute, z } from '@hono/zod-openapi';
import { readFold } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { Log, SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { ChosenModel, ModelNames } from '../ports.ts';
import type { ModelSet } from './command-schemas.ts';
import { GIVEN_MODEL, MODEL_SET } from './command-schemas.ts';
import { requireIdle } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import { DONE, MODE } from './schemas.ts';

/** Adds the routes of the settings. */
export function addSettingRoutes(app: ServerApp, place: RoutePlace): void {
  const { log, live, models } = place;
  app.openapi(SET_MODE, async (context) => {
    const { session: id } = context.req.valid('param');
    const { mode } = context.req.valid('json');
    await live.use(id, ({ session }) => session.setMode(mode));
    return context.json({ session: id }, 200);
  });
  app.openapi(SET_MODEL, async (context) => {
    const { session: id } = context.req.valid('param');
    const { inPlace = false, ...named } = context.req.valid('json');
    const model = (await models?.resolve(id, named)) ?? named;
    const { fold } = await readFold(log, id);
    // A session without a request loses nothing, so it needs no fork.
    const forks = !inPlace && fold.state.epoch !== undefined;
    return context.json(await (forks ? continueInFork(live, id, model) : switchInPlace(live, id, model)), 200);
  });
  app.openapi(SET_EFFORT, async (context) => {
    const { session: id } = context.req.valid('param');
    const { effort } = context.req.valid('json');
    await live.use(id, async ({ session }) => {
      await requireEffort(effort, await modelOf(log, live, id), models);
      session.setReasoning({ effort });
    });
    return context.json({ session: id }, 200);
  });
  app.openapi(SET_AGENT, async (context) => {
    const { session: id } = context.req.valid('param');
    const { agent } = context.req.valid('json');
    await live.use(id, async ({ session }) => session.setAgent(agent));
    return context.json({ session: id }, 200);
  });
}

async function continueInFork(live: LiveSessions, id: SessionId, model: ChosenModel): Promise<ModelSet> {
  const { session } = await live.fork(id, model);
  live.keepModel(session.id, model);
  return { session: session.id, ...model, parent: { session: id } };
}

function switchInPlace(live: LiveSessions, id: SessionId, chosen: ChosenModel): Promise<ModelSet> {
  const { model, provider } = chosen;
  return live.use(id, async ({ session }) => {
    requireIdle(session);
    await session.setModel(model, defined({ provider }));
    live.keepModel(id, chosen);
    return { session: id, ...chosen };
  });
}

/** Returns the model of the next request, or `undefined` if it is unknown. */
async function modelOf(log: Log, live: LiveSessions, id: SessionId): Promise<ChosenModel | undefined> {
  const kept = live.memory(id)?.model;
  if (kept !== undefined) return kept;
  const { epoch } = (await readFold(log, id)).fold.state;
  return epoch && { model: epoch.opened.model, provider: epoch.opened.provider };
}

async function requireEffort(
  effort: string,
  model: ChosenModel | undefined,
  models: ModelNames | undefined,
): Promise<void> {
  const known = model === undefined ? undefined : await models?.efforts(model);
  if (model === undefined || known === undefined || known.includes(effort)) return;
  throw new ServerError(
    'server/bad-request',
    known.length === 0 ? `${model.model} has no effort` : `${model.model} does not have the effort ${effort}`,
    known.length === 0 ? 'use another model' : `use ${known.join(', ')}`,
  );
}

const SET_MODE = createRoute({
  method: 'put',
  path: '/sessions/{session}/mode',
  operationId: 'setMode',
  summary: 'Set the permission mode',
  request: { params: SESSION_PATH, ...jsonBody(z.strictObject({ mode: MODE })) },
  responses: { 200: jsonAnswer(DONE, 'The mode is set.'), default: REFUSED },
});

const SET_MODEL = createRoute({
  method: 'put',
  path: '/sessions/{session}/model',
  operationId: 'setModel',
  summary: 'Continue with another model, in a fork or in the session itself',
  request: { params: SESSION_PATH, ...jsonBody(GIVEN_MODEL) },
  responses: { 200: jsonAnswer(MODEL_SET, 'The next request uses the model.'), default: REFUSED },
});

const SET_EFFORT = createRoute({
  method: 'put',
  path: '/sessions/{session}/effort',
  operationId: 'setEffort',
  summary: 'Set the reasoning effort from the next request on',
  request: { params: SESSION_PATH, ...jsonBody(z.strictObject({ effort: z.string().min(1).max(100) })) },
  responses: { 200: jsonAnswer(DONE, 'The effort is set.'), default: REFUSED },
});

const SET_AGENT = createRoute({
  method: 'put',
  path: '/sessions/{session}/agent',
  operationId: 'setAgent',
  summary: 'Give the session the role and the tools of an own agent from the next request on',
  request: { params: SESSION_PATH, ...jsonBody(z.strictObject({ agent: z.string().min(1).max(200) })) },
  responses: { 200: jsonAnswer(DONE, 'The agent is set.'), default: REFUSED },
});
