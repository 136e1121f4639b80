// The web tools of an agent.

import type { Tool } from '@tidemark/agent';

import type { FetchToolOptions } from './fetch/fetch-tool.ts';
import { createFetchTool } from './fetch/fetch-tool.ts';
import { createWebSearchTool } from './search/web-search-tool.ts';
import type { WebSearch } from './search/web-search.ts';

/** Options of an agent's tools for the web. */
export interface WebOptions {
  /** False for an agent without the tool `fetch`. Default: true. */
  readonly fetch?: boolean;
  /**
   * Hosts whose private addresses `fetch` may reach, with or without a port: `wiki.corp.example`, `127.0.0.1:3000`.
   * Default: none. An agent that works for other people should not list any.
   */
  readonly allowPrivate?: readonly string[];
  /** Service for the tool `web_search`, such as `createBraveSearch({ apiKey })`. Without it, there is no such tool. */
  readonly search?: WebSearch;
}

/** Options of the web tools, with the parts that a test replaces. */
export type WebToolsOptions = WebOptions & FetchToolOptions;

/**
 * Returns the tools `fetch` and `web_search`. Creating them sends nothing.
 *
 * @throws WebError `web/bad-address` for an entry of `allowPrivate` that is not a host.
 */
export function webTools({ fetch = true, search, ...options }: WebToolsOptions): readonly Tool[] {
  return [
    ...(fetch ? [createFetchTool(options)] : []),
    ...(search === undefined ? [] : [createWebSearchTool(search, options.now)]),
  ];
}
