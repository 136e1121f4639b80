// The cache key on the wire: OpenAI routes by it, or since GPT-5.6 keeps accounts apart by it (provider facts 2.1).

import type { Capabilities, Envelope } from '@tidemark/model';

/** `prompt_cache_key`, where the row says that the model has a use for one: a compatible server may know no such field. */
export function cacheRouting(cacheKey: string, { routing }: Capabilities): Envelope['fields'] {
  return routing === undefined ? {} : { prompt_cache_key: cacheKey };
}
