// Anthropic as a provider: the encoder, the decoder, and an HTTP client that uses the official SDK.

import { defined } from '@tidemark/core';
import type { Provider } from '@tidemark/model';
import type { CallerConnection } from '@tidemark/provider-wire';
import { callerAccount, openHttpClient } from '@tidemark/provider-wire';
import { decodeCount, messageDecoder } from '../decode/stream.ts';
import { anthropicEncoder, tokenCountBody } from '../encode/encoder.ts';
import { readSearchAnswer, SEARCH_OUTPUT, searchBody } from '../search.ts';
import { ANTHROPIC } from '../service.ts';

/** Key, address and limits for calls of Anthropic's API. */
export interface AnthropicOptions extends CallerConnection {
  readonly apiKey: string;
  /**
   * Address of the API without `/v1`. The default is Anthropic's own address. It is never read from the environment.
   */
  readonly baseURL?: string;
  /**
   * Maximum time without received data during a call, in milliseconds. The default is 180,000. A ping counts as
   * received data.
   */
  readonly idleMs?: number;
}

const ADDRESS = 'https://api.anthropic.com';

/**
 * Creates a provider for Anthropic's Messages API.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a password.
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
    account: callerAccount(ANTHROPIC, options, baseURL),
    encoder: anthropicEncoder,
    send: (outgoing) => client.stream('/v1/messages', messageDecoder, outgoing),
    countTokens: async (outgoing) => {
      const body = tokenCountBody(outgoing.body);
      return client.whole('/v1/messages/count_tokens', { ...outgoing, body }, decodeCount);
    },
    searchWeb: (search) =>
      client.whole(
        '/v1/messages',
        { body: searchBody(search), betas: [], outputLimit: SEARCH_OUTPUT, ...defined({ signal: search.signal }) },
        readSearchAnswer,
      ),
  };
}
