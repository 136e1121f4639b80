// The ways to a provider: each with its agent's provider, its encoder, and a plain request by which to see a stream of its.

import type { Encoder, Provider } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import {
  createOpenAIProvider,
  createOpenRouterProvider,
  openaiChatEncoder,
  openaiResponsesEncoder,
  openrouterEncoder,
} from '@tidemark/provider-openai';

/** One way. */
export interface Wire {
  readonly name: string;
  readonly model: string;
  readonly encoder: Encoder;
  /** Whether a spent budget is told apart from a limit by the minute: waiting does not help then. */
  readonly tellsSpent: boolean;
  readonly sockets: boolean;
  /** Whether a stream can end by saying that the answer failed. */
  readonly endsAsFailed: boolean;
  /** Whether a stream shows that the model reasons. */
  readonly showsReasoning: boolean;
  provider(url: string, idleMs: number): Provider;
  /** A request that is answered as a stream, in the manner of the provider's. */
  request(url: string): Promise<Response>;
}

const apiKey = 'simulated';
const said = [{ role: 'user', content: 'Look.' }];

const responses = {
  model: 'gpt-5.6-sol',
  encoder: openaiResponsesEncoder,
  tellsSpent: true,
  endsAsFailed: true,
  showsReasoning: true,
  request: (url: string): Promise<Response> =>
    ask(`${url}/v1/responses`, {
      model: 'gpt-5.6-sol',
      input: said,
      store: false,
      include: ['reasoning.encrypted_content'],
    }),
} as const;

/** All of them. */
export const WIRES: readonly Wire[] = [
  {
    name: 'anthropic over HTTP',
    model: 'claude-sonnet-4-5',
    encoder: anthropicEncoder,
    tellsSpent: false,
    sockets: false,
    endsAsFailed: false,
    showsReasoning: true,
    provider: (baseURL, idleMs) => createAnthropicProvider({ apiKey, baseURL, idleMs }),
    request: (url) => ask(`${url}/v1/messages`, { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages: said }),
  },
  {
    name: 'openai responses over HTTP',
    ...responses,
    sockets: false,
    provider: (url, idleMs) => createOpenAIProvider({ apiKey, api: 'responses', baseURL: `${url}/v1`, idleMs }),
  },
  {
    name: 'openai responses over WebSocket',
    ...responses,
    sockets: true,
    provider: (url, idleMs) =>
      createOpenAIProvider({ apiKey, api: 'responses', baseURL: `${url}/v1`, idleMs, transport: 'auto' }),
  },
  {
    name: 'openai chat over HTTP',
    model: 'gpt-5.4',
    encoder: openaiChatEncoder,
    tellsSpent: true,
    sockets: false,
    endsAsFailed: false,
    showsReasoning: false,
    provider: (url, idleMs) => createOpenAIProvider({ apiKey, api: 'chat', baseURL: `${url}/v1`, idleMs }),
    request: (url) => ask(`${url}/v1/chat/completions`, { model: 'gpt-5.4', messages: said, ...USAGE }),
  },
  {
    name: 'openrouter over HTTP',
    model: 'anthropic/claude-sonnet-4.5',
    encoder: openrouterEncoder,
    tellsSpent: false,
    sockets: false,
    endsAsFailed: false,
    showsReasoning: true,
    provider: (url, idleMs) => createOpenRouterProvider({ apiKey, baseURL: `${url}/api/v1`, idleMs }),
    request: (url) =>
      ask(`${url}/api/v1/chat/completions`, { model: 'anthropic/claude-sonnet-4.5', messages: said, ...USAGE }),
  },
];

const USAGE = { stream_options: { include_usage: true } };

function ask(url: string, body: object): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': apiKey,
    authorization: `Bearer ${apiKey}`,
    'anthropic-version': '2023-06-01',
  };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ ...body, stream: true }) });
}
