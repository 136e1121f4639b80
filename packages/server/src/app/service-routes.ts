// Routes of the server itself: its health, its metrics, and its one-time links.

import { createRoute, z } from '@hono/zod-openapi';
import type { Metrics } from './metrics.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED } from './route-parts.ts';

/** Paths that answer without a token. */
export const OPEN_PATHS: ReadonlySet<string> = new Set(['/', '/health', '/link']);

/** Adds the routes of the server itself. */
export function addServiceRoutes(
  app: ServerApp,
  { authentication, version, metrics }: RoutePlace & { readonly metrics: Metrics },
): void {
  app.openapi(HEALTH, (context) => context.json({ ok: true as const, version }, 200));
  app.openapi(LINK, (context) => {
    const token = authentication.redeem(context.req.valid('json').code);
    return context.json({ token }, 200);
  });
  app.openapi(NEW_LINK, (context) => context.json({ code: authentication.createCode() }, 201));
  app.openapi(METRICS, async (context) =>
    context.text(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  );
}

const HEALTH = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'readHealth',
  summary: 'Check that the server runs; needs no token',
  security: [],
  responses: { 200: jsonAnswer(z.object({ ok: z.literal(true), version: z.string() }), 'The server runs.') },
});

const LINK = createRoute({
  method: 'post',
  path: '/link',
  operationId: 'redeemLink',
  summary: 'Exchange the code of a one-time link for the token; needs no token',
  security: [],
  request: jsonBody(z.strictObject({ code: z.string().min(1).max(200) })),
  responses: { 200: jsonAnswer(z.object({ token: z.string() }), 'The token.'), default: REFUSED },
});

const NEW_LINK = createRoute({
  method: 'post',
  path: '/links',
  operationId: 'createLink',
  summary: 'Create the code of a one-time link, which can be used once within ten minutes',
  responses: {
    201: jsonAnswer(z.object({ code: z.string() }), 'The link is the address of the server with `/#code=<code>`.'),
    default: REFUSED,
  },
});

const METRICS = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  summary: 'Read the metrics in the format of Prometheus',
  responses: {
    200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } },
    default: REFUSED,
  },
});
