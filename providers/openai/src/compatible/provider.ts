// A compatible server as a provider: any server that speaks OpenAI's Chat Completions.

import type { Provider } from '@tidemark/model';
import type { CallerConnection, Service } from '@tidemark/provider-wire';
import { callerAccount } from '@tidemark/provider-wire';
import type { AnswerReading } from '../chat/stream.ts';
import { completionDecoder } from '../chat/stream.ts';
import { COMPATIBLE } from '../service.ts';
import { openClient } from '../socket/client.ts';
import type { SentReasoning } from './encoders.ts';
import { COMPATIBLE_ENCODERS } from './encoders.ts';

/** Name, key, address and limits for calls of a compatible server. */
export interface CompatibleOptions extends CallerConnection {
  /** API key. For a server that needs no key, `none`. */
  readonly apiKey: string;
  /** Address of the API, with the path before `/chat/completions`. */
  readonly baseURL: string;
  /** Name of the server in catalog rows, records and errors. Default: `compatible`. */
  readonly server?: Service;
  /** Reasoning that the server receives back. Default: `none`. */
  readonly reasoning?: SentReasoning;
  /** Maximum time in a call without received data, in milliseconds. The default is 180,000. */
  readonly idleMs?: number;
}

/**
 * Creates a provider for a compatible server. The provider cannot count tokens.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a password.
 */
export function createCompatibleProvider(options: CompatibleOptions): Provider {
  const { server: service = COMPATIBLE, reasoning = 'none', baseURL, ...rest } = options;
  const client = openClient({ ...rest, service, baseURL });
  const reading: AnswerReading = {
    service,
    mayOmitReason: true,
    ...(reasoning !== 'none' && { keepsReasoning: true }),
  };
  const decoder = completionDecoder(reading);
  return {
    name: service.name,
    account: callerAccount(service, options, baseURL),
    encoder: COMPATIBLE_ENCODERS[reasoning],
    send: (outgoing) => client.stream('/chat/completions', decoder, outgoing),
  };
}
