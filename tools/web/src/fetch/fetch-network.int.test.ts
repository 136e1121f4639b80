// Tests which addresses `fetch` reaches, with real servers on loopback and a resolver of the test.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { callTool } from '../../tests/call-tool.ts';
import { fetchFor, now, redirected, resolverOf, sent, startWebServer } from '../../tests/web-server.ts';
import { createFetchTool } from './fetch-tool.ts';

describe('`fetch` reaches no private address', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ['0.0.0.0', '0.0.0.0'],
    ['169.254.169.254', '169.254.169.254'],
    ['[64:ff9b::169.254.169.254]', '[64:ff9b::a9fe:a9fe]'],
  ])('for the host %s', async (host, shown) => {
    await using server = await startWebServer({ '/': 'secret' });
    const tool = createFetchTool({ now, resolve: resolverOf({ localhost: ['::1', '127.0.0.1'] }) });
    await expect(callTool(tool, { url: server.at('/', host) })).rejects.toMatchObject({
      code: 'web/private-address',
      message: expect.stringContaining(shown),
    });
    expect(server.requests).toHaveLength(0);
  });

  test('for a name with a private address, and tells how the user can allow it', async () => {
    await using server = await startWebServer({ '/': 'secret' });
    const url = server.at('/', 'other.example');
    await expect(callTool(fetchFor(server), { url })).rejects.toMatchObject({
      code: 'web/private-address',
      message: `other.example (127.0.0.1) is not on the public internet, so nothing was sent to it. Only the user can allow this host, with "other.example:${server.port}" in the setting web.allowPrivate. Ask the user if you need it.`,
    });
    expect(server.requests).toHaveLength(0);
  });

  test('for a name that changes its address (DNS rebinding): the checked address is the one that is connected to', async () => {
    await using server = await startWebServer({ '/a': redirected('/b'), '/b': 'secret' });
    const answers = ['127.0.0.1', '169.254.169.254'];
    const resolve = async (): Promise<{ address: string; family: number }[]> => [
      { address: answers.shift() ?? '', family: 4 },
    ];
    const tool = createFetchTool({ now, allowPrivate: ['one.example'], resolve });
    await expect(callTool(tool, { url: server.at('/a', 'one.example') })).rejects.toMatchObject({
      code: 'web/private-address',
      message: expect.stringContaining('one.example (169.254.169.254)'),
    });
    // One look-up for each connection: no second look-up could give another address to a socket.
    expect(answers).toEqual([]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/a']);
  });

  test('for an allowed host with an address of the metadata service', async () => {
    const tool = createFetchTool({
      now,
      allowPrivate: ['one.example', '169.254.169.254'],
      resolve: resolverOf({ 'one.example': ['169.254.169.254', 'fe80::1', '0.0.0.0'] }),
    });
    for (const url of ['http://one.example/', 'http://169.254.169.254/'])
      await expect(callTool(tool, { url })).rejects.toMatchObject({
        code: 'web/private-address',
        message: expect.stringContaining('Such an address can never be fetched.'),
      });
  });

  test('for a host that is allowed on another port', async () => {
    await using server = await startWebServer({ '/': 'one' });
    await using other = await startWebServer({ '/': 'two' });
    const tool = createFetchTool({ now, allowPrivate: [`127.0.0.1:${server.port}`] });
    await expect(callTool(tool, { url: other.at('/') })).rejects.toMatchObject({ code: 'web/private-address' });
    expect((await callTool(tool, { url: server.at('/') })).text).toContain('one');
    expect(other.requests).toHaveLength(0);
  });

  test('but leaves out only the private addresses of a name that also has others', async () => {
    await using server = await startWebServer({ '/': 'hello' });
    const tool = createFetchTool({
      now,
      allowPrivate: ['one.example'],
      resolve: resolverOf({ 'one.example': ['169.254.169.254', '127.0.0.1'] }),
    });
    expect((await callTool(tool, { url: server.at('/', 'one.example') })).text).toContain('hello');
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with status %d on the same host is followed', async (status) => {
    await using server = await startWebServer({ '/a': redirected('/b', status), '/b': sent('text/plain', 'arrived') });
    const { text } = await callTool(fetchFor(server), { url: server.at('/a') });
    expect(text).toContain(`[untrusted content of ${server.at('/b')};`);
    expect(text).toContain('arrived');
  });

  test('to another host is returned and not followed, even if the host is allowed', async () => {
    await using server = await startWebServer({
      '/a': (request, response) => {
        response.writeHead(302, { location: server.at('/b', 'two.example') }).end();
        expect(request.headers.host).toBe(`one.example:${server.port}`);
      },
    });
    const url = server.at('/a', 'one.example');
    const { text, output } = await callTool(fetchFor(server), { url });
    expect(text).toBe(
      `[${url} redirects with status 302 to an address on another host, which was not fetched: ${server.at('/b', 'two.example')}. If you need it, call fetch with this address.]`,
    );
    expect(output.failed).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test('to another port of the same name is checked like a first address', async () => {
    await using server = await startWebServer({ '/': 'one' });
    await using other = await startWebServer({ '/': 'two' });
    await using first = await startWebServer({ '/': redirected(other.at('/')) });
    const tool = createFetchTool({ now, allowPrivate: [`127.0.0.1:${first.port}`, `127.0.0.1:${server.port}`] });
    await expect(callTool(tool, { url: first.at('/') })).rejects.toMatchObject({ code: 'web/private-address' });
    expect(other.requests).toHaveLength(0);
  });

  test.each([
    ['file:///etc/passwd', 'only http and https'],
    ['http://user:word@127.0.0.1/', 'a user name or a password'],
    ['http://', 'not a complete URL'],
  ])('to %s is refused', async (location, words) => {
    await using server = await startWebServer({ '/': redirected(location) });
    await expect(callTool(fetchFor(server), { url: server.at('/') })).rejects.toMatchObject({
      code: 'web/bad-address',
      message: expect.stringMatching(new RegExp(`redirects to an address that cannot be fetched.*${words}`)),
    });
  });

  test('in a circle ends after five times', async () => {
    await using server = await startWebServer({ '/': redirected('/') });
    await expect(callTool(fetchFor(server), { url: server.at('/') })).rejects.toMatchObject({
      message: expect.stringContaining('redirected more than 5 times'),
    });
    expect(server.requests).toHaveLength(6);
  });
});

describe('a request', () => {
  test('contains no cookie, no credentials and no referrer, also after a server set a cookie', async () => {
    await using server = await startWebServer({
      '/a': (_request, response) => void response.writeHead(302, { location: '/b', 'set-cookie': 'a=1' }).end(),
      '/b': sent('text/plain', 'x', { 'set-cookie': 'b=2' }),
    });
    const tool = fetchFor(server);
    await callTool(tool, { url: server.at('/a') });
    await callTool(tool, { url: server.at('/b') });
    expect(server.requests.map(({ headers }) => Object.keys(headers).toSorted())).toEqual(
      server.requests.map(() => ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']),
    );
  });

  test('uses no proxy of the environment, which would look up names itself', async () => {
    await using server = await startWebServer({ '/': sent('text/plain', 'from the server') });
    await using proxy = await startWebServer({});
    const address = proxy.at('');
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, no_proxy: '' };
    const program = join(import.meta.dirname, '../../tests/fetch-once.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, server.at('/')], { env });
    expect(stdout).toContain('from the server');
    expect(proxy.requests).toEqual([]);
  });

  test('ends when the call is interrupted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await startWebServer({ '/': () => resolve() });
    const interrupt = new AbortController();
    const call = callTool(fetchFor(server), { url: server.at('/') }, { signal: interrupt.signal });
    await promise;
    interrupt.abort(new Error('interrupted by the user'));
    await expect(call).rejects.toThrow(/interrupted by the user|aborted/);
  });

  test('ends when the time is over, also while a server sends slowly', async () => {
    await using server = await startWebServer({
      '/silent': () => undefined,
      '/slow': (_request, response) => void response.writeHead(200).write('a'),
    });
    const tool = fetchFor(server, { time: 300 });
    for (const path of ['/silent', '/slow'])
      await expect(callTool(tool, { url: server.at(path) })).rejects.toMatchObject({
        code: 'web/timeout',
        message: expect.stringContaining('within 0.3 seconds'),
      });
  });
});
