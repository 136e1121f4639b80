// Anthropic as a provider: its encoder, its decoder, and an HTTP client over the official SDK.

import type { Provider } from '@tidemark/model';
import { accountName, openHttpClient } from '@tidemark/provider-wire';
import { decodeCount, messageDecoder } from '../decode/stream.ts';
import { anthropicEncoder, tokenCountBody } from '../encode/encoder.ts';
import { ANTHROPIC } from '../service.ts';

/** How to reach the API. */
export interface AnthropicOptions {
  readonly apiKey: string;
  /** Without the `/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Longest silence of a call, in milliseconds; 180,000 by default. A ping is a sign of life. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://api.anthropic.com';

/**
 * Anthropic's Messages API.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold, `provider/address` for an address that
 *   is not one of HTTP or holds a password.
 */
export function createAnthropicProvider({ baseURL = ADDRESS, ...options }: AnthropicOptions): Provider {
  const client = openHttpClient({
    ...options,
    baseURL,
    service: ANTHROPIC,
    betaHeader: 'anthropic-beta',
    load: async () => (await import('./sdk.ts')).createAnthropicSdk,
  });
  return {
    name: ANTHROPIC.name,
    account: accountName(ANTHROPIC, options.apiKey, baseURL),
    encoder: anthropicEncoder,
    send: (outgoing) => client.stream('/v1/messages', messageDecoder, outgoing),
    countTokens: async (outgoing) => {
      const body = tokenCountBody(outgoing.body);
      return client.whole('/v1/messages/count_tokens', { ...outgoing, body }, decodeCount);
    },
  };
}
