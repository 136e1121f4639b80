// Tests the definitions of the web tools and their errors.

import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { createBraveSearch } from './search/brave-search.ts';
import { WEB_ERRORS } from './web-error.ts';
import { webTools } from './web-tools.ts';

const now = (): string => '2026-11-23T12:00:00Z';

test('the definitions are pinned, because a change costs every user one cache miss', () => {
  const tools = webTools({ now, search: createBraveSearch() });
  const digests = tools.map(({ name, description, schema }) => [
    name,
    createHash('sha256').update(JSON.stringify({ name, description, schema })).digest('hex').slice(0, 12),
  ]);
  expect(digests).toMatchInlineSnapshot(`
    [
      [
        "fetch",
        "6a5795cd2f77",
      ],
      [
        "web_search",
        "0d9d2a61381b",
      ],
    ]
  `);
});

test('`web_search` exists only with a service, and `fetch` can be left out', () => {
  expect(webTools({ now }).map(({ name }) => name)).toEqual(['fetch']);
  expect(webTools({ now, fetch: false })).toEqual([]);
  expect(webTools({ now, fetch: false, search: createBraveSearch() }).map(({ name }) => name)).toEqual(['web_search']);
});

test('both tools have the effect class `network`, report hosts, and join an existing session at its next epoch', async () => {
  for (const tool of webTools({ now, search: createBraveSearch() }))
    expect(tool).toMatchObject({ effect: 'network', effectKinds: ['hosts'], joins: 'next-epoch' });
  const [fetch, search] = webTools({ now, search: createBraveSearch({ baseURL: 'https://search.corp.example/v1' }) });
  expect(await fetch?.read({ url: 'https://Docs.Example.org:8443/a#b' })).toMatchObject({
    title: 'fetch https://docs.example.org:8443/a',
    confined: false,
    effects: { hosts: ['docs.example.org'] },
  });
  expect(await search?.read({ query: 'a b' })).toMatchObject({ effects: { hosts: ['search.corp.example'] } });
});

test('wrong arguments are reported together with the valid ones', async () => {
  const [fetch] = webTools({ now });
  expect(await fetch?.read({ uri: 'x' })).toMatchObject({
    problem: expect.stringMatching(/`url` is missing.*The arguments are url, from, raw\.$/),
  });
  expect(await fetch?.read({ url: 'file:///etc/passwd' })).toMatchObject({
    problem: expect.stringContaining('only http and https can be fetched'),
  });
});

test('`WEB_ERRORS` contains every error code with its sort', () =>
  expect(WEB_ERRORS).toEqual({
    'web/bad-address': 'refused',
    'web/private-address': 'refused',
    'web/unreachable': 'retryable',
    'web/timeout': 'retryable',
    'web/not-text': 'refused',
    'web/unreadable': 'refused',
    'web/past-the-end': 'refused',
    'web/secret': 'refused',
    'web/no-key': 'refused',
    'web/search-refused': 'refused',
    'web/search-failed': 'retryable',
  }));
