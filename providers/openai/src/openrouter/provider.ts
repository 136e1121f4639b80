// OpenRouter as a provider, over the official `openai` SDK: it sends exactly the bytes it is given, which OpenRouter's own
// SDK does not.

import { defined } from '@tidemark/core';
import type { Provider } from '@tidemark/model';
import { accountName } from '@tidemark/provider-wire';
import type { AnswerReading } from '../chat/stream.ts';
import { completionDecoder } from '../chat/stream.ts';
import { OPENROUTER } from '../service.ts';
import { openClient } from '../socket/client.ts';
import { askedLife, openrouterEncoder } from './encoder.ts';

/** How to reach OpenRouter. */
export interface OpenRouterOptions {
  readonly apiKey: string;
  /** With the `/api/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://openrouter.ai/api/v1';

/**
 * OpenRouter. It has no count of tokens.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold.
 */
export function createOpenRouterProvider({ baseURL = ADDRESS, ...rest }: OpenRouterOptions): Provider {
  const client = openClient({ ...rest, service: OPENROUTER, baseURL });
  return {
    name: OPENROUTER.name,
    account: accountName(OPENROUTER, rest.apiKey, baseURL),
    encoder: openrouterEncoder,
    send: (outgoing) => {
      const asked = askedLife(outgoing.body);
      const reading: AnswerReading = defined({ service: OPENROUTER, asked });
      return client.stream('/chat/completions', completionDecoder(reading), outgoing);
    },
  };
}
