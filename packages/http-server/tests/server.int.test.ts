// Runs the server contract on a minimal server, and tests the behavior that callers of `openServer` can observe.

import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { describeServerContract, dial, post, statusOf, upgrade } from '../contract/server-contract.ts';
import { openServer } from '../src/index.ts';
import type { HttpServer, ServeRequest, ServerOptions } from '../src/index.ts';

const REQUEST = { path: '/echo', headers: { 'content-type': 'application/json' }, body: '{"word":"hello"}' };

/**
 * Opens a server that echoes request bodies and messages. If `next` is set, the function `next` answers the next
 * request instead.
 */
async function openEcho(
  options: Omit<ServerOptions, 'port'>,
): Promise<HttpServer & { next: ServeRequest | undefined }> {
  const echo: ServeRequest = async (request, bindings) => {
    const { next } = server;
    server.next = undefined;
    return next === undefined ? new Response(await request.text()) : next(request, bindings);
  };
  const opened = await openServer(echo, { port: 0, ...options });
  const server: HttpServer & { next: ServeRequest | undefined } = { ...opened, next: undefined };
  server.onUpgrade((_request, path) =>
    path === '/talk'
      ? (socket) => socket.onMessage((text) => socket.send(text))
      : { status: 404, headers: {}, body: 'Not found' },
  );
  return server;
}

describeServerContract({
  name: 'a server that echoes',
  request: REQUEST,
  webSocket: { path: '/talk', headers: {}, message: 'hello' },
  async open(options) {
    const server = await openEcho(options);
    return {
      ...server,
      silence() {
        server.next = () => new Promise(() => undefined);
      },
      lengthen(bytes) {
        server.next = () => new Response('a'.repeat(bytes));
      },
    };
  },
});

describe('`openServer`', () => {
  it('answers refusals in its plain form unless another form is given', async () => {
    const plain = await openEcho({});
    const own = await openEcho({
      refusalForm: ({ reason, status }, path) => ({ status, headers: { 'x-form': 'own' }, body: `${reason} ${path}` }),
    });
    const refused = async ({ port }: HttpServer): Promise<string> => {
      const client = await dial(port);
      client.send('GET /page?x=1 HTTP/1.1\r\nhost: evil.test\r\n\r\n');
      return client.ended;
    };
    expect(await refused(plain)).toMatch(/421 [\s\S]*application\/json[\s\S]*"code":"host"/);
    expect(await refused(own)).toMatch(/421 [\s\S]*x-form: own[\s\S]*host \/page$/);
    await Promise.all([plain.close(), own.close()]);
  });

  it('accepts a followed link from another site, and no other request from there', async () => {
    const server = await openServer(() => new Response('page'), { port: 0 });
    const status = async (line: string, mode: string): Promise<number | undefined> => {
      const client = await dial(server.port);
      const site = `sec-fetch-site: cross-site\r\nsec-fetch-mode: ${mode}\r\ncontent-length: 0\r\nconnection: close`;
      client.send(`${line} HTTP/1.1\r\nhost: localhost:${server.port}\r\n${site}\r\n\r\n`);
      return statusOf(await client.ended);
    };
    expect(await status('GET /', 'navigate')).toBe(200);
    expect(await status('GET /', 'no-cors')).toBe(403);
    expect(await status('POST /', 'navigate')).toBe(403);
    await server.close();
  });

  it('answers for the address that it is bound to, and uses loopback in its `url` if it is bound to all addresses', async () => {
    const every = await openEcho({ host: '0.0.0.0' });
    expect(every.url).toBe(`http://127.0.0.1:${every.port}`);
    expect(await (await fetch(every.url, { method: 'POST', body: 'a' })).text()).toBe('a');
    const other = await openEcho({ host: '127.0.0.2' });
    expect(other.url).toBe(`http://127.0.0.2:${other.port}`);
    expect(await (await fetch(other.url, { method: 'POST', body: 'b' })).text()).toBe('b');
    await Promise.all([every.close(), other.close()]);
  });

  it('refuses every upgrade until a handler is set', async () => {
    const server = await openServer(() => new Response('page'), { port: 0 });
    const client = await dial(server.port);
    client.send(
      `GET / HTTP/1.1\r\nhost: localhost:${server.port}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    );
    expect(statusOf(await client.ended)).toBe(404);
    await server.close();
  });

  it('throws if the port is taken, and for a wrong limit or host name', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(openServer(() => new Response(), { port })).rejects.toMatchObject({
      code: 'http-server/listen-failed',
    });
    taken.close();
    const bad = { code: 'http-server/bad-options' };
    for (const limits of [{ bodyBytes: 0 }, { idleMs: 1.5 }, { pingMs: 2 ** 31 }, { headersMs: 2, requestMs: 1 }])
      await expect(openEcho({ limits })).rejects.toMatchObject(bad);
    await expect(openEcho({ limits: Object.fromEntries([['constructor', 1]]) })).rejects.toMatchObject(bad);
    for (const name of ['', '*', 'http://ci.test', 'ci.test:', 'a b', 'ci.test/x'])
      await expect(openEcho({ allowedHosts: [name] })).rejects.toMatchObject(bad);
  });

  it('reads no further message while a message waits, and then answers all messages in order', async () => {
    const server = await openEcho({ limits: { heldBytes: 1_048_576 } });
    const gate = Promise.withResolvers<void>();
    server.onUpgrade(() => (socket) => {
      socket.onMessage(async (text) => {
        await gate.promise;
        await socket.send(text.slice(0, 8));
      });
    });
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/talk`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const seen: string[] = [];
    const ended = new Promise<void>((resolve) => {
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('message', ({ data }) => {
        seen.push(String(data).trim());
        if (seen.length === 200) resolve();
      });
    });
    for (let count = 0; count < 200; count += 1) socket.send(String(count).padEnd(65_536));
    // The messages sent so far exceed `heldBytes`. If the server had read all of them, it would have closed the
    // connection before it answers this request.
    await vi.waitFor(async () => expect(await post(server.port, REQUEST)).toBe(200), { timeout: 30_000 });
    gate.resolve();
    await ended;
    expect(seen).toEqual(Array.from({ length: 200 }, (_each, index) => String(index)));
    socket.close();
    await server.close();
  });

  it('answers with 500 if the application throws or rejects, and continues', async () => {
    const server = await openEcho({});
    server.next = () => {
      throw new Error('broken');
    };
    expect(await post(server.port, REQUEST)).toBe(500);
    server.next = () => Promise.reject(new Error('broken'));
    expect(await post(server.port, REQUEST)).toBe(500);
    expect(await post(server.port, REQUEST)).toBe(200);
    await server.close();
  });

  it('answers with 500 if the upgrade handler throws, and continues', async () => {
    const server = await openEcho({});
    server.onUpgrade(() => {
      throw new Error('broken');
    });
    const client = await upgrade(server.port, { path: '/talk', headers: {} });
    expect(statusOf(await client.ended)).toBe(500);
    expect(await post(server.port, REQUEST)).toBe(200);
    await server.close();
  });

  it('closes a WebSocket whose handler fails, and continues', async () => {
    const server = await openEcho({});
    server.onUpgrade(() => (socket) => socket.onMessage(() => Promise.reject(new Error('broken'))));
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/talk`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send('hello');
    await new Promise((resolve) => socket.addEventListener('close', resolve));
    expect(await post(server.port, REQUEST)).toBe(200);
    await server.close();
  });
});

it('other work runs between two messages of a client whose messages are answered at once', async () => {
  const server = await openServer(() => new Response('ok'), { port: 0 });
  let handled = 0;
  let handledBeforeOthers = 0;
  server.onUpgrade(() => (socket) => {
    socket.onMessage(async () => {
      handled += 1;
      if (handled === 1) setImmediate(() => (handledBeforeOthers = handled));
    });
  });
  const client = new WebSocket(`ws://127.0.0.1:${server.port}`);
  client.addEventListener('open', () => {
    for (let count = 0; count < 2_000; count += 1) client.send('x');
  });
  await vi.waitFor(() => expect(handled).toBe(2_000), { timeout: 30_000 });
  expect(handledBeforeOthers).toBeLessThan(3);
  client.close();
  await server.close();
});
