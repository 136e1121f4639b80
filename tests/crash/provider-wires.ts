// Wires of the providers under test. A wire is an API of a provider over HTTP or WebSocket. For each wire there is a
// provider for the agent, an encoder, and a plain request that returns a stream.

import type { Encoder, Provider } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import {
  createOpenAIProvider,
  createOpenRouterProvider,
  openaiChatEncoder,
  openaiResponsesEncoder,
  openrouterEncoder,
} from '@tidemark/provider-openai';

/** One API of a provider, over HTTP or WebSocket. */
export interface Wire {
  readonly name: string;
  readonly model: string;
  readonly encoder: Encoder;
  /**
   * True if the provider distinguishes a spent budget from a rate limit per minute. A retry does not help with a spent
   * budget.
   */
  readonly tellsSpent: boolean;
  readonly sockets: boolean;
  /** True if a stream can end with an event that reports a failed answer. */
  readonly endsAsFailed: boolean;
  /** True if a stream contains events for the model's reasoning. */
  readonly showsReasoning: boolean;
  provider(url: string, idleMs: number): Provider;
  /** Sends a request that is answered as a stream in the provider's format. */
  request(url: string): Promise<Response>;
}

const apiKey = 'simulated';
const MESSAGES = [{ role: 'user', content: 'Look.' }];

const responses = {
  model: 'gpt-5.6-sol',
  encoder: openaiResponsesEncoder,
  tellsSpent: true,
  endsAsFailed: true,
  showsReasoning: true,
  request: (url: string): Promise<Response> =>
    ask(`${url}/v1/responses`, {
      model: 'gpt-5.6-sol',
      input: MESSAGES,
      store: false,
      include: ['reasoning.encrypted_content'],
    }),
} as const;

/** All wires that the tests use. */
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
    request: (url) => ask(`${url}/v1/messages`, { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages: MESSAGES }),
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
    request: (url) => ask(`${url}/v1/chat/completions`, { model: 'gpt-5.4', messages: MESSAGES, ...USAGE }),
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
      ask(`${url}/api/v1/chat/completions`, { model: 'anthropic/claude-sonnet-4.5', messages: MESSAGES, ...USAGE }),
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
