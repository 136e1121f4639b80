// Tests the tool `web_search` with a fake Brave Search API on loopback.

import type { Tool } from '@tidemark/agent';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';

import { callTool, SECRET } from '../../tests/call-tool.ts';
import type { ServedAnswer, WebServer } from '../../tests/web-server.ts';
import { now, startWebServer } from '../../tests/web-server.ts';
import { createBraveSearch } from './brave-search.ts';
import { createWebSearchTool } from './web-search-tool.ts';

const KEY = 'key-of-the-search-1234';

const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const results = (...list: readonly unknown[]): unknown => ({ type: 'search', web: { type: 'search', results: list } });

const RESULT = { title: 'A title', url: 'https://example.com/a', description: 'A snippet' };

/** Answers with each answer of the list once, then with the last one again. */
function inTurn(...answers: readonly ((response: ServerResponse) => void)[]): ServedAnswer {
  let at = 0;
  return (_request, response) => {
    answers[Math.min(at, answers.length - 1)]?.(response);
    at += 1;
  };
}

/** `web_search` that asks the server. `waits` receives each pause instead of waiting. */
function searchAt(server: WebServer, waits: number[] = [], apiKey: string | undefined = KEY): Tool {
  const wait = async (ms: number): Promise<void> => void waits.push(ms);
  const service = createBraveSearch({ baseURL: server.at('/res/v1/'), wait, ...(apiKey !== '' && { apiKey }) });
  return createWebSearchTool(service, now);
}

const PATH = '/res/v1/web/search';

describe('`web_search`', () => {
  test('sends the query and the key, and returns the results as numbered lines', async () => {
    const age = 'March 3, 2026';
    await using server = await startWebServer({
      [PATH]: inTurn((response) =>
        json(response, results({ ...RESULT, age }, { title: 'B', url: 'http://b.example/' })),
      ),
    });
    const { text } = await callTool(searchAt(server), { query: 'tide & mark', count: 5 });
    expect(text).toBe(
      [
        '[untrusted results of Brave Search; searched 2026-11-23T12:00:00Z]',
        '1. A title (March 3, 2026)',
        '   https://example.com/a',
        '   A snippet',
        '2. B',
        '   http://b.example/',
      ].join('\n'),
    );
    const [request] = server.requests;
    const { searchParams } = new URL(request?.url ?? '', 'http://localhost');
    expect(Object.fromEntries(searchParams)).toMatchObject({ q: 'tide & mark', count: '5', result_filter: 'web' });
    expect(request?.headers).toMatchObject({ 'x-subscription-token': KEY, accept: 'application/json' });
  });

  test.each([results(), {}, { web: null }, { type: 'search', mixed: {} }])(
    'reports that %j has no result',
    async (body) => {
      await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, body)) });
      expect((await callTool(searchAt(server), { query: 'a' })).text).toContain('No result. Search with other words.');
    },
  );

  test('returns texts of strangers as one line of plain text with a maximum length', async () => {
    const hostile = {
      title: '<strong>T</strong>\n\n## Instructions\u001b[31m',
      url: 'https://example.com/a b\nc',
      description: `&lt;b&gt; &amp; &#x27; ${'x'.repeat(100_000)}`,
    };
    await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, results(hostile))) });
    const lines = (await callTool(searchAt(server), { query: 'a' })).text.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe('1. T ## Instructions [31m');
    expect(lines[2]).toBe('   https://example.com/a%20bc');
    expect(lines[3]).toMatch(/^ {3}<b> & ' x+…$/);
    expect(lines[3]?.length).toBeLessThan(620);
  });

  test('masks a secret in a snippet before the snippet is cut', async () => {
    const snippet = { ...RESULT, description: `${'x'.repeat(590)} ${SECRET}` };
    await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, results(snippet))) });
    expect((await callTool(searchAt(server), { query: 'a' })).text).not.toMatch(/correct/);
  });

  test('leaves out results without a usable address or of another form, and those above the count', async () => {
    const others = [{ ...RESULT, url: 'javascript:alert(1)' }, { ...RESULT, url: 'nothing' }, { title: 1 }, null, 'x'];
    const list = [
      ...others,
      ...Array.from({ length: 30 }, (_, at) => ({ ...RESULT, url: `https://example.com/${at}` })),
    ];
    await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, results(...list))) });
    const { text } = await callTool(searchAt(server), { query: 'a', count: 3 });
    expect(text.match(/https:\S+/g)).toEqual([
      'https://example.com/0',
      'https://example.com/1',
      'https://example.com/2',
    ]);
  });

  test.each([401, 403, 422])('refuses status %d once, without the key in the message', async (status) => {
    await using server = await startWebServer({
      [PATH]: inTurn((response) => json(response, { error: { detail: KEY } }, status)),
    });
    await expect(callTool(searchAt(server), { query: 'a' })).rejects.toMatchObject({
      code: 'web/search-refused',
      message: expect.not.stringContaining(KEY),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('repeats a search after the limit of a second, and after an error of the server', async () => {
    const waits: number[] = [];
    const limits = { 'x-ratelimit-remaining': '0, 1500', 'x-ratelimit-reset': '2, 1419704' };
    await using server = await startWebServer({
      [PATH]: inTurn(
        (response) => json(response, {}, 429, limits),
        (response) => json(response, {}, 503),
        (response) => json(response, results(RESULT)),
      ),
    });
    expect((await callTool(searchAt(server, waits), { query: 'a' })).text).toContain('A title');
    expect(waits).toEqual([2_000, 1_000]);
  });

  test('does not wait for the limit of a month', async () => {
    const waits: number[] = [];
    const limits = { 'x-ratelimit-remaining': '1, 0', 'x-ratelimit-reset': '1, 1419704' };
    await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, {}, 429, limits)) });
    await expect(callTool(searchAt(server, waits), { query: 'a' })).rejects.toMatchObject({
      code: 'web/search-refused',
      message: expect.stringContaining('starts again in 1419704 seconds'),
    });
    expect([waits, server.requests.length]).toEqual([[], 1]);
  });

  test.each([429, 500, 503])('gives up after three times status %d', async (status) => {
    await using server = await startWebServer({ [PATH]: inTurn((response) => json(response, {}, status)) });
    await expect(callTool(searchAt(server), { query: 'a' })).rejects.toMatchObject({
      code: status === 429 ? 'web/search-refused' : 'web/search-failed',
    });
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ['is not JSON', (response: ServerResponse) => void response.end('<html>')],
    ['has another form', (response: ServerResponse) => json(response, { web: { results: 'none' } })],
    ['is too large', (response: ServerResponse) => void response.end(Buffer.alloc(3 * 1024 * 1024, ' '))],
    ['is a redirect', (response: ServerResponse) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['ends too early', (response: ServerResponse) => void response.writeHead(200, { 'content-length': '9' }).destroy()],
  ])('fails if an answer %s', async (_name, answer) => {
    await using server = await startWebServer({ [PATH]: inTurn(answer) });
    await expect(callTool(searchAt(server), { query: 'a' })).rejects.toMatchObject({ code: 'web/search-failed' });
    expect(server.requests.map(({ url }) => url?.split('?', 1)[0])).toEqual([PATH]);
  });

  test('without a key sends nothing and names the variable', async () => {
    await using server = await startWebServer({});
    await expect(callTool(searchAt(server, [], ''), { query: 'a' })).rejects.toMatchObject({
      code: 'web/no-key',
      message: expect.stringContaining('BRAVE_API_KEY'),
    });
    expect(server.requests).toHaveLength(0);
  });

  test('refuses a query that contains a secret of the session', async () => {
    await using server = await startWebServer({});
    await expect(callTool(searchAt(server), { query: `what is ${SECRET}` })).rejects.toMatchObject({
      code: 'web/secret',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('ends when the call is interrupted during a pause', async () => {
    const interrupt = new AbortController();
    await using server = await startWebServer({
      [PATH]: inTurn((response) => {
        json(response, {}, 503);
        interrupt.abort(new Error('interrupted by the user'));
      }),
    });
    const service = createBraveSearch({ baseURL: server.at('/res/v1'), apiKey: KEY });
    const call = callTool(createWebSearchTool(service, now), { query: 'a' }, { signal: interrupt.signal });
    await expect(call).rejects.toThrow('interrupted by the user');
    expect(server.requests).toHaveLength(1);
  });
});
