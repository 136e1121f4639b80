// OpenAI as a provider: which of its two APIs, or the server that speaks the second one in its place.

import type { Encoder, Outgoing, Provider } from '@tidemark/model';
import type { AnswerDecoder, Service } from '@tidemark/provider-wire';
import { accountName, refuse, wholeAsStream } from '@tidemark/provider-wire';
import { openaiChatEncoder } from './chat/encoder.ts';
import { completionDecoder } from './chat/stream.ts';
import { decodeCount, decodeResponse } from './responses/answer.ts';
import { openaiResponsesEncoder, tokenCountBody } from './responses/encoder.ts';
import { createLanes } from './responses/lanes.ts';
import { createSending } from './responses/over-websocket.ts';
import { beginResponse } from './responses/stream.ts';
import { COMPATIBLE, OPENAI } from './service.ts';
import { openClient } from './socket/client.ts';

/** How to reach the API, and which of the two. */
export interface OpenAIOptions {
  /** A server that asks for none takes any word. */
  readonly apiKey: string;
  /** Responses is OpenAI's own; Chat Completions is what compatible servers speak. */
  readonly api: 'responses' | 'chat';
  /** With the `/v1`. The vendor's own by default; never taken from the environment. */
  readonly baseURL?: string;
  /** Set for a server that is not OpenAI's: its models are those of the provider `compatible`. */
  readonly compatible?: boolean;
  /** Instead of the global one. A WebSocket does not use it. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may be silent, in milliseconds; 180,000 by default. */
  readonly idleMs?: number;
  /**
   * `http` by default. `websocket`: every call. `auto`: the calls of a lane, each of which may go on from the answer before,
   * over a WebSocket, the others over HTTP; and over HTTP what nothing arrived of. Responses alone knows WebSockets.
   */
  readonly transport?: 'http' | 'websocket' | 'auto';
  /** How long a connection is kept for the next call of its lane, in milliseconds; 300,000 by default. */
  readonly keepMs?: number;
}

const ADDRESS = 'https://api.openai.com/v1';
const KEEP_MS = 300_000;

/** One of the two APIs. */
interface Api {
  readonly path: string;
  readonly encoder: Encoder;
  decoder(service: Service): AnswerDecoder;
}

const APIS: { readonly [api in OpenAIOptions['api']]: Api } = {
  responses: {
    path: '/responses',
    encoder: openaiResponsesEncoder,
    decoder: () => ({ begin: beginResponse, whole: (text) => wholeAsStream(decodeResponse(text)) }),
  },
  chat: {
    path: '/chat/completions',
    encoder: openaiChatEncoder,
    decoder: (service) => completionDecoder({ service }),
  },
};

/**
 * OpenAI, or a server that speaks its wire format. Only the Responses API counts tokens, and knows WebSockets: they are
 * closed when they idle or with the provider, and never keep the process alive by themselves.
 *
 * @throws ProviderError `provider/authentication` for a key that no header can hold, `provider/unsupported` for WebSockets
 *   on Chat Completions.
 */
export function createOpenAIProvider(options: OpenAIOptions): Provider {
  const { api, compatible = false, baseURL = ADDRESS, transport = 'http', keepMs = KEEP_MS, ...rest } = options;
  const service = compatible ? COMPATIBLE : OPENAI;
  const client = openClient({ ...rest, service, baseURL });
  const { path, encoder, decoder } = APIS[api];
  const decoding = decoder(service);
  const countTokens = async (outgoing: Outgoing): Promise<number> =>
    client.whole('/responses/input_tokens', { ...outgoing, body: tokenCountBody(outgoing.body) }, decodeCount);
  if (transport !== 'http') requireResponses(service, api);
  const lanes = createLanes(keepMs);
  return {
    name: service.name,
    account: accountName(service, options.apiKey, baseURL),
    encoder,
    ...(transport === 'http'
      ? { send: (outgoing) => client.stream(path, decoding, outgoing) }
      : {
          continues: true,
          close: () => lanes.close(),
          send: createSending({ client, lanes, path, decoder: decoding, transport }),
        }),
    ...(api === 'responses' && { countTokens }),
  };
}

function requireResponses(service: Service, api: OpenAIOptions['api']): void {
  if (api === 'responses') return;
  throw refuse(service, 'provider/unsupported', 'Chat Completions goes over HTTP alone: leave `transport` out');
}
