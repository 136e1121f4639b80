// Contract tests for the hosts and origins that a server accepts.

import { describe, expect, it } from 'vitest';
import { dial, statusOf } from './raw-client.ts';
import { requestText, upgrade, usualHeaders } from './subject.ts';
import type { ServerSubject } from './subject.ts';

/** `Host` headers with the expected status. `PORT` is replaced by the port of the server. */
const HOSTS: readonly (readonly [host: string, status: number])[] = [
  ['127.0.0.1:PORT', 200],
  ['localhost:PORT', 200],
  ['LocalHost:PORT', 200],
  ['[::1]:PORT', 200],
  ['evil.test', 421],
  ['evil.test:PORT', 421],
  ['127.0.0.1.evil.test:PORT', 421],
  ['localhost', 421],
  ['127.0.0.1:1', 421],
  ['localhost.:PORT', 421],
  ['127.1:PORT', 421],
  ['0.0.0.0:PORT', 421],
  ['[::]:PORT', 421],
  ['[0:0:0:0:0:0:0:1]:PORT', 421],
  ['[::ffff:127.0.0.1]:PORT', 421],
  ['::1:PORT', 400],
  ['user@127.0.0.1:PORT', 400],
  ['127.0.0.1:', 400],
  ['127.0.0.1:PORT, evil.test', 400],
  ['127.0.0.1:PORT/', 400],
  ['', 400],
];

const TARGETS: readonly (readonly [target: string, status: number])[] = [
  ['http://127.0.0.1:PORTPATH', 200],
  ['http://evil.testPATH', 421],
  ['http://evil.test:PORTPATH', 421],
  ['http://user@127.0.0.1:PORTPATH', 400],
  ['https://127.0.0.1:PORTPATH', 400],
  ['ftp://127.0.0.1:PORTPATH', 400],
  ['*', 400],
];

const ORIGINS: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
  [{}, 200],
  [{ origin: 'http://127.0.0.1:PORT' }, 200],
  [{ origin: 'https://evil.test' }, 403],
  [{ origin: 'http://127.0.0.1:1' }, 403],
  [{ origin: 'http://localhost:PORT' }, 403],
  [{ origin: 'http://127.0.0.1:PORT.evil.test' }, 403],
  [{ origin: 'null' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-origin' }, 200],
];

/** Defines the tests for `Host`, `Origin` and the request target, for requests and for upgrades. */
export function describeOrigins({ request, webSocket }: ServerSubject, open: ServerSubject['open']): void {
  const asked = async (port: number, text: string): Promise<string> => {
    const client = await dial(port);
    client.send(text);
    const received = await client.until(/\r\n\r\n/);
    client.socket.destroy();
    return received;
  };

  describe('`Host`', () => {
    it.each(HOSTS)('%j is answered with %d', async (pattern, status) => {
      const { port } = await open({});
      const host = pattern.replace('PORT', String(port));
      const text = requestText(request, { ...usualHeaders(port, request.body), host });
      expect(statusOf(await asked(port, text))).toBe(status);
      const socket = await upgrade(port, webSocket, { host });
      expect(statusOf(await socket.until(/\r\n\r\n/))).toBe(status === 200 ? 101 : status);
      socket.socket.destroy();
    });

    it('that is missing or repeated is answered with 400, also in HTTP/1.0', async () => {
      const { port } = await open({});
      const { host, ...missing } = usualHeaders(port, request.body);
      const own = { ...missing, Host: host ?? '' };
      expect(statusOf(await asked(port, requestText(request, missing)))).toBe(400);
      expect(statusOf(await asked(port, requestText(request, { ...own, host: host ?? '' })))).toBe(400);
      expect(statusOf(await asked(port, requestText(request, { ...own, HOST: 'evil.test' })))).toBe(400);
      expect(statusOf(await asked(port, requestText(request, missing, '1.0')))).toBe(400);
      expect(statusOf(await asked(port, requestText(request, own, '1.0')))).toBe(200);
    });

    it('that is refused is named in the answer, together with the flag that allows it', async () => {
      const { port } = await open({});
      const text = requestText(request, { ...usualHeaders(port, request.body), host: 'ci.test:8787' });
      expect(await asked(port, text)).toMatch(/--allow-host ci\.test\b/);
    });

    it('is accepted if it was allowed by name, and similar names are refused', async () => {
      const { port } = await open({ allowedHosts: ['ci.test', 'one.test:8787'] });
      const status = async (host: string): Promise<number | undefined> =>
        statusOf(await asked(port, requestText(request, { ...usualHeaders(port, request.body), host })));
      expect(await status('ci.test:1234')).toBe(200);
      expect(await status('CI.test')).toBe(200);
      expect(await status('one.test:8787')).toBe(200);
      expect(await status('one.test')).toBe(421);
      expect(await status('sub.ci.test')).toBe(421);
    });
  });

  it.each(TARGETS)('the request target %s is answered with %d', async (pattern, status) => {
    const { port } = await open({});
    const path = pattern.replace('PORT', String(port)).replace('PATH', request.path);
    const text = requestText({ ...request, path }, usualHeaders(port, request.body));
    expect(statusOf(await asked(port, text))).toBe(status);
  });

  it.each(ORIGINS)('a request with the origin headers %j is answered with %d', async (pattern, status) => {
    const { port } = await open({});
    const own = Object.fromEntries(
      Object.entries(pattern).map(([name, value]) => [name, value.replace('PORT', String(port))]),
    );
    const text = requestText(request, { ...usualHeaders(port, request.body), ...own });
    expect(statusOf(await asked(port, text))).toBe(status);
    const socket = await upgrade(port, webSocket, own);
    expect(statusOf(await socket.until(/\r\n\r\n/))).toBe(status === 200 ? 101 : status);
    socket.socket.destroy();
  });

  it('a preflight from a page of another origin is answered with 403 and without permission', async () => {
    const { port } = await open({});
    const head = `OPTIONS ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: https://evil.test\r\n`;
    const received = await asked(port, `${head}access-control-request-method: POST\r\n\r\n`);
    expect(statusOf(received)).toBe(403);
    expect(received).not.toMatch(/access-control-allow/i);
  });
}
