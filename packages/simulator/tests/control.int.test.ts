// Tests for the routes below `/__tidemark/`, and for requests that no endpoint receives.

import { afterEach, expect, test } from 'vitest';
import type { ListeningSimulator, RejectedRequest, Simulator, SimulatorOptions } from '../src/index.ts';
import { bodyOf, simulate } from './conversation.ts';

const open: ListeningSimulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(options: SimulatorOptions = {}): Promise<{ simulator: Simulator; url: string }> {
  const simulator = simulate(options);
  const server = await simulator.listen();
  open.push(server);
  return { simulator, url: server.url };
}

function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const own = { 'x-api-key': 'test', 'anthropic-version': '2023-06-01', ...headers };
  return fetch(`${url}/v1/messages`, { method: 'POST', headers: own, body: bodyOf({}) });
}

test('a route matches the header of a request over HTTP', async () => {
  const routes = [{ name: 'red', match: { header: { 'x-team': 'red' } }, steps: [{ answer: { text: 'red' } }] }];
  const { url } = await start({ scenario: { routes } });
  expect((await ask(url)).status).toBe(400);
  expect((await ask(url, { 'X-Team': 'red' })).status).toBe(200);
});

test('`GET /__tidemark/requests` lists the calls, and `POST /__tidemark/reset` starts again', async () => {
  const { simulator, url } = await start({ scenario: { steps: [{ answer: { text: 'one' } }] } });
  await ask(url);
  await fetch(`${url}/v1/embeddings`, { method: 'POST' });
  const listed: unknown = await (await fetch(`${url}/__tidemark/requests`)).json();
  expect(listed).toMatchObject({
    requests: [{ wire: 'anthropic', endpoint: 'messages', step: 1, status: 200, usage: { output_tokens: 1 } }],
    rejected: [{ path: '/v1/embeddings', status: 404 }],
  });
  const report = await fetch(`${url}/__tidemark/report`);
  expect(await report.json()).toMatchObject({ calls: 1, unplayed: [] });
  expect((await fetch(`${url}/__tidemark/reset`, { method: 'POST' })).status).toBe(200);
  expect([simulator.calls, simulator.stepsLeft]).toEqual([[], 1]);
  expect((await ask(url)).status).toBe(200);
});

test('the routes below `/__tidemark/` refuse a page of another origin, and a GET resets nothing', async () => {
  const { simulator, url } = await start();
  await ask(url);
  const origin = { origin: 'https://example.com' };
  expect((await fetch(`${url}/__tidemark/reset`, { method: 'POST', headers: origin })).status).toBe(403);
  expect((await fetch(`${url}/__tidemark/requests`, { headers: origin })).status).toBe(403);
  expect((await fetch(`${url}/__tidemark/reset`)).status).toBe(404);
  expect(simulator.calls).toHaveLength(1);
});

test('`onRejected`, `report` and `check` name each request that no endpoint received', async () => {
  const heard: RejectedRequest[] = [];
  const { simulator, url } = await start({ onRejected: (rejected) => void heard.push(rejected) });
  await fetch(`${url}/v1/embeddings`, { method: 'POST' });
  await fetch(`${url}/v1/messages`, { method: 'POST', body: bodyOf({}) });
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  await fetch(`${url}/v1/models/none`, { headers: { authorization: 'Bearer any' } });
  await ask(url, { 'x-tidemark-at': '5' });
  await ask(url, { 'x-tidemark-at': '4' });
  await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'x-tidemark-at': '3' },
    body: '{}',
  });
  expect(heard.map(({ path, status }) => [path, status])).toEqual([
    ['/v1/embeddings', 404],
    ['/v1/messages', 401],
    ['/v1/chat/completions', 401],
    ['/v1/models/none', 404],
    ['/v1/messages', 400],
    ['/v1/chat/completions', 400],
  ]);
  expect(simulator.report().rejected).toEqual(heard);
  expect(simulator.check()[0]).toMatch(/^a request was refused: \/v1\/embeddings 404: no route/);
});
