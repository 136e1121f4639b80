// Tests the search of the web by OpenAI's own tool, against a server on this machine.

import type { ProviderSearchAnswer } from '@tidemark/model';
import type { Served } from '@tidemark/provider-wire/contract';
import { serve } from '@tidemark/provider-wire/contract';
import { afterEach, expect, test } from 'vitest';
import { createOpenAIProvider } from '../provider.ts';

let server: Served | undefined;
afterEach(() => server?.close());

const SOURCES = [
  { type: 'url', url: 'https://nodejs.example/24' },
  { type: 'url', url: 'https://other.example/' },
];
const CITATION = {
  type: 'url_citation',
  url: 'https://nodejs.example/24',
  title: 'Node 24',
  start_index: 0,
  end_index: 3,
};
const FOUND = [
  { type: 'reasoning', id: 'rs_1', summary: [] },
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'node', sources: SOURCES },
  },
  {
    type: 'web_search_call',
    id: 'ws_2',
    status: 'completed',
    action: { type: 'open_page', url: 'https://other.example/' },
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Node 24 is LTS.', annotations: [CITATION, CITATION] }],
  },
];

/** Serves this output as a whole response. */
async function search(output: readonly object[]): Promise<ProviderSearchAnswer | undefined> {
  const usage = {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens: 40,
    output_tokens_details: { reasoning_tokens: 10 },
  };
  server = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'r1', object: 'response', status: 'completed', model: 'gpt-5', output, usage }));
  });
  const provider = createOpenAIProvider({ apiKey: 'sk-test', baseURL: server.baseURL, api: 'responses' });
  return provider.searchWeb?.({ model: 'gpt-5', query: 'node lts', count: 5 });
}

test('a search returns the cited pages first, the text, and the counts of the bill', async () => {
  expect(await search(FOUND)).toEqual({
    text: 'Node 24 is LTS.',
    pages: [
      { url: 'https://nodejs.example/24', title: 'Node 24' },
      { url: 'https://other.example/', title: '' },
    ],
    // Opening a page is not billed.
    searches: 1,
    fee: '0.01',
    model: 'gpt-5',
    usage: { fresh: 800, read: 100, writes: [], answer: 30, reasoning: 10 },
  });
});

test('the request contains only the words of the search and the tool of the provider, and is not stored', async () => {
  await search(FOUND);
  expect(server?.arrivals[0]?.path).toBe('/responses');
  const body: unknown = JSON.parse(String(server?.arrivals[0]?.body));
  expect(body).toMatchObject({
    model: 'gpt-5',
    tools: [{ type: 'web_search' }],
    input: expect.stringContaining('node lts'),
    store: false,
  });
});

test('only the Responses API searches', () => {
  expect(createOpenAIProvider({ apiKey: 'sk-test', api: 'chat' }).searchWeb).toBeUndefined();
});
