// Contract tests for the number and the lifetime of connections. The limits are small, and each test waits for the
// effect of a limit.

import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { dial, statusOf } from './raw-client.ts';
import type { RawClient } from './raw-client.ts';
import { post, requestText, upgrade, usualHeaders } from './subject.ts';
import type { ServerSubject } from './subject.ts';

/**
 * Short time limits, in milliseconds. They are still long enough for a busy machine to read a whole request in time.
 */
const QUICK = { headersMs: 400, requestMs: 400, checkMs: 30, lingerMs: 20 };
/** First frame of an unfinished message: `FIN` is not set, 1 byte of payload, masked with zeros. */
const UNFINISHED = Uint8Array.of(0x01, 0x81, 0, 0, 0, 0, 0x61);
const MIB = 1024 * 1024;

/** Defines the tests for the time limits and the number of connections. */
export function describeConnections({ request, webSocket }: ServerSubject, open: ServerSubject['open']): void {
  const usual = (port: number): string => requestText(request, usualHeaders(port, request.body));

  describe('a connection', () => {
    it('without any data is closed after the time limit for headers', async () => {
      const { port, connections } = await open({ limits: QUICK });
      const silent = await Promise.all(Array.from({ length: 50 }, () => dial(port)));
      await Promise.all(silent.map(({ ended }) => ended));
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });

    it('that never finishes its headers is answered with 408 and closed', async () => {
      const { port } = await open({ limits: QUICK });
      const client = await dial(port);
      client.send(`POST ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-slow: `);
      expect(statusOf(await client.ended)).toBe(408);
    });

    it('that never finishes its body is answered with 408 and closed', async () => {
      const { port, connections } = await open({ limits: QUICK });
      const client = await dial(port);
      client.send(requestText({ ...request, body: '' }, usualHeaders(port, request.body)));
      expect(statusOf(await client.ended)).toBe(408);
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });

    it('that is idle between requests is closed', async () => {
      const { port } = await open({ limits: { idleMs: 20 } });
      const client = await dial(port);
      client.send(usual(port));
      expect(statusOf(await client.ended)).toBe(200);
    });

    it('with only empty lines between requests is closed', async () => {
      const { port } = await open({ limits: { ...QUICK, idleMs: 20 } });
      const client = await dial(port);
      client.send(usual(port));
      await client.until(/\r\n\r\n/);
      const drip = setInterval(() => client.send('\r\n'), 10);
      expect(statusOf(await client.ended)).toBe(200);
      clearInterval(drip);
    });

    it('with a silent answer stays open beyond every time limit', async () => {
      const subject = await open({ limits: { ...QUICK, idleMs: 20, stalledMs: 400, pingMs: 100 } });
      subject.silence();
      const client = await dial(subject.port);
      client.send(usual(subject.port));
      // Waits as long as the server needs to close three silent connections, one after the other.
      for (let count = 0; count < 3; count += 1) await (await dial(subject.port)).ended;
      expect(client.closed()).toBe(false);
      await vi.waitFor(() => expect(subject.connections()).toBe(1), { timeout: 30_000 });
      client.socket.destroy();
    });

    it('whose client does not read a long answer is closed', async () => {
      const subject = await open({ limits: { stalledMs: 500 } });
      subject.lengthen(32 * MIB);
      const client = await dial(subject.port);
      client.socket.pause();
      client.send(usual(subject.port));
      await vi.waitFor(() => expect(subject.connections()).toBe(1), { timeout: 30_000 });
      await vi.waitFor(() => expect(subject.connections()).toBe(0), { timeout: 30_000 });
      client.socket.destroy();
    });

    it('above the limit is closed without an answer, and a new connection is accepted after another one ends', async () => {
      const subject = await open({ limits: { connections: 2 } });
      const { port } = subject;
      subject.lengthen(32 * MIB);
      const answered = await dial(port);
      answered.send(usual(port));
      await answered.until(/\r\n\r\n/);
      answered.socket.pause();
      const holders = [answered, await upgrade(port, webSocket)];
      await holders[1]?.until(/\r\n\r\n/);
      const third = await dial(port);
      third.send(usual(port));
      expect(await third.ended).toBe('');
      expect(holders.map(({ closed }) => closed())).toEqual([false, false]);
      holders[0]?.socket.destroy();
      await vi.waitFor(async () => expect(await post(port, request)).toBe(200), { timeout: 30_000 });
      holders[1]?.socket.destroy();
    });

    it.each([
      ['any data', () => ''],
      ['complete headers', (port: number) => `POST ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-slow: `],
      ['a complete body', (port: number) => requestText({ ...request, body: '' }, usualHeaders(port, request.body))],
    ])('without %s gives way to a new one above the limit, the oldest first', async (_name, begin) => {
      const { port, connections } = await open({ limits: { connections: 3 } });
      const holders: RawClient[] = [];
      for (let count = 1; count <= 3; count += 1) {
        const holder = await dial(port);
        holder.send(begin(port));
        holders.push(holder);
        await vi.waitFor(() => expect(connections()).toBe(count), { timeout: 30_000 });
      }
      const other = await dial(port);
      other.send(usual(port));
      expect(statusOf(await other.until(/\r\n\r\n/))).toBe(200);
      await holders[0]?.ended;
      expect(holders.map(({ closed }) => closed())).toEqual([true, false, false]);
      for (const one of [...holders, other]) one.socket.destroy();
    });

    it('with a complete request is answered while 200 others send half of one', async () => {
      const { port } = await open({ limits: { connections: 20 } });
      const slow = await Promise.all(Array.from({ length: 200 }, () => dial(port)));
      for (const one of slow) one.send('POST /');
      for (let count = 0; count < 5; count += 1) expect(await post(port, request)).toBe(200);
      for (const one of slow) one.socket.destroy();
    });

    it('with more unanswered requests than the limit is closed', async () => {
      const subject = await open({ limits: { pipelined: 2 } });
      subject.silence();
      const client = await dial(subject.port);
      client.send(usual(subject.port).repeat(3));
      await client.ended;
      await vi.waitFor(() => expect(subject.connections()).toBe(0), { timeout: 30_000 });
    });

    it('with two requests at once gets both answers', async () => {
      const { port } = await open({});
      const client = await dial(port);
      client.send(usual(port).repeat(2));
      expect(await client.until(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 /)).toMatch(/^HTTP\/1\.1 200 /);
      client.socket.destroy();
    });

    it.each([
      ['more headers than the limit', 'x: y\r\n'.repeat(101)],
      ['headers above 16 KiB', `x: ${'y'.repeat(17_000)}\r\n`],
    ])('with %s is answered with 431', async (_name, lines) => {
      const { port } = await open({});
      const client = await dial(port);
      client.send(`POST ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines}\r\n`);
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(431);
      client.socket.destroy();
    });
  });

  describe('a WebSocket', () => {
    const connected = async (port: number): Promise<RawClient> => {
      const client = await upgrade(port, webSocket);
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(101);
      return client;
    };

    it('is closed if it answers no ping, and stays open if it answers', async () => {
      const { port } = await open({ limits: { pingMs: 300, headersMs: 300, requestMs: 300 } });
      const alive = new WebSocket(`ws://127.0.0.1:${port}${webSocket.path}`, { headers: webSocket.headers });
      await new Promise((resolve) => alive.once('open', resolve));
      for (let count = 0; count < 2; count += 1) await (await connected(port)).ended;
      expect(alive.readyState).toBe(WebSocket.OPEN);
      alive.terminate();
    });

    it('is closed if its message never ends, even if it answers pings', async () => {
      const { port } = await open({ limits: { pingMs: 300, headersMs: 300, requestMs: 300 } });
      const socket = new WebSocket(`ws://127.0.0.1:${port}${webSocket.path}`, { headers: webSocket.headers });
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send('a', { fin: false });
      await new Promise((resolve) => socket.once('close', resolve));
    });

    it('counts toward the limit of connections', async () => {
      const { port, connections } = await open({ limits: { connections: 1 } });
      const socket = await connected(port);
      const other = await dial(port);
      other.send(usual(port));
      expect(await other.ended).toBe('');
      socket.socket.resetAndDestroy();
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });

    it('is removed if its client leaves it half-open or in the middle of a message', async () => {
      const { port, connections } = await open({});
      const half = await connected(port);
      half.socket.end();
      const torn = await connected(port);
      torn.send(UNFINISHED);
      torn.socket.resetAndDestroy();
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });
  });

  describe('`close`', () => {
    it('ends slow, silent and upgraded connections, and may be called twice', async () => {
      const subject = await open({});
      subject.silence();
      const silent = await dial(subject.port);
      silent.send(usual(subject.port));
      const slow = await dial(subject.port);
      slow.send('POST /');
      const body = await dial(subject.port);
      body.send(requestText({ ...request, body: '' }, usualHeaders(subject.port, request.body)));
      const socket = await upgrade(subject.port, webSocket);
      await socket.until(/\r\n\r\n/);
      socket.send(UNFINISHED);
      await Promise.all([subject.close(), subject.close()]);
      await Promise.all([silent, slow, body, socket].map(({ ended }) => ended));
      expect(subject.connections()).toBe(0);
    });
  });
}
