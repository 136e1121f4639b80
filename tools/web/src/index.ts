// Public exports of `tools/web`: the tools for the web, and web search.

export type { ResolveHost } from './address/checked-lookup.ts';
export type { FetchToolOptions } from './fetch/fetch-tool.ts';
export type { FetchLimits } from './transport/limits.ts';
export type { BraveSearchOptions } from './search/brave-search.ts';
export { BRAVE_VARIABLE, createBraveSearch } from './search/brave-search.ts';
export type { ProviderSearchOptions } from './search/provider-search.ts';
export { createProviderSearch } from './search/provider-search.ts';
export type {
  WebSearch,
  WebSearchAnswer,
  WebSearchCharge,
  WebSearchRequest,
  WebSearchResult,
} from './search/web-search.ts';
export type { WebErrorCode, WebErrorSort } from './web-error.ts';
export { WEB_ERRORS, WebError } from './web-error.ts';
export type { WebOptions, WebToolsOptions } from './web-tools.ts';
export { webTools } from './web-tools.ts';
