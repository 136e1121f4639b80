// Search of the web by OpenAI's own tool (docs, guides/tools-web-search): writes the request, and reads the pages and
// the text of the answer.

import { parseObject } from '@tidemark/core';
import type { AnswerPart, FoundPage, ProviderSearch, ProviderSearchAnswer } from '@tidemark/model';
import { searchPrompt } from '@tidemark/provider-wire';
import { z } from 'zod';
import { decodeResponse } from './answer.ts';

/** Price of 1,000 searches: $10. Source: the price list, on 2026-11-23. Tokens are billed in addition. */
const FEE = '0.01';

/** Output limit of the call, in tokens. It includes the reasoning of the model. */
export const SEARCH_OUTPUT = 8_192;

/** Returns the body of a search. The model gets no text but the words of the search. */
export function searchBody({ model, query, count }: ProviderSearch): Uint8Array {
  const body = {
    model,
    input: searchPrompt(query, count),
    tools: [{ type: 'web_search' }],
    tool_choice: 'required',
    max_tool_calls: 1,
    max_output_tokens: SEARCH_OUTPUT,
    include: ['web_search_call.action.sources'],
    store: false,
  };
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * Returns the pages and the text of an answer.
 *
 * @throws ProviderError `provider/malformed` for a text that is not a response, and the failure that the answer reports.
 */
export function readSearchAnswer(text: string): ProviderSearchAnswer {
  const { parts, usage, model } = decodeResponse(text);
  const items = parts.map(itemOf);
  const calls = items.flatMap((item) => CALL.safeParse(item).data ?? []);
  return {
    text: parts.map(wordsOf).join('').trim(),
    pages: pagesOf(items, calls),
    // The API bills the action `search`. Opening a page and searching in a page are free.
    searches: calls.filter(({ action }) => action.type === 'search').length,
    fee: FEE,
    usage,
    ...(model !== undefined && { model }),
  };
}

const CALL = z.object({
  type: z.literal('web_search_call'),
  action: z.object({ type: z.string(), sources: z.array(z.unknown()).nullish() }),
});
const SOURCE = z.object({ url: z.string() });
const MESSAGE = z.object({ content: z.array(z.object({ annotations: z.array(z.unknown()).optional() })) });
const CITATION = z.object({ type: z.literal('url_citation'), url: z.string(), title: z.string() });

function itemOf(part: AnswerPart): unknown {
  return part.type === 'native' ? parseObject(part.item) : undefined;
}

/** Returns the cited pages first, because only they have a title, and then the other sources. */
function pagesOf(items: readonly unknown[], calls: readonly z.infer<typeof CALL>[]): readonly FoundPage[] {
  const annotations = items.flatMap((item) => MESSAGE.safeParse(item).data?.content ?? []);
  const cited = annotations
    .flatMap((content) => content.annotations ?? [])
    .flatMap((annotation) => CITATION.safeParse(annotation).data ?? []);
  const sources = calls
    .flatMap(({ action }) => action.sources ?? [])
    .flatMap((one) => SOURCE.safeParse(one).data ?? []);
  const pages = new Map<string, FoundPage>();
  for (const { url, title } of cited) if (!pages.has(url)) pages.set(url, { url, title });
  for (const { url } of sources) if (!pages.has(url)) pages.set(url, { url, title: '' });
  return [...pages.values()];
}

function wordsOf(part: AnswerPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'native' && parseObject(part.item)?.['type'] === 'message' ? part.text : '';
}
