// Settings of the tools for the web.

import { z } from 'zod';

import { address, dollars } from './setting-values.ts';

/** Settings of the tools for the web. */
export interface WebSettings {
  /** True if sessions have the tool `fetch`. Default: true. */
  readonly fetch?: boolean | undefined;
  /** Hosts whose private addresses `fetch` may reach. Only the user's own settings may set this field. */
  readonly allowPrivate?: readonly string[] | undefined;
  /**
   * Service of the tool `web_search`. With `off`, the default, sessions do not have the tool. `provider` is the search of
   * the session's provider.
   */
  readonly search?: 'off' | 'brave' | 'provider' | undefined;
  /** Price of one search with `brave` in US dollars, as decimal text. Without it, the cost of a search is unknown. */
  readonly searchPrice?: string | undefined;
  /** Address of the service, which receives its key. Only the user's own settings may set this field. */
  readonly searchUrl?: string | undefined;
}

const host = z
  .string()
  .max(300)
  .regex(/^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i, 'expected a host, such as wiki.corp.example or 127.0.0.1:3000');

/** Schema of the settings `web`. */
export const webSettings: z.ZodObject<{
  readonly [name in keyof Required<WebSettings>]: z.ZodType<WebSettings[name]>;
}> = z.strictObject({
  fetch: z.boolean().optional(),
  allowPrivate: z.array(host).max(100).optional(),
  search: z.enum(['off', 'brave', 'provider']).optional(),
  searchPrice: dollars.optional(),
  searchUrl: address.optional(),
});
