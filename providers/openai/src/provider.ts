// OpenAI as a provider. Selects one of OpenAI's two APIs.

import { defined } from '@tidemark/core';
import type { Encoder, Outgoing, Provider, ProviderSearch, ProviderSearchAnswer } from '@tidemark/model';
import type { AnswerDecoder, CallerConnection, Service } from '@tidemark/provider-wire';
import { callerAccount, refuse, wholeAsStream } from '@tidemark/provider-wire';
import { openaiChatEncoder } from './chat/encoder.ts';
import { completionDecoder } from './chat/stream.ts';
import { decodeCount, decodeResponse } from './responses/answer.ts';
import { openaiResponsesEncoder, tokenCountBody } from './responses/encoder.ts';
import { createLanes } from './responses/lanes.ts';
import { createSending } from './responses/over-websocket.ts';
import { readSearchAnswer, SEARCH_OUTPUT, searchBody } from './responses/search.ts';
import { beginResponse } from './responses/stream.ts';
import { OPENAI } from './service.ts';
import { openClient } from './socket/client.ts';

/** API, key, address, transport and limits for calls of OpenAI. */
export interface OpenAIOptions extends CallerConnection {
  readonly apiKey: string;
  /**
   * Name of the API: `responses`, or `chat` for Chat Completions.
   */
  readonly api: 'responses' | 'chat';
  /**
   * Address of the API, including `/v1`. The default is OpenAI's own address. It is never read from the environment.
   */
  readonly baseURL?: string;
  /** Maximum time in a call without received data, in milliseconds. The default is 180,000. */
  readonly idleMs?: number;
  /**
   * Transport of calls. The default is `http`. WebSockets exist only in the Responses API. A lane is a series of calls
   * in which each call continues from the call before it.
   *
   * - `websocket`: every call uses a WebSocket.
   * - `auto`: a call with a lane uses a WebSocket, and such a call may continue from the lane's last answer. A call
   *   without a lane uses HTTP. A call that received nothing over its WebSocket is sent again over HTTP.
   */
  readonly transport?: 'http' | 'websocket' | 'auto';
  /**
   * Time for which an idle connection is kept for the next call of its lane, in milliseconds. The default is 300,000.
   */
  readonly keepMs?: number;
}

const ADDRESS = 'https://api.openai.com/v1';
const KEEP_MS = 300_000;

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
 * Creates a provider for OpenAI. Only the Responses API counts tokens and
 * supports WebSockets. A WebSocket is closed when it is idle for too long or when the provider is closed. An idle
 * WebSocket does not keep the process alive.
 *
 * @throws ProviderError `provider/authentication` for a key that is not valid in a header, `provider/address` for an
 *   address that does not use HTTP or HTTPS or that contains a password, `provider/unsupported` for WebSockets with
 *   Chat Completions or with a function that returns tokens.
 */
export function createOpenAIProvider(options: OpenAIOptions): Provider {
  const { api, baseURL = ADDRESS, transport = 'http', keepMs = KEEP_MS, ...rest } = options;
  const service = OPENAI;
  // OpenAI's key is a bearer token itself. A WebSocket sends only the key.
  const { bearerToken } = rest;
  const client = openClient({
    ...rest,
    ...(typeof bearerToken === 'string' && { apiKey: bearerToken }),
    service,
    baseURL,
  });
  const { path, encoder, decoder } = APIS[api];
  const decoding = decoder(service);
  const countTokens = async (outgoing: Outgoing): Promise<number> =>
    client.whole('/responses/input_tokens', { ...outgoing, body: tokenCountBody(outgoing.body) }, decodeCount);
  const searchWeb = async (search: ProviderSearch): Promise<ProviderSearchAnswer> => {
    const outgoing = { body: searchBody(search), betas: [], outputLimit: SEARCH_OUTPUT };
    return client.whole(path, { ...outgoing, ...defined({ signal: search.signal }) }, readSearchAnswer);
  };
  if (transport !== 'http') {
    requireResponses(service, api);
    requireStaticToken(service, options);
  }
  const lanes = createLanes(keepMs);
  return {
    name: service.name,
    account: callerAccount(service, options, baseURL),
    encoder,
    ...(transport === 'http'
      ? { send: (outgoing) => client.stream(path, decoding, outgoing) }
      : {
          continues: true,
          close: () => lanes.close(),
          send: createSending({ client, lanes, path, decoder: decoding, transport }),
        }),
    ...(api === 'responses' && { countTokens, searchWeb }),
  };
}

/** @throws ProviderError `provider/unsupported` for a function that returns tokens, which a WebSocket does not call. */
function requireStaticToken(service: Service, { bearerToken }: OpenAIOptions): void {
  if (typeof bearerToken !== 'function') return;
  const message = 'a WebSocket does not call the function `bearerToken`: remove `transport`';
  throw refuse(service, 'provider/unsupported', message);
}

function requireResponses(service: Service, api: OpenAIOptions['api']): void {
  if (api === 'responses') return;
  throw refuse(service, 'provider/unsupported', 'Chat Completions supports only HTTP: remove `transport`');
}
