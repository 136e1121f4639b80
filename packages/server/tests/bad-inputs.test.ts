// Tests that each route of the OpenAPI document refuses bad inputs with a code, a message and a next step, and that a
// refused request changes nothing.

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestServer } from './test-server.ts';

const ANSWERS: readonly ScriptedAnswer[] = [{ parts: [{ type: 'text', text: 'Hello.' }] }];
const BODIES: readonly (readonly [string, string])[] = [
  ['an empty body', ''],
  ['a body that is not JSON', '{"text":'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
  ['a text', '"hello"'],
  ['an unknown field', '{"text":"x","banana":1}'],
  ['a field `__proto__`', '{"__proto__":{"text":"x"},"constructor":1}'],
  [
    'fields of wrong types',
    '{"text":7,"mode":7,"model":{},"effort":[],"agent":7,"beforePrompt":"x","at":"x","decision":7,"dryRun":7,"code":7,"title":7}',
  ],
  ['huge numbers', '{"beforePrompt":1e308,"at":1e308,"tailTokens":1e308,"text":"x","expected":1e308,"huge":1e308}'],
];
/** Ids that no session of the server has. */
const IDS = ['no-such-session', '__proto__', 'constructor', '..%2f..%2fetc', '%00', 'a'.repeat(200), '%e0%a4%a'];

let place: Awaited<ReturnType<typeof openTestServer>>;
let session: string;
let routes: readonly { readonly method: string; readonly path: string; readonly body: boolean }[];

beforeAll(async () => {
  place = await openTestServer({ answers: ANSWERS });
  ({ session } = (await place.send('POST', '/sessions', {})).body);
  await place.send('POST', `/sessions/${session}/prompt`, { text: 'Hello.' });
  await place.until(session, ({ event, data }) => event === 'record' && data.kind === 'turn.ended');
  const { paths } = (await place.send('GET', '/openapi.json')).body;
  routes = Object.entries<Readonly<Record<string, object>>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({
      method: method.toUpperCase(),
      path,
      body: 'requestBody' in route,
    })),
  );
});

afterAll(() => place[Symbol.asyncDispose]());

const at = (path: string, id: string): string => path.replace('{session}', id).replaceAll(/\{\w+\}/g, 'x'.repeat(8));

async function request(
  method: string,
  path: string,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<void> {
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${place.server.url}${path}`, { method, headers, ...init });
  const text = await answer.text();
  const what = `${method} ${path} ${init.body ?? ''}: ${answer.status} ${text}`;
  expect(answer.status, what).toBeGreaterThanOrEqual(400);
  expect(answer.status, what).toBeLessThan(500);
  const { ok, error } = JSON.parse(text);
  expect(ok, what).toBe(false);
  expect(error, what).toEqual({
    code: expect.stringMatching(/^[a-z]+\/[a-z-]+$/),
    message: expect.stringMatching(/./),
    next: expect.any(String),
  });
}

async function stateOfServer(): Promise<unknown> {
  const { total } = (await place.send('GET', '/sessions')).body;
  const { length, mode, model, drafts } = (await place.send('GET', `/sessions/${session}`)).body;
  return { total, length, mode, model, drafts };
}

test.each(BODIES)('each route refuses %s, and nothing changes', async (_name, body) => {
  const before = await stateOfServer();
  const refusing = routes.filter((route) => route.body && !route.path.startsWith('/link'));
  expect(refusing.length).toBeGreaterThan(10);
  for (const { method, path } of refusing) await request(method, at(path, session), { body });
  expect(await stateOfServer()).toEqual(before);
});

test('each route with a body refuses one without the media type of JSON, and nothing changes', async () => {
  const before = await stateOfServer();
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'text/plain' };
  for (const { method, path, body } of routes)
    if (body) await request(method, at(path, session), { headers, body: '{"text":"x","mode":"auto"}' });
  expect(await stateOfServer()).toEqual(before);
});

test.each(IDS)('each route of a session refuses the id %s, and nothing changes', async (id) => {
  const before = await stateOfServer();
  for (const { method, path, body } of routes)
    if (path.includes('{session}')) await request(method, at(path, id), body ? { body: '{"text":"x"}' } : {});
  expect(await stateOfServer()).toEqual(before);
});

test('each route refuses a query with wrong types', async () => {
  for (const query of [
    'from=x',
    'from=-1',
    'from=1e400',
    'limit=0',
    'limit=1e9',
    'limit=x',
    'step=x',
    'beforePrompt=x',
  ])
    for (const path of ['records', 'rewind', 'why']) {
      const [name = ''] = query.split('=');
      const known = { records: ['from', 'limit'], rewind: ['beforePrompt'], why: ['step'] }[path] ?? [];
      if (known.includes(name)) await request('GET', `/sessions/${session}/${path}?${query}`);
    }
});
