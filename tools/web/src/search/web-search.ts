// Port of web search. An implementation asks one service.

import type { ToolFact } from '@tidemark/agent';

/** A service that searches the web. */
export interface WebSearch {
  /** Name of the service for people and models. */
  readonly name: string;
  /** Host that receives the queries. Permission rules about `web_search` use it. */
  readonly host: string;
  /** Values that are masked everywhere, such as the key of the service. */
  readonly secrets?: readonly string[];
  /**
   * Searches the web. The texts of the results may have any length and any content.
   *
   * @throws WebError `web/no-key`, `web/search-refused`, `web/search-failed`, `web/timeout`.
   */
  search(request: WebSearchRequest): Promise<WebSearchAnswer>;
}

/** Answer of a service to one search. */
export interface WebSearchAnswer {
  readonly results: readonly WebSearchResult[];
  /** Text that the service wrote about the results. */
  readonly text?: string;
  /** Bill of the search. Absent if the service bills nothing for this search. */
  readonly charge?: WebSearchCharge;
}

/** Bill of one search, as `tool.charged` records it. */
export type WebSearchCharge = Extract<ToolFact, { readonly kind: 'tool.charged' }>['data'];

/** One search. */
export interface WebSearchRequest {
  readonly query: string;
  /** Maximum number of results. */
  readonly count: number;
  readonly signal: AbortSignal;
}

/** One result of a search, as the service sent it. */
export interface WebSearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** Date of the page, as the service writes it. */
  readonly date?: string;
}
