// The application: authentication, the routes, and the same form for every refusal.

import { OpenAPIHono } from '@hono/zod-openapi';
import { issuePlace } from '@tidemark/core';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { ZodError } from 'zod';
import type { FreshProjection } from '../analytics/fresh-projection.ts';
import { ServerError } from '../errors.ts';
import { addAnalyticsRoutes } from './analytics-routes.ts';
import { addArtifactRoutes } from './artifact-routes.ts';
import { addAuditRoutes } from './audit-routes.ts';
import { addCheckpointRoutes } from './checkpoint-routes.ts';
import { addCommandRoutes } from './command-routes.ts';
import { addEventRoutes } from './event-routes.ts';
import { failureAnswer } from './failure.ts';
import { addForecastRoutes } from './forecast-routes.ts';
import { addForkRoutes } from './fork-routes.ts';
import { addInspectorRoutes } from './inspector-routes.ts';
import { createMetrics } from './metrics.ts';
import { addOpenApiDocument } from './openapi-document.ts';
import { addPageRoutes } from './page-routes.ts';
import { addProcessRoutes } from './process-routes.ts';
import { addRequestRoutes } from './request-routes.ts';
import { addRewindRoutes } from './rewind-routes.ts';
import type { RemoteCommandPlace } from './remote-commands.ts';
import { createRemoteCommands } from './remote-commands.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { addSearchRoutes } from './search-routes.ts';
import { addServiceRoutes, OPEN_PATHS } from './service-routes.ts';
import { addSessionRoutes } from './session-routes.ts';
import { addSettingRoutes } from './setting-routes.ts';

/** Parts of the server that the application uses. */
export interface AppPlace extends RoutePlace, RemoteCommandPlace {
  readonly projection: FreshProjection;
  /** Returns the time in milliseconds since the Unix epoch. */
  now(): number;
  /** Called with each error that is a bug. */
  onBug(error: unknown): void;
}

/** Creates the application. Every path except the open ones needs the token. */
export function createApp(place: AppPlace): ServerApp {
  const metrics = createMetrics(place.live);
  const app: ServerApp = new OpenAPIHono({
    defaultHook: (result, context) => {
      if (!result.success) throw badRequest(result.error);
      return sendRemote(context, result.target);
    },
  });
  const sendRemote = createRemoteCommands(() => app, place);
  app.use(async (context, next) => {
    const began = performance.now();
    await next();
    context.header('x-content-type-options', 'nosniff');
    const path = routePath(context, -1);
    // The path of a request without a route would make a new metric for each wrong path.
    const route = path === '/*' ? 'none' : path;
    const { method } = context.req;
    metrics.answered({ method, route, status: context.res.status, seconds: (performance.now() - began) / 1_000 });
  });
  app.use(async (context, next) => {
    if (!OPEN_PATHS.has(context.req.path)) place.authentication.require(context.req.header('authorization'));
    await next();
  });
  addPageRoutes(app);
  addServiceRoutes(app, { ...place, metrics });
  addSessionRoutes(app, place);
  addCommandRoutes(app, place);
  addSettingRoutes(app, place);
  addForkRoutes(app, place);
  addRewindRoutes(app, place);
  addForecastRoutes(app, place);
  addProcessRoutes(app, place);
  addArtifactRoutes(app, place);
  addAuditRoutes(app, place);
  addRequestRoutes(app, place);
  addCheckpointRoutes(app, place);
  addEventRoutes(app, place);
  addAnalyticsRoutes(app, place);
  addInspectorRoutes(app, place);
  addSearchRoutes(app, place);
  addOpenApiDocument(app, place.version);
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
    if (body.error.code === 'server/bug') place.onBug(error);
    if (status === 401) context.header('www-authenticate', 'Bearer');
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
