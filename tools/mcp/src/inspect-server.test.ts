// Tests what an inspection of a server reports.

import { expect, onTestFinished, test } from 'vitest';

import { startMadeServer } from '../contract/made-server.ts';
import { deferredServers } from './deferral.ts';
import { inspectServer } from './inspect-server.ts';

test('a second tool of one name is reported as not used, as a session uses the first one', async () => {
  const server = await startMadeServer({ tools: [{ name: 'look' }, { name: 'look' }, { name: 'see' }] });
  onTestFinished(() => server.stop());
  const { tools } = await inspectServer('shop', { url: server.url }, { signal: new AbortController().signal });
  expect(tools.map(({ definition, problem }) => [definition.name, problem])).toEqual([
    ['shop__look', undefined],
    ['shop__look', 'an earlier tool of the server has the same name, and is used'],
    ['shop__see', undefined],
  ]);
});

test('`deferredServers` defers the largest servers, until the others fit into the budget', () => {
  const listing = (server: string, length: number): Parameters<typeof deferredServers>[1][number] => ({
    server,
    definitions: [{ name: `${server}__a`, description: 'x'.repeat(length), schema: { type: 'object' } }],
  });
  const all = [listing('large', 4_000), listing('small', 40), listing('middle', 400)];
  expect(deferredServers(10_000, all)).toEqual([]);
  expect(deferredServers(500, all)).toEqual(['large']);
  expect(deferredServers(10, all)).toEqual(['large', 'middle', 'small']);
  expect(deferredServers(10, [{ server: 'gone', definitions: undefined }])).toEqual([]);
});
