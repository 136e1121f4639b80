// Tests the data of requests in the page: columns become requests and blocks, and what was read is kept.

import { createSessionClient } from '@tidemark/client';
import { afterEach, expect, test, vi } from 'vitest';
import { blocksOf, createRequestStore, groupsOf, placesOf } from '../page/request-data.ts';

afterEach(() => vi.unstubAllGlobals());

test('`placesOf` adds up the distances and names the streams', () => {
  expect(placesOf({ streams: ['main', 'side'], distance: [4, 5, 2], step: [0, 1, 1], stream: [0, 0, 1] })).toEqual([
    { position: 4, step: 0, stream: 'main' },
    { position: 9, step: 1, stream: 'main' },
    { position: 11, step: 1, stream: 'side' },
  ]);
});

test('`blocksOf` returns names for indexes, and the time of each record', () => {
  const blocks = {
    names: ['system', '', 'role', 'messages', 'user', 'text', 'prompt.given'],
    section: [0, 3],
    role: [1, 4],
    holds: [5, 5],
    group: [-1, 0],
    layer: [2, null],
    record: [null, 3],
    kind: [null, 6],
    age: [null, 1_500],
    bytes: [10, 20],
    tokens: [3, 5],
    begins: ['You are', 'Hello'],
  };
  expect(blocksOf({ at: '2026-11-20T10:00:02.000Z', blocks })).toEqual([
    {
      section: 'system',
      role: '',
      holds: 'text',
      group: -1,
      layer: 'role',
      record: undefined,
      kind: undefined,
      at: '',
      bytes: 10,
      tokens: 3,
      begins: 'You are',
    },
    {
      section: 'messages',
      role: 'user',
      holds: 'text',
      group: 0,
      layer: undefined,
      record: 3,
      kind: 'prompt.given',
      at: '2026-11-20T10:00:00.500Z',
      bytes: 20,
      tokens: 5,
      begins: 'Hello',
    },
  ]);
});

const blockOf = (record: number, kind: string, begins: string) => ({
  section: 'messages',
  role: 'user',
  holds: 'text',
  group: 0,
  layer: undefined,
  record,
  kind,
  at: '',
  bytes: 1,
  tokens: 10,
  begins,
});

test('`groupsOf` numbers the turns, but not after a checkpoint that replaced some of them', () => {
  const turns = [blockOf(4, 'prompt.given', 'First.'), blockOf(9, 'prompt.given', 'Second.')];
  const titles = (kind: string) => groupsOf([blockOf(2, kind, 'Note.'), ...turns]).map(({ title }) => title);
  expect(titles('context.noted')).toEqual(['Before the first prompt', 'Turn 1: First.', 'Turn 2: Second.']);
  expect(titles('history.compacted')).toEqual(['Checkpoint and kept messages', 'Prompt: First.', 'Prompt: Second.']);
});

test('the list of requests is read again only for a request that may not be the last any more', async () => {
  const lists = [
    { streams: ['main'], distance: [4, 5], step: [0, 1], stream: [0, 0] },
    { streams: ['main'], distance: [4, 5, 6], step: [0, 1, 2], stream: [0, 0, 0] },
  ];
  let asked = 0;
  vi.stubGlobal('fetch', async () => Response.json(lists[Math.min(asked++, 1)]));
  const store = createRequestStore(createSessionClient({ url: 'http://127.0.0.1:9' }), 's');
  const steps = async (position?: number) => (await store.list(position)).map(({ step }) => step);
  expect(await steps()).toEqual([0, 1]);
  expect(await steps(4)).toEqual([0, 1]);
  expect(asked).toBe(1);
  expect(await steps(9)).toEqual([0, 1, 2]);
  expect(await steps(9)).toEqual([0, 1, 2]);
  expect(asked).toBe(2);
});
