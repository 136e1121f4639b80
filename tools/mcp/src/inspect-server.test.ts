// Tests what an inspection of a server reports.

import { expect, onTestFinished, test } from 'vitest';

import { startMadeServer } from '../contract/made-server.ts';
import { deferredServers } from './deferral.ts';
import { inspectServer } from './inspect-server.ts';
import { shownInstructions } from './shown-instructions.ts';

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

test('long instructions are cut, and the text says so', async () => {
  const instructions = `${'x'.repeat(15_999)}\u{1F600}${'y'.repeat(1_000)}`;
  const server = await startMadeServer({ tools: [], instructions });
  onTestFinished(() => server.stop());
  const inspected = await inspectServer('shop', { url: server.url }, { signal: new AbortController().signal });
  expect(inspected.instructions).toBe(
    `${'x'.repeat(15_999)}\n[The instructions of this server are cut here: 1002 of 17001 characters are not shown.]`,
  );
  expect(shownInstructions('short')).toBe('short');
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
