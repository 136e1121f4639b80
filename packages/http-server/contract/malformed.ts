// Contract tests for bytes that are not valid HTTP. The server answers with an error or closes the connection,
// continues to serve other clients, and leaves no connection open.

import { describe, expect, it, vi } from 'vitest';
import { dial, statusOf } from './raw-client.ts';
import { post, requestText, upgrade, usualHeaders } from './subject.ts';
import type { ServerSubject } from './subject.ts';

/**
 * Malformed requests with the expected status. `PORT` is replaced by the port and `PATH` by the path of a request. The
 * status `undefined` means that the connection is closed without an answer.
 */
const SHAPES: readonly (readonly [name: string, text: string, status: number | undefined])[] = [
  ['bytes that are not HTTP', '\u0016\u0003\u0001\r\n\r\n', 400],
  ['a request line without a version', 'POST PATH\r\n\r\n', 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  [
    'Content-Length and Transfer-Encoding',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'Transfer-Encoding and Content-Length',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'two different lengths',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    400,
  ],
  ['a negative length', 'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ncontent-length: -1\r\n\r\n', 400],
  ['a length that is not a number', 'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ncontent-length: 1e3\r\n\r\n', 400],
  [
    'a transfer encoding that is not chunked',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ntransfer-encoding: gzip\r\n\r\n',
    400,
  ],
  [
    'a chunk without a size',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
    400,
  ],
  ['a folded header', 'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nx: a\r\n b\r\n\r\n', 400],
  ['a space before a colon', 'POST PATH HTTP/1.1\r\nhost : 127.0.0.1:PORT\r\n\r\n', 400],
  [
    'an unknown expectation',
    'POST PATH HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nexpect: wonders\r\ncontent-length: 9\r\n\r\n',
    417,
  ],
  ['a proxy tunnel', 'CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test:443\r\n\r\n', undefined],
];

/** Defines the tests for malformed requests, and for upgrades that are refused or broken. */
export function describeMalformed({ request, webSocket }: ServerSubject, open: ServerSubject['open']): void {
  it.each(SHAPES)('%s ends only its own connection', async (_name, pattern, status) => {
    const { port, connections } = await open({ limits: { lingerMs: 20 } });
    const client = await dial(port);
    client.send(pattern.replaceAll('PORT', String(port)).replaceAll('PATH', request.path));
    expect(statusOf(await client.ended)).toBe(status);
    expect(await post(port, request)).toBe(200);
    await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
  });

  it('malformed bytes end the connection even if the client does not close its side', async () => {
    const { port, connections } = await open({ limits: { lingerMs: 20 } });
    const client = await dial(port, true);
    client.send('\u0000\r\n\r\n');
    expect(statusOf(await client.until(/\r\n\r\n/))).toBe(400);
    await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    client.socket.destroy();
  });

  it("malformed bytes after a request that is being answered get no answer in place of that request's answer", async () => {
    const subject = await open({ limits: { lingerMs: 20 } });
    subject.silence();
    const client = await dial(subject.port);
    client.send(requestText(request, usualHeaders(subject.port, request.body)));
    client.send('\u0000\r\n\r\n');
    expect(await client.ended).not.toMatch(/HTTP\/1\.1 400/);
    await vi.waitFor(() => expect(subject.connections()).toBe(0), { timeout: 30_000 });
  });

  describe('an upgrade', () => {
    it('to an unknown path is answered with 404, and the connection is closed even if the client does not close it', async () => {
      const { port, connections } = await open({ limits: { lingerMs: 20 } });
      const client = await upgrade(port, { ...webSocket, path: '/nowhere' }, {}, true);
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(404);
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
      client.socket.destroy();
    });

    it.each([
      ['without a key', { 'sec-websocket-key': '' }],
      ['of another version', { 'sec-websocket-version': '7' }],
    ])('%s is answered with 400, and no connection is left', async (_name, own) => {
      const { port, connections } = await open({});
      const client = await upgrade(port, webSocket, own);
      expect(statusOf(await client.ended)).toBe(400);
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
    });

    it('whose client disconnects at once leaves no connection, and the server continues', async () => {
      const { port, connections } = await open({ limits: { lingerMs: 20 } });
      for (const path of ['/nowhere', webSocket.path, '/nowhere', webSocket.path]) {
        (await upgrade(port, { ...webSocket, path })).socket.resetAndDestroy();
        (await upgrade(port, { ...webSocket, path })).socket.end();
      }
      await vi.waitFor(() => expect(connections()).toBe(0), { timeout: 30_000 });
      expect(await post(port, request)).toBe(200);
    });

    it('to another protocol is ignored, and the request is answered', async () => {
      const { port } = await open({});
      const headers = { ...request.headers, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
      const client = await dial(port);
      client.send(requestText({ ...request, headers }, usualHeaders(port, request.body)));
      expect(statusOf(await client.until(/\r\n\r\n/))).toBe(200);
      client.socket.destroy();
    });
  });
}
