// Tests the routes that read a session without changing it: forecasts, processes, whole outputs, explanations, checks.

import { defineTool } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openTestServer } from './test-server.ts';

const LONG = Array.from({ length: 20_000 }, (_line, index) => `line ${index} <script>alert(1)</script>`).join('\n');
const list = defineTool({
  name: 'list',
  description: 'Lists much.',
  effect: 'read',
  input: z.object({}),
  run: () => LONG,
});
const ANSWERS: readonly ScriptedAnswer[] = [
  { parts: [{ type: 'call', call: callId('c1'), name: 'list', arguments: '{}' }] },
  { parts: [{ type: 'text', text: 'Listed.' }] },
];

let place: Awaited<ReturnType<typeof openTestServer>>;
let session: string;

beforeAll(async () => {
  place = await openTestServer({ answers: ANSWERS, agent: { tools: [list] } });
  ({ session } = (await place.send('POST', '/sessions', {})).body);
  await place.send('POST', `/sessions/${session}/prompt`, { text: 'List it.' });
  await place.until(session, ({ event, data }) => event === 'record' && data.kind === 'turn.ended');
});

afterAll(() => place[Symbol.asyncDispose]());

const read = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${place.server.url}/sessions/${session}${path}`, {
    headers: { authorization: `Bearer ${place.token}`, ...headers },
  });

test('the whole output of a call is sent as text that a browser does not run', async () => {
  const answer = await read('/calls/c1/output');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe(LONG);
});

test.each([
  ['bytes=5-9', 206, LONG.slice(5, 10), `bytes 5-9/${LONG.length}`],
  ['bytes=-4', 206, LONG.slice(-4), `bytes ${LONG.length - 4}-${LONG.length - 1}/${LONG.length}`],
  [`bytes=${LONG.length - 2}-`, 206, LONG.slice(-2), `bytes ${LONG.length - 2}-${LONG.length - 1}/${LONG.length}`],
  [`bytes=${LONG.length}-`, 416, '', `bytes */${LONG.length}`],
  ['bytes=9-5', 200, LONG, null],
  ['lines=1-2', 200, LONG, null],
])('the range %s is answered with %i', async (range, status, text, contentRange) => {
  const answer = await read('/calls/c1/output', { range });
  expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
  expect(await answer.text()).toBe(text);
});

test('an artifact is sent only to a client that asks for it through a session that names it', async () => {
  const { records } = (await place.send('GET', `/sessions/${session}/records?limit=1000`)).body;
  const { output } = records.find(({ kind }: { readonly kind: string }) => kind === 'tool.returned').data;
  expect(await (await read(`/artifacts/${output}`)).text()).toBe(LONG);
  const other = (await place.send('POST', '/sessions', {})).body.session;
  expect(await place.send('GET', `/sessions/${other}/artifacts/${output}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'server/no-such-output' } },
  });
  expect((await read('/artifacts/..%2f..%2fserver-token')).status).toBe(400);
  expect((await read('/calls/none/output')).status).toBe(404);
});

test('a forecast has the size of the next call, and grows with the words of a prompt', async () => {
  const small = await place.send('GET', `/sessions/${session}/forecast`);
  expect(small).toMatchObject({ status: 200, body: { model: 'claude-sonnet-5-5', tokens: {}, gauge: {} } });
  const large = await place.send('POST', `/sessions/${session}/forecast`, { text: 'word '.repeat(10_000) });
  const total = (tokens: Readonly<Record<string, number>>): number =>
    Object.values(tokens).reduce((sum, count) => sum + count, 0);
  expect(total(large.body.tokens)).toBeGreaterThan(total(small.body.tokens) + 5_000);
  expect((await place.send('POST', `/sessions/${session}/forecast`, { text: '', effort: 3 })).status).toBe(400);
});

test('every request of a session is rebuilt with the same bytes, and a step is explained', async () => {
  expect((await place.send('GET', `/sessions/${session}/verify`)).body).toMatchObject({
    ok: true,
    requests: 2,
    differences: [],
  });
  expect((await place.send('GET', `/sessions/${session}/why?step=1`)).body).toMatchObject({
    requests: 2,
    explained: [{ step: 1, stream: 'main' }],
  });
  expect(await place.send('GET', `/sessions/${session}/why?step=9`)).toMatchObject({
    status: 404,
    body: { error: { code: 'server/no-such-step' } },
  });
});

test('a session without background processes has an empty list, and an unknown process is refused', async () => {
  expect((await place.send('GET', `/sessions/${session}/processes`)).body).toEqual({ processes: [] });
  expect(await place.send('GET', `/sessions/${session}/processes/p1/output`)).toMatchObject({
    status: 404,
    body: { error: { code: 'server/no-such-process' } },
  });
  expect((await place.send('POST', `/sessions/${session}/processes/p1/stop`)).status).toBe(404);
});
