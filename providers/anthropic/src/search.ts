// Search of the web by Anthropic's own tool (docs, agents-and-tools/tool-use/web-search-tool): writes the request, and
// reads the pages and the text of the answer.

import { parseObject } from '@tidemark/core';
import type { FoundPage, ProviderSearch, ProviderSearchAnswer } from '@tidemark/model';
import { failedCall, searchPrompt } from '@tidemark/provider-wire';
import { z } from 'zod';
import { decodeMessage } from './decode/stream.ts';
import { ANTHROPIC } from './service.ts';

/** Price of 1,000 searches: $10. Source: the page of the tool, on 2026-11-23. Tokens are billed in addition. */
const FEE = '0.01';

/** Output limit of the call, in tokens. */
export const SEARCH_OUTPUT = 2_048;

/** Returns the body of a search. The model gets no text but the words of the search. */
export function searchBody({ model, query, count }: ProviderSearch): Uint8Array {
  const body = {
    model,
    max_tokens: SEARCH_OUTPUT,
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }],
    messages: [{ role: 'user', content: searchPrompt(query, count) }],
  };
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * Returns the pages and the text of an answer.
 *
 * @throws ProviderError `provider/malformed` for a text that is not a message, `provider/server` if the search itself
 *   failed.
 */
export function readSearchAnswer(text: string): ProviderSearchAnswer {
  const { usage, model } = decodeMessage(text);
  const message = parseObject(text);
  const blocks = CONTENT.safeParse(message).data?.content ?? [];
  const results = blocks.flatMap((block) => RESULTS.safeParse(block).data?.content ?? []);
  const texts = blocks.flatMap((block) => TEXT.safeParse(block).data ?? []);
  const pages = pagesOf(results, texts);
  const failure = results
    .map((result) => FAILURE.safeParse(result).data?.error_code)
    .find((code) => code !== undefined);
  if (failure !== undefined && pages.length === 0)
    throw failedCall(ANTHROPIC, 'provider/server', `the search of the web failed: ${failure}`, {});
  return {
    text: texts
      .map((block) => block.text)
      .join('')
      .trim(),
    pages,
    searches: COUNTED.safeParse(message).data?.usage.server_tool_use.web_search_requests ?? 0,
    fee: FEE,
    usage,
    ...(model !== undefined && { model }),
  };
}

const CONTENT = z.object({ content: z.array(z.unknown()) });
const FAILURE = z.object({ error_code: z.string() });
const RESULTS = z.object({
  type: z.literal('web_search_tool_result'),
  content: z.union([z.array(z.unknown()), FAILURE.transform((failure): unknown[] => [failure])]),
});
const PAGE = z.object({ title: z.string(), url: z.string(), page_age: z.string().nullish() });
const CITATION = z.object({ url: z.string(), cited_text: z.string() });
const TEXT = z.object({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
});
const COUNTED = z.object({ usage: z.object({ server_tool_use: z.object({ web_search_requests: z.int().min(0) }) }) });

/** Returns the pages, each with the words that the model cited from it. The content of a page itself is encrypted. */
function pagesOf(results: readonly unknown[], texts: readonly z.infer<typeof TEXT>[]): readonly FoundPage[] {
  const cited = texts
    .flatMap(({ citations }) => citations ?? [])
    .flatMap((citation) => CITATION.safeParse(citation).data ?? []);
  return results.flatMap((result): FoundPage[] => {
    const { data } = PAGE.safeParse(result);
    if (data === undefined) return [];
    const { title, url, page_age: date } = data;
    const snippet = cited
      .filter((one) => one.url === url)
      .map(({ cited_text: words }) => words)
      .join(' … ');
    return [{ title, url, ...(snippet !== '' && { snippet }), ...(typeof date === 'string' && { date }) }];
  });
}
