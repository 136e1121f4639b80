// Tests the search by a provider: results, the bill, and failures.

import type { Capabilities, ProviderSearchAnswer } from '@tidemark/model';
import { defaultCatalog, findModel, ProviderError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { createProviderSearch } from './provider-search.ts';
import type { WebSearchAnswer } from './web-search.ts';

function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) throw new Error(model);
  return row;
}

const ANSWER: ProviderSearchAnswer = {
  text: 'Node 24 is LTS.',
  pages: [{ title: 'Node', url: 'https://nodejs.example/', date: 'May 6', snippet: 'LTS' }],
  searches: 2,
  fee: '0.01',
  model: 'claude-sonnet-4-5',
  usage: { fresh: 1_000, read: 0, writes: [], answer: 100, reasoning: 0 },
};

async function search(answer: () => Promise<ProviderSearchAnswer>, signal?: AbortSignal): Promise<WebSearchAnswer> {
  const service = createProviderSearch({
    provider: { name: 'anthropic', searchWeb: answer },
    capabilities: rowOf('claude-sonnet-4-5'),
    now: () => '2026-11-23T12:00:00.000Z',
  });
  return service.search({ query: 'node', count: 5, signal: signal ?? new AbortController().signal });
}

test('the bill contains the tokens at the prices of the model, and the fee of each search', async () => {
  const { charge, ...found } = await search(async () => ANSWER);
  expect(found).toEqual({
    text: 'Node 24 is LTS.',
    results: [{ title: 'Node', url: 'https://nodejs.example/', snippet: 'LTS', date: 'May 6' }],
  });
  // 1,000 × $3 and 100 × $15 per million tokens, and two searches of a cent.
  expect(charge).toMatchObject({ service: 'anthropic', requests: 1, model: 'claude-sonnet-4-5', cost: '0.0245' });
});

test('the cost of a search without counts is unknown', async () => {
  const { charge } = await search(async () => ({ ...ANSWER, usage: {} }));
  expect(charge).not.toHaveProperty('cost');
});

test('a failure of the provider is an error for the model, without the next step of a person', async () => {
  const data = { provider: 'anthropic', next: 'check the API key' };
  const failing = search(async () => {
    throw new ProviderError('stop', 'provider/authentication', 'Anthropic refused the request', data);
  });
  await expect(failing).rejects.toMatchObject({
    code: 'web/search-failed',
    message: 'Anthropic refused the request. Search again later, or continue without a search.',
  });
});

test('an interrupt is no failure of the provider', async () => {
  const controller = new AbortController();
  const ended = search(async () => {
    controller.abort();
    throw new ProviderError('stop', 'provider/aborted', 'aborted', { provider: 'anthropic' });
  }, controller.signal);
  await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
});
