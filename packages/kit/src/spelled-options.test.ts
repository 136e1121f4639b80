// Tests names that authors misspell or copy from another provider: parameters of reasoning, models, MCP servers, short
// keys.

import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';

const KEY = 'no-real-key-at-all';
const MODELS = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-6.1-sol',
  openrouter: 'anthropic/claude-sonnet-5.5',
} as const;
const PATHS = { anthropic: '', openai: '/v1', openrouter: '/api/v1' } as const;

/** Runs a turn and returns the bodies of its requests. */
async function bodiesOf(
  provider: keyof typeof MODELS,
  modelOptions: NonNullable<AgentOptions['modelOptions']>,
  set?: { readonly [name: string]: string },
): Promise<readonly unknown[]> {
  const simulator = createSimulator({ onRequest: () => ({ answer: { text: 'Well.' } }) });
  const door = await simulator.listen();
  onTestFinished(() => door.close());
  const bodies: unknown[] = [];
  const agent = createAgent({
    model: MODELS[provider],
    provider,
    apiKey: KEY,
    baseURL: `${door.url}${PATHS[provider]}`,
    modelOptions,
    connection: { onRequest: (body) => void bodies.push(JSON.parse(new TextDecoder().decode(body))) },
  });
  const session = await agent.open();
  if (set !== undefined) session.setReasoning(set);
  expect(await session.prompt('Hello.')).toMatchObject({ outcome: 'completed' });
  await agent.close();
  return bodies;
}

const EFFORT = {
  anthropic: { output_config: { effort: 'low' } },
  openai: { reasoning: { effort: 'low' } },
  openrouter: { reasoning: { effort: 'low' } },
};

describe.each(['anthropic', 'openai', 'openrouter'] as const)('reasoning effort for %s', (provider) => {
  test.each([[{ effort: 'low' }], [{ reasoning: { effort: 'low' } }], [{ 'reasoning.effort': 'low' }]])(
    'is sent in its own field: %j',
    async (parameters) => {
      expect(await bodiesOf(provider, { parameters })).toEqual([expect.objectContaining(EFFORT[provider])]);
    },
  );

  test('is set by `setReasoning({ effort })`', async () => {
    expect(await bodiesOf(provider, {}, { effort: 'low' })).toEqual([expect.objectContaining(EFFORT[provider])]);
  });
});

function refusalOf(options: object): unknown {
  try {
    Reflect.apply(createAgent, undefined, [{ apiKey: KEY, ...options }]);
  } catch (error) {
    return error;
  }
  return undefined;
}

const refused = (code: string, message: string): object => ({ code, message: expect.stringContaining(message) });

test.each<[object, string]>([
  [{ reasoningEffort: 'low' }, 'did you mean "reasoning.effort"? use one of context_management'],
  [{ effort: 'low', reasoning: { effort: 'high' } }, 'the parameter "reasoning.effort" of gpt-6.1-sol is given twice'],
])('the parameters %j are refused with the right name', (parameters, message) => {
  expect(refusalOf({ model: 'gpt-6.1-sol', modelOptions: { parameters } })).toMatchObject(
    refused('kit/bad-options', message),
  );
});

test.each<[string, string]>([
  ['claude-sonet-5-5', 'claude-sonnet-5-5'],
  ['claude-sonnet-55', 'claude-sonnet-5-5'],
  ['claude-4-sonnet', 'claude-sonnet-4-20250514'],
  ['claude-sonnet', 'claude-sonnet-5-5'],
  ['claude', 'claude-sonnet-5-5'],
  ['gpt-6.1-soul', 'gpt-6.1-sol'],
])('the misspelled model %s is refused with the name %s', (model, nearest) => {
  expect(refusalOf({ model })).toMatchObject(refused('kit/unknown-model', `did you mean ${nearest}?`));
});

test.each(['claude-sonnet-6', 'claude-sonnet-5-6', 'claude-saga-6', 'claude-3-opus-20240229'])(
  'the model %s, which the catalog does not know yet or any more, gets the row of a similar model',
  (model) => {
    expect(refusalOf({ model })).toBeUndefined();
  },
);

test('a misspelled model of OpenRouter is refused with the nearest name, and accepted with a context window', () => {
  const options = { model: 'anthropic/claude-sonet-5.5', provider: 'openrouter' };
  expect(refusalOf(options)).toMatchObject(
    refused('kit/bad-options', 'did you mean anthropic/claude-sonnet-5.5? Otherwise set'),
  );
  expect(refusalOf({ ...options, modelOptions: { contextWindow: 100_000 } })).toBeUndefined();
});

test('an MCP server with both `command` and `url` is refused, and the error names the field to keep', () => {
  const mcp = { servers: { files: { command: 'a', url: 'http://127.0.0.1/' } } };
  expect(refusalOf({ model: MODELS.anthropic, mcp })).toMatchObject(
    refused(
      'kit/bad-options',
      'mcp.servers.files: has both `command` and `url`: keep `command` to start the server, or `url` to reach it',
    ),
  );
});

test('a short key is not masked inside words, and a key of 12 characters is masked everywhere', async () => {
  const shown = async (apiKey: string, words: string): Promise<string> => {
    const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Well.' }] }) });
    const environment = { SHOP_TOKEN: apiKey };
    const agent = createAgent({ model: MODELS.anthropic, provider, apiKey, host: { environment } });
    await (await agent.open()).prompt(words);
    await agent.close();
    return new TextDecoder().decode(provider.sent[0]?.body);
  };
  for (const key of ['test', 'ollama', 'secret7', 'simulated'])
    expect(await shown(key, `a ${key}ing and ${key}`)).toContain(`a ${key}ing and ${key}`);
  expect(await shown('a-key-of-12c', 'xa-key-of-12cx')).toContain('x[secret:');
});
