// Routes of the forecast: the tokens, the price and the expiry of the next call.

import { createRoute } from '@hono/zod-openapi';
import type { NextCall, Words } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { LiveSessions } from '../live/live-sessions.ts';
import { NEXT_CALL } from './command-schemas.ts';
import { turnRunning, wordsOf } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import type { GivenForecast } from './schemas.ts';
import { GIVEN_FORECAST } from './schemas.ts';

/** Adds the routes of the forecast. */
export function addForecastRoutes(app: ServerApp, { live, models }: RoutePlace): void {
  app.openapi(FORECAST, async (context) => {
    const { session: id } = context.req.valid('param');
    return context.json(await forecast(live, id, {}), 200);
  });
  app.openapi(FORECAST_WORDS, async (context) => {
    const { session: id } = context.req.valid('param');
    const { model, provider, effort, ...message } = context.req.valid('json');
    const named = model === undefined ? undefined : { model, ...(provider !== undefined && { provider }) };
    const chosen = named && ((await models?.resolve(id, named)) ?? named);
    const reasoning = effort === undefined ? {} : { effort };
    return context.json(await forecast(live, id, { ...chosen, ...reasoning }, wordsOf(message)), 200);
  });
}

async function forecast(
  live: LiveSessions,
  id: SessionId,
  { effort, ...model }: Pick<GivenForecast, 'model' | 'provider' | 'effort'>,
  words?: Words,
): Promise<NextCall> {
  return live.use(id, async ({ session }) => {
    const options = { ...model, ...(effort !== undefined && { reasoning: { effort } }) };
    const found = await session.forecast(words, options);
    if (found === undefined) throw turnRunning(id);
    return found;
  });
}

const FORECAST = createRoute({
  method: 'get',
  path: '/sessions/{session}/forecast',
  operationId: 'forecastCall',
  summary: 'Forecast the next call with an almost empty prompt',
  description: 'Nothing is sent or recorded.',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(NEXT_CALL, 'The forecast.'), default: REFUSED },
});

const FORECAST_WORDS = createRoute({
  method: 'post',
  path: '/sessions/{session}/forecast',
  operationId: 'forecastPrompt',
  summary: 'Forecast the call that a prompt would make, also with another model or effort',
  description: 'Nothing is sent or recorded.',
  request: { params: SESSION_PATH, ...jsonBody(GIVEN_FORECAST) },
  responses: { 200: jsonAnswer(NEXT_CALL, 'The forecast.'), default: REFUSED },
});
