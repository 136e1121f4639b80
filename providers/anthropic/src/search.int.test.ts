// Tests the search of the web by Anthropic's own tool, against a server on this machine.

import type { ProviderSearchAnswer } from '@tidemark/model';
import type { Served } from '@tidemark/provider-wire/contract';
import { serve } from '@tidemark/provider-wire/contract';
import { afterEach, expect, test } from 'vitest';
import { createAnthropicProvider } from './socket/provider.ts';

let server: Served | undefined;
afterEach(() => server?.close());

const RESULTS = [
  {
    type: 'web_search_result',
    title: 'Node 24',
    url: 'https://nodejs.example/24',
    page_age: 'May 6, 2026',
    encrypted_content: 'x',
  },
  { type: 'web_search_result', title: 'Other', url: 'https://other.example/', page_age: null, encrypted_content: 'y' },
];
const CITATION = {
  type: 'web_search_result_location',
  url: 'https://nodejs.example/24',
  title: 'Node 24',
  cited_text: 'Node 24 is LTS',
  encrypted_index: 'z',
};
const FOUND = [
  { type: 'text', text: 'I search.' },
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'node lts' } },
  { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: RESULTS },
  { type: 'text', text: ' Node 24 is LTS.', citations: [CITATION] },
];

/** Serves this content as a whole message, and returns the body of the request. */
async function search(content: readonly object[], requests = 1): Promise<ProviderSearchAnswer | undefined> {
  const usage = { input_tokens: 900, output_tokens: 40, server_tool_use: { web_search_requests: requests } };
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    stop_reason: 'end_turn',
    usage,
  };
  server = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(message));
  });
  const provider = createAnthropicProvider({ apiKey: 'sk-ant-test', baseURL: server.baseURL });
  return provider.searchWeb?.({ model: 'claude-sonnet-4-5', query: 'node lts', count: 5 });
}

test('a search returns the pages with the cited words, the text, and the counts of the bill', async () => {
  expect(await search(FOUND)).toEqual({
    text: 'I search. Node 24 is LTS.',
    pages: [
      { title: 'Node 24', url: 'https://nodejs.example/24', snippet: 'Node 24 is LTS', date: 'May 6, 2026' },
      { title: 'Other', url: 'https://other.example/' },
    ],
    searches: 1,
    fee: '0.01',
    model: 'claude-sonnet-4-5',
    usage: { fresh: 900, answer: 40 },
  });
});

test('the request contains only the words of the search and the tool of the provider', async () => {
  await search(FOUND);
  const body: unknown = JSON.parse(String(server?.arrivals[0]?.body));
  expect(body).toMatchObject({
    model: 'claude-sonnet-4-5',
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }],
    messages: [{ role: 'user', content: expect.stringContaining('node lts') }],
  });
});

test('a search that failed on the side of the provider is an error', async () => {
  const failure = { type: 'web_search_tool_result_error', error_code: 'too_many_requests' };
  const content = [{ type: 'web_search_tool_result', tool_use_id: 'srv_1', content: failure }];
  await expect(search(content)).rejects.toMatchObject({
    code: 'provider/server',
    message: expect.stringContaining('too_many_requests'),
  });
});

test('an answer without a search has no pages and no searches', async () => {
  expect(await search([{ type: 'text', text: 'I know it.' }], 0)).toMatchObject({
    text: 'I know it.',
    pages: [],
    searches: 0,
  });
});
