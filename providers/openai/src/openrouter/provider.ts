// OpenRouter as a provider, through the official `openai` SDK. This SDK sends exactly the bytes that it gets.
// OpenRouter's own SDK changes the bytes.

import { defined } from '@tidemark/core';
import type { Provider } from '@tidemark/model';
import type { CallerConnection } from '@tidemark/provider-wire';
import { callerAccount } from '@tidemark/provider-wire';
import type { AnswerReading } from '../chat/stream.ts';
import { completionDecoder } from '../chat/stream.ts';
import { OPENROUTER } from '../service.ts';
import { openClient } from '../socket/client.ts';
import { askedLife, openrouterEncoder } from './encoder.ts';

/** Key, address and limits for calls of OpenRouter's API. */
export interface OpenRouterOptions extends CallerConnection {
  readonly apiKey: string;
  /**
   * Address of the API, including `/api/v1`. The default is OpenRouter's own address. It is never read from the
   * environment.
   */
  readonly baseURL?: string;
  /** Maximum time in a call without received data, in milliseconds. The default is 180,000. */
  readonly idleMs?: number;
}

const ADDRESS = 'https://openrouter.ai/api/v1';

/**
 * Creates a provider for OpenRouter. The provider cannot count tokens.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a password.
 */
export function createOpenRouterProvider({ baseURL = ADDRESS, ...rest }: OpenRouterOptions): Provider {
  const client = openClient({ ...rest, service: OPENROUTER, baseURL });
  return {
    name: OPENROUTER.name,
    account: callerAccount(OPENROUTER, rest, baseURL),
    encoder: openrouterEncoder,
    send: (outgoing) => {
      const asked = askedLife(outgoing.body);
      const reading: AnswerReading = defined({ service: OPENROUTER, asked });
      return client.stream('/chat/completions', completionDecoder(reading), outgoing);
    },
  };
}
