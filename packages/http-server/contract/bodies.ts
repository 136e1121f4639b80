// Contract tests for the bodies and messages that a client may send.

import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { dial, sendEndlessly, statusOf } from './raw-client.ts';
import { post, requestText, usualHeaders } from './subject.ts';
import type { OpenSubject, ServerSubject } from './subject.ts';

const KIB = 1024;

/** Defines the tests for bodies and WebSocket messages. `open` opens a server that is closed after the test. */
export function describeBodies({ request, webSocket }: ServerSubject, open: ServerSubject['open']): void {
  const chunked = (port: number): string =>
    requestText({ ...request, body: '' }, { host: `127.0.0.1:${port}`, 'transfer-encoding': 'chunked' });

  describe('a body', () => {
    it('with a declared length above the limit is answered with 413 before it arrives, and the connection is closed', async () => {
      const { port } = await open({ limits: { bodyBytes: KIB, lingerMs: 50 } });
      const client = await dial(port);
      client.send(requestText({ ...request, body: '' }, { ...usualHeaders(port, ''), 'content-length': '1025' }));
      expect(statusOf(await client.ended)).toBe(413);
    });

    it('in endless chunks is answered with 413 when it exceeds the limit, and the connection is closed', async () => {
      const { port, connections } = await open({ limits: { bodyBytes: 64 * KIB, lingerMs: 500 } });
      const client = await dial(port);
      client.send(chunked(port));
      sendEndlessly(client, `400\r\n${'a'.repeat(KIB)}\r\n`);
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(413);
      await client.ended;
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });

    it('with exactly the length of the limit is accepted', async () => {
      const bytes = Buffer.byteLength(request.body);
      const { port } = await open({ limits: { bodyBytes: bytes } });
      expect(await post(port, request)).toBe(200);
      expect(await post(port, { ...request, body: `${request.body} ` })).toBe(413);
    });

    it('in chunks of one byte is accepted', async () => {
      const { port } = await open({});
      const client = await dial(port);
      client.send(chunked(port));
      for (const byte of request.body) client.send(`1\r\n${byte}\r\n`);
      client.send('0\r\n\r\n');
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(200);
      client.socket.destroy();
    });

    it.each([
      ['gzip', 415],
      ['BR', 415],
      ['gzip, identity', 415],
      ['identity', 200],
    ])('with the content-encoding %s is answered with %d', async (encoding, status) => {
      const { port } = await open({});
      const headers = { ...request.headers, 'content-encoding': encoding };
      expect(await post(port, { ...request, headers })).toBe(status);
    });

    it('is answered with 503 while other bodies fill the memory for bodies, and is accepted afterwards', async () => {
      const padded = { ...request, body: request.body + ' '.repeat(4 * KIB) };
      const bytes = Buffer.byteLength(padded.body);
      const { port } = await open({ limits: { bodyBytes: 16 * KIB, heldBytes: bytes + 10 } });
      const first = await dial(port);
      first.send(requestText({ ...padded, body: padded.body.slice(1) }, usualHeaders(port, padded.body)));
      await vi.waitFor(async () => expect(await post(port, padded)).toBe(503), { timeout: 30_000 });
      first.socket.destroy();
      await vi.waitFor(async () => expect(await post(port, padded)).toBe(200), { timeout: 30_000 });
    });

    it('that its client cuts off leaves no open connection and no used memory', async () => {
      const { port, connections } = await open({ limits: { heldBytes: Buffer.byteLength(request.body) } });
      for (let count = 0; count < 20; count += 1) {
        const client = await dial(port);
        client.send(requestText({ ...request, body: request.body.slice(1) }, usualHeaders(port, request.body)));
        client.socket.end();
        client.socket.resetAndDestroy();
      }
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
      await vi.waitFor(async () => expect(await post(port, request)).toBe(200), { timeout: 30_000 });
    });
  });

  describe('Expect: 100-continue', () => {
    it('is answered with 100, and then the body is accepted', async () => {
      const { port } = await open({});
      const client = await dial(port);
      const headers = { ...usualHeaders(port, request.body), expect: '100-continue' };
      client.send(requestText({ ...request, body: '' }, headers));
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(100);
      client.send(request.body);
      expect(await client.until(/HTTP\/1\.1 200 /)).toMatch(/HTTP\/1\.1 200 /);
      client.socket.destroy();
    });

    it('is answered with 413 and without a 100 for a body above the limit', async () => {
      const { port } = await open({ limits: { bodyBytes: KIB, lingerMs: 50 } });
      const client = await dial(port);
      const headers = { host: `127.0.0.1:${port}`, 'content-length': '1025', expect: '100-continue' };
      client.send(requestText({ ...request, body: '' }, headers));
      expect(statusOf(await client.ended)).toBe(413);
    });
  });

  describe('a WebSocket message', () => {
    const connected = async ({ port }: OpenSubject): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${webSocket.path}`, { headers: webSocket.headers });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    };
    const closeCode = (socket: WebSocket): Promise<number> =>
      new Promise((resolve) => {
        socket.on('error', () => undefined);
        socket.once('close', resolve);
      });

    it('within the limit is answered', async () => {
      const socket = await connected(await open({}));
      const answered = new Promise((resolve) => socket.once('message', resolve));
      socket.send(webSocket.message);
      await answered;
      socket.terminate();
    });

    it('above the limit closes the connection with 1009', async () => {
      const socket = await connected(await open({ limits: { bodyBytes: KIB } }));
      const closed = closeCode(socket);
      socket.send('a'.repeat(KIB + 1));
      expect(await closed).toBe(1009);
    });

    it('above the limit in fragments closes the connection with 1009', async () => {
      const socket = await connected(await open({ limits: { bodyBytes: KIB } }));
      const closed = closeCode(socket);
      for (let count = 0; count < 9; count += 1) socket.send('a'.repeat(KIB / 8), { fin: false });
      expect(await closed).toBe(1009);
    });

    it('that is never finished releases its memory when its connection ends', async () => {
      const subject = await open({ limits: { bodyBytes: 16 * KIB, heldBytes: 8 * KIB } });
      const torn = await connected(subject);
      torn.send('a'.repeat(6 * KIB), { fin: false }, () => torn.terminate());
      await closeCode(torn);
      await vi.waitFor(() => expect(subject.connections()).toBe(0), { timeout: 30_000 });
      const socket = await connected(subject);
      const answered = new Promise((resolve) => socket.once('message', resolve));
      socket.send('a'.repeat(6 * KIB));
      await answered;
      socket.terminate();
    });

    it('above the memory limit for all bodies closes only its own connection', async () => {
      const subject = await open({ limits: { bodyBytes: 16 * KIB, heldBytes: 8 * KIB } });
      const other = await connected(subject);
      const socket = await connected(subject);
      const closed = closeCode(socket);
      socket.send('a'.repeat(9 * KIB), { fin: false });
      expect(await closed).toBe(1006);
      const answered = new Promise((resolve) => other.once('message', resolve));
      other.send(webSocket.message);
      await answered;
      other.terminate();
    });
  });
}
