// Tests `chooseProvider`: the provider that the options select, its key and address, and the capabilities of the model.

import { createScriptedProvider } from '@tidemark/provider-scripted';
import { describe, expect, test } from 'vitest';
import type { AgentOptions } from './agent-options.ts';
import { chooseProvider } from './choose-provider.ts';

const KEYS = {
  ANTHROPIC_API_KEY: 'key-of-anthropic',
  OPENAI_API_KEY: 'key-of-openai-x',
  OPENROUTER_API_KEY: 'key-of-openrouter',
};
const LOCAL = { provider: 'compatible', model: 'llama3.3', baseURL: 'http://127.0.0.1:11434/v1' } as const;

const chosen = (options: AgentOptions): readonly [string, string, string] => {
  const { provider, capabilities } = chooseProvider({ host: { environment: KEYS }, ...options });
  return [provider.name, provider.encoder.revision, capabilities.model];
};

describe('`chooseProvider`', () => {
  test.each<readonly [AgentOptions, string, string, string]>([
    [{ model: 'claude-sonnet-5-5' }, 'anthropic', 'anthropic-messages/1', 'claude-sonnet-5-5'],
    [{ model: 'gpt-6.1-sol' }, 'openai', 'openai-responses/1', 'gpt-6.1-sol'],
    [{ model: 'anthropic/claude-sonnet-5.5' }, 'openrouter', 'openrouter-chat/1', 'anthropic/claude-sonnet-5.5'],
    [{ model: 'anthropic/claude-sonnet-5-5' }, 'openrouter', 'openrouter-chat/1', 'anthropic/claude-sonnet-5.5'],
    [
      { model: 'claude-sonnet-5-5', provider: 'openrouter' },
      'openrouter',
      'openrouter-chat/1',
      'anthropic/claude-sonnet-5.5',
    ],
    [{ ...LOCAL, modelOptions: { contextWindow: 32_768 } }, 'compatible', 'compatible-chat/1', 'llama3.3'],
    [
      { ...LOCAL, model: 'gpt-6.1-sol', modelOptions: { contextWindow: 32_768 } },
      'compatible',
      'compatible-chat/1',
      'gpt-6.1-sol',
    ],
    [
      { model: 'glm-5.3', provider: 'zai', apiKey: 'key-of-zai', modelOptions: { contextWindow: 32_768 } },
      'zai',
      'compatible-chat-reasoning/1',
      'glm-5.3',
    ],
    [
      { model: 'llama3.3', provider: 'ollama', modelOptions: { contextWindow: 32_768 } },
      'ollama',
      'compatible-chat/1',
      'llama3.3',
    ],
    [{ model: 'claude-sonnet-9' }, 'anthropic', 'anthropic-messages/1', 'claude-sonnet-9'],
  ])('selects the provider, the encoder and the model for %j', (options, provider, revision, model) => {
    expect(chosen(options)).toEqual([provider, revision, model]);
  });

  test("takes the catalog row of the provider that is called, and assumes nothing from another provider's row", () => {
    const { capabilities: routed } = chooseProvider({
      model: 'anthropic/claude-sonnet-5.5',
      host: { environment: KEYS },
    });
    expect(routed).toMatchObject({ provider: 'openrouter', markers: 'pass-through', floor: 512, slots: 4 });
    const said = { ...LOCAL, model: 'gpt-6.1-sol', modelOptions: { contextWindow: 32_768 }, maxOutputTokens: 4_096 };
    const { capabilities: local } = chooseProvider(said);
    expect(local).toMatchObject({ provider: 'compatible', inputLimit: 28_672, markers: 'unknown', prices: [] });
    const unlisted = {
      model: 'somebody/some-model',
      modelOptions: { contextWindow: 100_000 },
      host: { environment: KEYS },
    };
    expect(chooseProvider(unlisted).capabilities).toMatchObject({ provider: 'openrouter', markers: 'unknown' });
  });

  test('takes the row that the author added to the catalog for a compatible server', () => {
    const [known] = [chooseProvider({ ...LOCAL, modelOptions: { contextWindow: 8_000 } }).capabilities];
    const row = { ...known, prices: [{ from: '0001-01-01', tiers: [{ above: 0, price: FREE }] }] };
    const { capabilities } = chooseProvider({ ...LOCAL, modelOptions: { catalog: { revision: 1, rows: [row] } } });
    expect(capabilities.prices).toHaveLength(1);
  });
});

const FREE = { input: '0', output: '0', read: '0', writes: {} };

describe('`chooseProvider` refuses options', () => {
  const codeAndWords = (options: AgentOptions): readonly [unknown, string] => {
    try {
      chooseProvider(options);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return [error.code, error.message];
    }
    return [undefined, ''];
  };

  test.each<readonly [AgentOptions, string, string]>([
    [{ model: 'claude-sonnet-5-5' }, 'kit/no-key', 'ANTHROPIC_API_KEY'],
    [{ model: 'gpt-6.1-sol' }, 'kit/no-key', 'OPENAI_API_KEY'],
    [{ model: 'anthropic/claude-sonnet-5.5' }, 'kit/no-key', 'OPENROUTER_API_KEY'],
    [{ model: 'gpt-6.1-sol', provider: 'anthropic' }, 'kit/unknown-model', 'remove `provider`, or set it to openai'],
    [
      { model: 'claude-sonnet-5-5', provider: 'openai' },
      'kit/unknown-model',
      'remove `provider`, or set it to anthropic',
    ],
    [{ model: 'gpt-6.1-sole', provider: 'openai' }, 'kit/unknown-model', 'did you mean gpt-6.1-sol?'],
    [{ model: 'unheard-of' }, 'kit/unknown-model', 'provider: "compatible"'],
    [{ model: 'gemini-3.8-flash' }, 'kit/unknown-model', 'no provider here serves models of google: use a router'],
    [{ model: 'gemini-3.8-flsh' }, 'kit/unknown-model', 'did you mean gemini-3.8-flash?'],
    [{ model: 'some/unheard-of' }, 'kit/bad-options', 'set `modelOptions.contextWindow`'],
    [
      { model: 'gpt-6.1-sol', modelOptions: { contextWindow: 1_000 } },
      'kit/bad-options',
      'remove `modelOptions.contextWindow`',
    ],
    [{ ...LOCAL }, 'kit/bad-options', 'set `modelOptions.contextWindow`'],
    [
      { provider: 'compatible', model: 'llama3.3', modelOptions: { contextWindow: 8_000 } },
      'kit/bad-options',
      'set `baseURL`',
    ],
    [
      { model: 'claude-sonnet-5-5', connection: { transport: 'auto' } },
      'kit/bad-options',
      'remove `connection.transport`',
    ],
    [
      { ...LOCAL, modelOptions: { contextWindow: 8_000 }, connection: { transport: 'http' } },
      'kit/bad-options',
      'remove `connection.transport`',
    ],
    [{ model: 'grok-4.5', provider: 'xai', modelOptions: { contextWindow: 8_000 } }, 'kit/no-key', 'XAI_API_KEY'],
    [
      { model: 'grok-4.5', provider: 'xai', apiKey: 'key-of-xai' },
      'kit/bad-options',
      'set `modelOptions.contextWindow`',
    ],
    [
      { model: 'deepseek-flash', provider: 'deepseek', apiKey: 'key', modelOptions: { contextWindow: 8_000 } },
      'kit/bad-options',
      'remove `modelOptions.contextWindow`',
    ],
    [
      { model: 'claude-sonnet-5-5', apiKey: 'key', connection: { bearerToken: 'token' } },
      'kit/bad-options',
      'use one of them',
    ],
    [
      { model: 'gpt-6.1-sol', apiKey: 'key', connection: { transport: 'auto', fetch: globalThis.fetch } },
      'kit/bad-options',
      '`connection.fetch`',
    ],
    [
      { model: 'gpt-6.1-sol', connection: { transport: 'auto', bearerToken: () => 'token' } },
      'kit/bad-options',
      '`connection.bearerToken`',
    ],
    [
      { ...LOCAL, modelOptions: { contextWindow: 4_000 }, maxOutputTokens: 4_000 },
      'kit/bad-options',
      'smaller `maxOutputTokens`',
    ],
  ])('%j', (options, code, words) => {
    expect(codeAndWords(options)).toEqual([code, expect.stringContaining(words)]);
  });

  test.each([
    { baseURL: 'http://127.0.0.1:1' },
    { connection: { transport: 'auto' } },
    { connection: { headers: {} } },
    { connection: { bearerToken: 'token' } },
  ] as const)('%j with a provider that the author made', (idle) => {
    const provider = createScriptedProvider({ answers: [] });
    const [code, words] = codeAndWords({ model: 'claude-sonnet-5-5', provider, ...idle });
    const name = 'baseURL' in idle ? 'baseURL' : `connection.${Object.keys(idle.connection)[0]}`;
    expect([code, words]).toEqual(['kit/bad-options', expect.stringContaining(`\`${name}\` cannot be combined`)]);
  });
});
