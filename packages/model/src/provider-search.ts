// Search of the web by a provider: one call to a model that has the provider's own search. It is no part of a session:
// the model sees only the words of the search.

import type { AbortSignalLike, Usage } from '@tidemark/core';

/** One search that a provider is asked for. */
export interface ProviderSearch {
  /** Model that reads the pages that were found. */
  readonly model: string;
  readonly query: string;
  /** Maximum number of pages. */
  readonly count: number;
  readonly signal?: AbortSignalLike;
}

/** Pages that a provider found, and what its model wrote about them. */
export interface ProviderSearchAnswer {
  /** Text of the model. It is from strangers' pages and may have any content. */
  readonly text: string;
  readonly pages: readonly FoundPage[];
  /** Number of searches that the provider bills. */
  readonly searches: number;
  /** Price of one search in US dollars, in addition to the tokens. */
  readonly fee: string;
  readonly model?: string;
  readonly usage: Usage;
}

/** A page that a search found, as the provider sent it. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  /** Words of the page that the model cited. */
  readonly snippet?: string;
  /** Date of the page in the form that the provider uses. */
  readonly date?: string;
}
