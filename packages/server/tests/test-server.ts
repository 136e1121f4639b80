// A server of sessions for tests, with a store in memory and a scripted provider, and a client of its events.

import { setTimeout as pause } from 'node:timers/promises';
import type { Asker } from '@tidemark/agent';
import type { SessionProjection } from '@tidemark/analytics';
import { openSessionProjection } from '@tidemark/analytics';
import type { AgentOptions } from '@tidemark/kit';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import { defaultCatalog, effortsOf, findModel } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type { SessionServerOptions } from '../src/index.ts';
import { newToken, openSessionServer } from '../src/index.ts';

/** Options of a test server. */
export interface TestServerOptions {
  /** Answers of the provider, for all sessions together. */
  readonly answers?: readonly ScriptedAnswer[];
  readonly agent?: Partial<AgentOptions>;
  readonly server?: Partial<SessionServerOptions>;
  readonly log?: Log;
}

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  /** Parsed data. Its form depends on the event. */
  readonly data: Parsed;
}

/** Parsed JSON. Each test checks the form that it expects. */
type Parsed = ReturnType<typeof JSON.parse>;

/** Longest wait of a test for an event, in milliseconds. */
const LONGEST_WAIT = 20_000;

/** Opens a server of sessions in this process. */
export async function openTestServer({
  answers = [],
  agent = {},
  server: options = {},
  log = createMemoryStore(),
}: TestServerOptions = {}) {
  const token = newToken();
  const provider = createScriptedProvider({ answers });
  const createOne = (ask: Asker) =>
    createAgent({
      model: 'claude-sonnet-5-5',
      provider,
      store: log,
      ...agent,
      permissions: { mode: 'ask', ask, ...agent.permissions },
    });
  const server = await openSessionServer({
    log,
    opener: {
      models: {
        resolve: async (_session, named) => named,
        async efforts({ model, provider: served }) {
          const row = findModel(defaultCatalog(), model, served);
          return row && effortsOf(row);
        },
      },
      async create({ title }, ask) {
        const one = createOne(ask);
        return { session: await one.open(undefined, title === undefined ? {} : { title }), close: () => one.close() };
      },
      async open(id, ask) {
        const one = createOne(ask);
        return { session: await one.open(id), close: () => one.close() };
      },
      async fork(id, how, ask) {
        const one = createOne(ask);
        return { session: await one.fork(id, how), close: () => one.close() };
      },
    },
    projection: await openTestProjection(log),
    encoders: (revision) => (revision === scriptedEncoder.revision ? scriptedEncoder : undefined),
    token,
    version: 'test',
    port: 0,
    ...options,
  });
  const headers = { authorization: `Bearer ${token}` };
  return {
    server,
    log,
    token,
    /** Sends a request with the token. A body is sent as JSON. */
    async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Parsed }> {
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    /** Reads the events of a session until one passes the check. */
    async until(session: string, check: (event: ServerEvent) => boolean, from = 0): Promise<readonly ServerEvent[]> {
      const signal = AbortSignal.timeout(LONGEST_WAIT);
      const seen: ServerEvent[] = [];
      const answer = await fetch(`${server.url}/sessions/${session}/events?from=${from}`, { headers, signal });
      for await (const event of readEvents(answer)) {
        seen.push(event);
        if (check(event)) return seen;
      }
      throw new Error(`the events ended without the expected one: ${JSON.stringify(seen.slice(-5))}`);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      // The sockets of `fetch` are kept open for a moment.
      await pause(0);
    },
  };
}

/** Opens a projection of the sessions of a store in memory. */
export function openTestProjection(log: Log): Promise<SessionProjection> {
  return openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: 'test' });
}

/** Yields the events of an answer with server-sent events. */
export async function* readEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  if (body === null) return;
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = fields.get('data');
      const id = fields.get('id');
      if (data !== undefined)
        yield { event: fields.get('event') ?? 'message', data: JSON.parse(data), ...(id !== undefined && { id }) };
    }
  }
}
