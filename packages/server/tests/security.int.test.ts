// Tests a server of sessions with clients that are not trusted: tokens, links, hosts, origins, paths, bodies, slow
// connections, and many streams. The package `http-server` tests the same limits for every server in its contract.

import { dial, statusOf } from '@tidemark/http-server/contract';
import { createMemoryStore } from '@tidemark/kit';
import { describe, expect, test, vi } from 'vitest';
import { createAuthentication } from '../src/app/authenticate.ts';
import { newToken, openSessionServer, ServerError } from '../src/index.ts';
import { openTestProjection, openTestServer } from './test-server.ts';

/** Every path with a route, and some without one. */
const PATHS = ['/sessions', '/sessions/x', '/sessions/x/events', '/metrics', '/openapi.json', '/nothing'];

describe('a request', () => {
  test.each([
    ['without a token', undefined],
    ['with a wrong token', `Bearer ${newToken()}`],
    ['with the token in lower case', 'lower'],
    ['with the beginning of the token', 'beginning'],
    ['with the token and more', 'longer'],
    ['with the token as a name and a password', 'basic'],
    ['with two tokens', 'two'],
  ])('%s is refused at every path', async (_title, kind) => {
    await using place = await openTestServer();
    const { token } = place;
    const headers: Readonly<Record<string, string>> = {
      lower: `Bearer ${token.toLowerCase()}_`,
      beginning: `Bearer ${token.slice(0, -1)}`,
      longer: `Bearer ${token}a`,
      basic: `Basic ${Buffer.from(`:${token}`).toString('base64')}`,
      two: `Bearer ${token}, Bearer ${token}`,
    };
    const authorization = kind === undefined ? undefined : (headers[kind] ?? kind);
    for (const path of PATHS) {
      const answer = await fetch(`${place.server.url}${path}`, {
        headers: { ...(authorization !== undefined && { authorization }) },
      });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await answer.json()).toMatchObject({ ok: false, error: { code: 'server/unauthorized' } });
    }
  });

  test('with the token in its query or in a cookie is refused', async () => {
    await using place = await openTestServer();
    const { token, server } = place;
    expect((await fetch(`${server.url}/sessions?token=${token}&access_token=${token}`)).status).toBe(401);
    expect((await fetch(`${server.url}/sessions`, { headers: { cookie: `token=${token}` } })).status).toBe(401);
  });

  test.each([
    ['for another host, as after DNS rebinding', { host: 'evil.test' }, 421],
    ['for another port', { host: '127.0.0.1:1' }, 421],
    ['from a page of another origin', { origin: 'http://evil.test' }, 403],
    ['from a page of another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['from a sandboxed page', { origin: 'null' }, 403],
  ])('%s is refused, also with the token', async (_title, own, status) => {
    await using place = await openTestServer();
    const { port } = place.server;
    const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${place.token}`, connection: 'close', ...own };
    const client = await dial(port);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.send(`GET /sessions HTTP/1.1\r\n${lines.join('')}\r\n`);
    const received = await client.ended;
    expect(statusOf(received)).toBe(status);
    expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4))).toMatchObject({ ok: false });
  });

  test.each([
    '/sessions/..%2f..%2fserver-token',
    '/sessions/../../server-token',
    '/sessions/%2e%2e/events',
    '/sessions/.',
    '/sessions/a%00b',
    '/sessions/__proto__',
    '/sessions/-x',
  ])('for %s reads nothing outside of the sessions', async (path) => {
    await using place = await openTestServer();
    const client = await dial(place.server.port);
    client.send(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${place.server.port}\r\nauthorization: Bearer ${place.token}\r\nconnection: close\r\n\r\n`,
    );
    expect([400, 404]).toContain(statusOf(await client.ended));
  });

  test('with a body above the limit is refused, and the server goes on', async () => {
    await using place = await openTestServer({ server: { limits: { bodyBytes: 10_000 } } });
    const { session } = (await place.send('POST', '/sessions', {})).body;
    const answer = await place.send('POST', `/sessions/${session}/prompt`, { text: 'a'.repeat(10_001) });
    expect(answer).toMatchObject({ status: 413, body: { ok: false, error: { code: 'http/body-too-large' } } });
    expect((await place.send('GET', '/health')).status).toBe(200);
  });

  test('that never ends is cut, and does not hinder others', async () => {
    await using place = await openTestServer({ server: { limits: { headersMs: 100, requestMs: 200, checkMs: 20 } } });
    const { port } = place.server;
    const slowHead = await dial(port);
    slowHead.send('GET /sessions HTTP/1.1\r\nhost: ');
    const slowBody = await dial(port);
    slowBody.send(`POST /link HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 100\r\n\r\n{`);
    expect((await place.send('GET', '/sessions')).status).toBe(200);
    expect(statusOf(await slowHead.ended)).toBe(408);
    expect(statusOf(await slowBody.ended)).toBe(408);
  });
});

test('streams of events that are opened and not read are limited, and other clients are served again', async () => {
  await using place = await openTestServer({ server: { limits: { connections: 20, stalledMs: 200, checkMs: 20 } } });
  const { session } = (await place.send('POST', '/sessions', { title: 'flooded' })).body;
  const { port } = place.server;
  const clients = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const client = await dial(port);
      client.send(
        `GET /sessions/${session}/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${place.token}\r\n\r\n`,
      );
      return client;
    }),
  );
  const answers = await Promise.all(clients.map((client) => client.until(/\r\n\r\n/)));
  const statuses = answers.map(statusOf);
  // Three quarters of the 20 connections can follow events. The others are for commands.
  const accepted = statuses.filter((status) => status === 200).length;
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThanOrEqual(15);
  expect(statuses.filter((status) => status !== 200 && status !== 503 && status !== undefined)).toEqual([]);
  for (const { socket } of clients) socket.destroy();
  await vi.waitFor(async () => expect((await place.send('GET', '/health')).status).toBe(200), { timeout: 20_000 });
});

describe('a link', () => {
  test('gives the token once', async () => {
    await using place = await openTestServer();
    const code = place.server.createLink().split('#code=')[1];
    expect(await place.send('POST', '/link', { code })).toEqual({ status: 200, body: { token: place.token } });
    expect(await place.send('POST', '/link', { code })).toMatchObject({
      status: 401,
      body: { error: { code: 'server/unauthorized' } },
    });
  });

  test('is created by a client with the token', async () => {
    await using place = await openTestServer();
    const { status, body } = await place.send('POST', '/links');
    expect(status).toBe(201);
    expect(await place.send('POST', '/link', body)).toEqual({ status: 200, body: { token: place.token } });
    expect((await fetch(`${place.server.url}/links`, { method: 'POST' })).status).toBe(401);
  });

  test('is void after ten minutes, and only the ten newest links are kept', () => {
    let now = 0;
    const authentication = createAuthentication(newToken(), () => now);
    const old = authentication.createCode();
    now = 10 * 60_000 + 1;
    expect(() => authentication.redeem(old)).toThrow('older than ten minutes');
    const first = authentication.createCode();
    const newer = Array.from({ length: 10 }, () => authentication.createCode());
    expect(() => authentication.redeem(first)).toThrow(ServerError);
    expect(newer.map((code) => authentication.redeem(code))).toHaveLength(10);
  });
});

describe('a server', () => {
  const log = createMemoryStore();
  const refuse = () => Promise.reject(new Error('no session is opened here'));
  const opener = { create: refuse, open: refuse, fork: refuse };

  test.each(['', 'short', 'a'.repeat(31), `${'a'.repeat(32)} b`, `${'a'.repeat(32)}\n`])(
    'does not start with the token %j',
    async (token) => {
      const projection = await openTestProjection(log);
      await expect(
        openSessionServer({ log, projection, version: 'test', port: 0, opener, token }),
      ).rejects.toMatchObject({
        code: 'server/bad-options',
      });
    },
  );

  test('does not start at an address of the network unless this is allowed', async () => {
    const open = async (exposed: boolean) =>
      openSessionServer({
        log,
        projection: await openTestProjection(log),
        version: 'test',
        port: 0,
        opener,
        token: newToken(),
        host: '0.0.0.0',
        exposed,
      });
    await expect(open(false)).rejects.toMatchObject({ code: 'server/bad-options' });
    await (await open(true)).close();
  });
});

test('an error of the program itself is answered without its text, and the program is told', async () => {
  const told: unknown[] = [];
  await using place = await openTestServer({
    server: {
      onBug: (error) => told.push(error),
      opener: {
        create: () => Promise.reject(new Error('a secret detail')),
        open: () => Promise.reject(new Error('a secret detail')),
        fork: () => Promise.reject(new Error('a secret detail')),
      },
    },
  });
  const answer = await place.send('POST', '/sessions', {});
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'server/bug' } } });
  expect(JSON.stringify(answer.body)).not.toContain('secret');
  expect(told).toEqual([new Error('a secret detail')]);
});

test('the metrics count requests by route, and no path of a client becomes a label', async () => {
  await using place = await openTestServer();
  await place.send('GET', '/sessions/unknown-session');
  await place.send('GET', '/no/such/path');
  const answer = await fetch(`${place.server.url}/metrics`, { headers: { authorization: `Bearer ${place.token}` } });
  const text = await answer.text();
  expect(text).toContain('tidemark_http_requests_total{method="GET",route="/sessions/:session",status="404"} 1');
  expect(text).toContain('tidemark_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toContain('tidemark_open_sessions 0');
  expect(text).not.toContain('unknown-session');
  expect(text).not.toContain('no/such');
});
