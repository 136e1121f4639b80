// Commands for sessions that workers run: each request that is not a GET is checked by the schema of its route, and then
// goes to the worker of the session.

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Log } from '@tidemark/log';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { ServerError } from '../errors.ts';
import type { RemoteRequest, RemoteSessions } from '../live/remote-sessions.ts';
import { requireSession } from './route-parts.ts';
import { SESSION_ID } from './values.ts';

/** Workers, and the time for which the server waits for their answers. */
export interface RemoteCommandPlace {
  readonly log: Log;
  /** Absent if this server runs its sessions itself. */
  readonly remote?: RemoteSessions | undefined;
  /** In milliseconds. */
  readonly remoteMs: number;
}

/**
 * Called after a part of a request was accepted by the schema of its route. Returns the answer of the worker if it was
 * the last part of a command, and otherwise `undefined`.
 */
export type RemoteCommands = (context: Context, accepted: string) => Promise<Response | undefined>;

/** Creates the function that sends commands to workers. */
export function createRemoteCommands(app: () => OpenAPIHono, place: RemoteCommandPlace): RemoteCommands {
  const { log, remote, remoteMs } = place;
  let routes: ReadonlyMap<string, string> | undefined;
  return async (context, accepted) => {
    if (remote === undefined) return undefined;
    routes ??= commandRoutes(app());
    const { method, path } = context.req;
    if (routes.get(`${method} ${routePath(context)}`) !== accepted) return undefined;
    const session = SESSION_ID.parse(context.req.param('session'));
    await requireSession(log, session);
    const { search } = new URL(context.req.url);
    const request: RemoteRequest = {
      method,
      path: `${path}${search}`,
      ...(accepted === 'json' && { body: await context.req.json<unknown>() }),
    };
    const limit = AbortSignal.timeout(remoteMs);
    const signal = AbortSignal.any([limit, context.req.raw.signal]);
    const answer = await remote.run(session, request, signal).catch((error: unknown) => {
      throw limit.aborted ? noAnswer(request, remoteMs) : error;
    });
    return Response.json(answer.body, { status: answer.status });
  };
}

/** Returns the routes of commands, each with the part of a request that its schemas check last. */
function commandRoutes(app: OpenAPIHono): ReadonlyMap<string, string> {
  const routes = new Map<string, string>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, request } = definition.route;
    if (method === 'get' || !path.startsWith('/sessions/{session}/')) continue;
    const pattern = path.replaceAll(/\{(.+?)\}/g, ':$1');
    routes.set(`${method.toUpperCase()} ${pattern}`, request?.body === undefined ? 'param' : 'json');
  }
  return routes;
}

function noAnswer({ method, path }: RemoteRequest, ms: number): ServerError {
  return new ServerError(
    'server/no-answer',
    `no worker has answered ${method} ${path} within ${ms / 1_000} s; the command is stored, and runs when a worker takes up the session`,
    'follow the events of the session to see its effect; the same command sent again would run a second time',
  );
}
