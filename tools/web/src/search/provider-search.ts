// Search of the web by the provider of the session's model. The search is a call of its own, so its results, which a
// provider stores in encrypted form, never come into the history of the session.

import { money } from '@tidemark/log';
import type { Capabilities, FoundPage, Provider, ProviderSearchAnswer } from '@tidemark/model';
import { costOf, inputTokens, priceAt, ProviderError, sumOfMoney } from '@tidemark/model';

import { WebError } from '../web-error.ts';
import type { WebSearch, WebSearchCharge, WebSearchResult } from './web-search.ts';

/** Provider that searches, and the model that reads the pages. */
export interface ProviderSearchOptions {
  readonly provider: Pick<Provider, 'name'> & Required<Pick<Provider, 'searchWeb'>>;
  /** Catalog row of the model. Its prices are those of the search's tokens. */
  readonly capabilities: Capabilities;
  /** Returns the current time (ISO 8601). A price depends on the day. */
  readonly now: () => string;
}

/** Creates a web search by the provider's own tool. */
export function createProviderSearch({ provider, capabilities, now }: ProviderSearchOptions): WebSearch {
  const { model } = capabilities;
  return {
    name: `the search of ${provider.name}`,
    host: `search.${provider.name}`,
    async search({ query, count, signal }) {
      const answer = await provider.searchWeb({ model, query, count, signal }).catch((cause: unknown) => {
        signal.throwIfAborted();
        if (!(cause instanceof ProviderError)) throw cause;
        const message = `${cause.what}. Search again later, or continue without a search.`;
        throw new WebError('web/search-failed', message, {}, cause);
      });
      const { text, pages } = answer;
      return { text, results: pages.map(resultOf), charge: chargeOf(answer, provider.name, capabilities, now()) };
    },
  };
}

function resultOf({ title, url, snippet = '', date }: FoundPage): WebSearchResult {
  return { title, url, snippet, ...(date !== undefined && { date }) };
}

/** Returns the bill: the tokens at the prices of the model, and the fee of each search. */
function chargeOf(
  { searches, fee, usage, model }: ProviderSearchAnswer,
  service: string,
  capabilities: Capabilities,
  now: string,
): WebSearchCharge {
  const price = priceAt(capabilities, now.slice(0, 10), inputTokens(usage) ?? 0);
  const tokens = price && costOf(price, usage)?.total;
  const fees = Array.from({ length: searches }, () => fee);
  return {
    service,
    requests: 1,
    model: model ?? capabilities.model,
    usage,
    ...(tokens !== undefined && { cost: money(sumOfMoney([tokens, ...fees])) }),
  };
}
