// A server on loopback that answers as a test wants, and a resolver that sends host names to it.

import type { Tool } from '@tidemark/agent';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { LookupAddress } from 'node:dns';

import { createFetchTool } from '../src/fetch/fetch-tool.ts';
import type { FetchLimits } from '../src/transport/limits.ts';
import { FETCH_LIMITS } from '../src/transport/limits.ts';

/** Time of each result. */
export const now = (): string => '2026-11-23T12:00:00Z';

/** An answer of the server: a text, or a function that writes the answer. */
export type ServedAnswer = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface WebServer extends AsyncDisposable {
  readonly port: number;
  /** Address of a path of the server, at 127.0.0.1 or at another host. */
  at(path: string, host?: string): string;
  /** Requests so far: method, host and path. */
  readonly requests: readonly IncomingMessage[];
}

/** Starts a server with these answers by path. A path that is not listed is answered with 404. */
export async function startWebServer(answers: Readonly<Record<string, ServedAnswer>>): Promise<WebServer> {
  const byPath = new Map(Object.entries(answers));
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const answer = byPath.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (answer === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing is here');
    else if (typeof answer === 'string') response.setHeader('content-type', 'text/html').end(answer);
    else answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    requests,
    at: (path, host = '127.0.0.1') => `http://${host}:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Returns a resolver for these hosts. A host that is not listed is not found. */
export function resolverOf(
  hosts: Readonly<Record<string, readonly string[]>>,
): (host: string) => Promise<readonly LookupAddress[]> {
  const byName = new Map(Object.entries(hosts));
  return async (host) => {
    const found = byName.get(host);
    if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
}

/** Returns an answer with a content type, a body and headers. */
export const sent =
  (type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): ServedAnswer =>
  (_request, response) =>
    void response.writeHead(200, { ...(type !== '' && { 'content-type': type }), ...headers }).end(body);

/** Returns an answer that redirects. */
export const redirected =
  (location: string, status = 302): ServedAnswer =>
  (_request, response) =>
    void response.writeHead(status, { location }).end('moved');

/** Returns `fetch` that may reach the server, also by the names `one.example` and `two.example`. */
export function fetchFor(server: WebServer, limits: Partial<FetchLimits> = {}): Tool {
  return createFetchTool({
    now,
    allowPrivate: [`127.0.0.1:${server.port}`, 'one.example', 'two.example'],
    resolve: resolverOf({ 'one.example': ['127.0.0.1'], 'two.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] }),
    limits: { ...FETCH_LIMITS, ...limits },
  });
}
