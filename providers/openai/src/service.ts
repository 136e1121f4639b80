// Names the services that use OpenAI's wire format: OpenAI itself, servers that are compatible with its Chat
// Completions, and OpenRouter.

import type { Capabilities, Envelope } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';

/** OpenAI's own API. */
export const OPENAI: Service = { name: 'openai', title: 'OpenAI' };

/**
 * Compatible servers that the user did not name. No catalog contains their models, so they are a provider of their own.
 * The encoders for compatible servers use this name in their errors, even if a server has a name.
 */
export const COMPATIBLE: Service = { name: 'compatible', title: 'the compatible server' };

/**
 * The router OpenRouter. It chooses the upstream that answers, and keeps the same upstream for a session if possible.
 */
export const OPENROUTER: Service = { name: 'openrouter', title: 'OpenRouter' };

/**
 * Returns the cache key as the field `prompt_cache_key` of the body. Older models use the key for routing. From GPT-5.6
 * on, routing is automatic, and the key separates the accounting of the cache (provider-facts §2.1). Returns no field
 * if the catalog row has no `routing`, because a compatible server may not accept the field.
 */
export function cacheRouting(cacheKey: string, { routing }: Capabilities): Envelope['fields'] {
  return routing === undefined ? {} : { prompt_cache_key: cacheKey };
}
