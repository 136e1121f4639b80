// The application: authentication, the routes, and the same form for every refusal.

import { OpenAPIHono } from '@hono/zod-openapi';
import { issuePlace } from '@tidemark/core';
import { HTTPException } from 'hono/http-exception';
import type { ZodError } from 'zod';
import { ServerError } from '../errors.ts';
import { addCommandRoutes } from './command-routes.ts';
import { addEventRoutes } from './event-routes.ts';
import { failureAnswer } from './failure.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { addServiceRoutes, OPEN_PATHS } from './service-routes.ts';
import { addSessionRoutes } from './session-routes.ts';

/** Creates the application. Every path except the open ones needs the token. */
export function createApp(place: RoutePlace): ServerApp {
  const app: ServerApp = new OpenAPIHono({
    defaultHook: (result) => {
      if (!result.success) throw badRequest(result.error);
    },
  });
  app.use(async (context, next) => {
    if (!OPEN_PATHS.has(context.req.path)) place.authentication.require(context.req.header('authorization'));
    await next();
    context.header('x-content-type-options', 'nosniff');
  });
  addServiceRoutes(app, place);
  addSessionRoutes(app, place);
  addCommandRoutes(app, place);
  addEventRoutes(app, place);
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Tidemark', version: place.version },
    security: [{ token: [] }],
  });
  app.notFound((context) => {
    const { status, body } = failureAnswer(
      new ServerError(
        'server/no-such-path',
        `there is no ${context.req.method} ${context.req.path}`,
        'read /openapi.json',
      ),
    );
    return context.json(body, status);
  });
  app.onError((error, context) => {
    const { status, body } = failureAnswer(error instanceof HTTPException ? unreadable(error) : error);
    return context.json(body, status);
  });
  return app;
}

function badRequest({ issues }: ZodError): ServerError {
  const problems = issues.map((issue) => [issuePlace(issue), issue.message].filter((text) => text !== '').join(': '));
  return new ServerError('server/bad-request', problems.join('; '), 'read /openapi.json');
}

/** Returns the error for a body that is not JSON, or has another media type. */
function unreadable({ message }: HTTPException): ServerError {
  return new ServerError('server/bad-request', message, 'send JSON with the header `Content-Type: application/json`');
}
