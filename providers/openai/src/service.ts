// The services behind OpenAI's wire format: OpenAI itself, servers that speak its Chat Completions, and OpenRouter.

import type { Capabilities, Envelope } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';

/** OpenAI's own API. Its encoders name it in their errors, also for a compatible server. */
export const OPENAI: Service = { name: 'openai', title: 'OpenAI' };

/** Ollama, vLLM, llama.cpp: no catalog knows their models, so they are a provider of their own. */
export const COMPATIBLE: Service = { name: 'compatible', title: 'the compatible server' };

/** The router. Which upstream answers is its own choice, kept for a session as far as it can. */
export const OPENROUTER: Service = { name: 'openrouter', title: 'OpenRouter' };

/**
 * The cache key on the wire: OpenAI routes by it, or since GPT-5.6 keeps accounts apart by it (provider facts 2.1). It is
 * `prompt_cache_key`, where the row has a use for one: a compatible server may know no such field.
 */
export function cacheRouting(cacheKey: string, { routing }: Capabilities): Envelope['fields'] {
  return routing === undefined ? {} : { prompt_cache_key: cacheKey };
}
