// The server of the chat: a page, and a path `/api` that leads to the server of sessions in the same process.

import { openSessionProjection } from '@tidemark/analytics';
import { createSessionClient } from '@tidemark/client';
import { openServer } from '@tidemark/http-server';
import type { Log } from '@tidemark/kit';
import { openSessionServer } from '@tidemark/server';
import type { SessionOpener } from '@tidemark/server';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { resumeTurns } from './resume-turns.ts';

/** Options of the server of the chat. */
export interface ChatServerOptions {
  readonly log: Log;
  readonly opener: SessionOpener;
  /** Token of the server of sessions. It must stay the same, so that an open page is still known after a restart. */
  readonly token: string;
  readonly port: number;
}

/** A server of the chat that is listening. */
export interface ChatServer {
  /** Address of the page, with a code that can be used once. */
  readonly link: string;
}

/** Headers of a request that the server of sessions needs. The others are for this server only. */
const PASSED = ['authorization', 'content-type', 'last-event-id'];

/** A proxy before this server must neither store nor collect the events. */
const UNCACHED = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** Opens the server and resumes the turns that the process before it did not end. */
export async function openChatServer({ log, opener, token, port }: ChatServerOptions): Promise<ChatServer> {
  // This example shows no analytics, so their rows are in memory.
  const projection = await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: '' });
  const sessions = await openSessionServer({ log, projection, opener, token, version: 'example', port: 0 });
  const app = new Hono();
  app.use(secureHeaders({ contentSecurityPolicy: POLICY, xFrameOptions: 'DENY' }));
  app.all('/api/*', async ({ req }) => {
    const { pathname, search } = new URL(req.url);
    const headers = new Headers();
    for (const name of PASSED) {
      const value = req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const body = req.method === 'GET' ? {} : { body: await req.arrayBuffer() };
    const target = `${sessions.url}${pathname.slice('/api'.length)}${search}`;
    const answer = await fetch(target, { method: req.method, headers, signal: req.raw.signal, ...body });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': type, ...UNCACHED } });
  });
  const page = await readPage();
  app.get('/', ({ html }) => html(page.html));
  app.get('/chat.css', ({ body }) => body(page.css, 200, { 'content-type': 'text/css; charset=utf-8' }));
  app.get('/chat.js', ({ body }) => body(page.js, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
  const http = await openServer((request, bindings) => app.fetch(request, bindings), { port });
  const client = createSessionClient({ url: sessions.url, token });
  await resumeTurns(client, AbortSignal.timeout(60_000));
  return { link: `${http.url}/${new URL(sessions.createLink()).hash}` };
}

/** Policy of the page: its own script and style, no inline script, no text as HTML. */
const POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
};

/** Reads the page, and bundles its script with the client. */
async function readPage(): Promise<{ readonly html: string; readonly css: string; readonly js: string }> {
  const pathOf = (name: string): string => fileURLToPath(new URL(`../page/${name}`, import.meta.url));
  const build = await rolldown({ input: pathOf('chat.ts'), platform: 'browser', logLevel: 'warn' });
  const { output } = await build.generate({ format: 'es' });
  await build.close();
  const [html, css] = await Promise.all([readFile(pathOf('index.html'), 'utf8'), readFile(pathOf('chat.css'), 'utf8')]);
  return { html, css, js: output[0].code };
}
