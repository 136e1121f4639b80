// Anthropic as a provider: its encoder, and a line to the API that is opened with the first call.

import type { Provider } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { accountName, requireAddress } from '@tidemark/provider-wire';
import { anthropicEncoder } from '../encode/encoder.ts';
import { ANTHROPIC } from '../service.ts';
import type { MessagesClient, MessagesClientOptions } from './messages-client.ts';

/** How to reach the API. */
export interface AnthropicOptions {
  readonly apiKey: string;
  /** Without the `/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. A ping is a sign of life. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://api.anthropic.com';
const IDLE_MS = 180_000;
const PRINTABLE = /^[\x21-\x7e]+$/;

/**
 * Anthropic's Messages API.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold, `provider/address` for an address that
 *   is not one of HTTP or holds a password.
 */
export function createAnthropicProvider(options: AnthropicOptions): Provider {
  const how = lineOptions(options);
  let opened: Promise<MessagesClient> | undefined;
  // The SDK is 250 modules: whoever starts a program does not wait for them before anything is asked.
  const line = (): Promise<MessagesClient> =>
    (opened ??= import('./messages-client.ts').then(({ openLine }) => openLine(how)));
  return {
    name: ANTHROPIC.name,
    account: accountName(ANTHROPIC, how.key, how.baseURL),
    encoder: anthropicEncoder,
    async *send(outgoing) {
      yield* (await line()).send(outgoing);
    },
    countTokens: async (outgoing) => (await line()).countTokens(outgoing),
  };
}

function lineOptions({ apiKey, baseURL = ADDRESS, idleMs = IDLE_MS, fetch }: AnthropicOptions): MessagesClientOptions {
  requireAddress(ANTHROPIC, baseURL);
  const key = apiKey.trim();
  if (!PRINTABLE.test(key)) {
    const message = 'the API key for Anthropic is empty or holds characters that a header cannot: set it again';
    throw new ProviderError('stop', 'provider/authentication', message, { provider: ANTHROPIC.name });
  }
  return { key, baseURL, idleMs, ...(fetch !== undefined && { fetch }) };
}
