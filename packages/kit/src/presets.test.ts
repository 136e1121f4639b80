// Tests the presets of compatible servers, and the places of the keys for a server address.

import { describe, expect, test } from 'vitest';
import { chooseProvider } from './choose-provider.ts';
import { PRESETS } from './presets.ts';
import type { ProviderName } from './providers.ts';
import { isCompatible, keyLocation, PROVIDERS } from './providers.ts';

describe('a preset', () => {
  test('has a title, an address, a link to its documentation, and says that it is untested', () => {
    expect(Object.keys(PRESETS)).toEqual([
      'deepseek',
      'groq',
      'mistral',
      'together',
      'fireworks',
      'xai',
      'moonshot',
      'zai',
      'ollama',
      'lmstudio',
      'vllm',
      'llamacpp',
    ]);
    for (const [name, preset] of Object.entries(PRESETS)) {
      expect(preset.documentation).toMatch(/^https:\/\//);
      expect(preset.untested).toMatch(/^untested: no real call was made/);
      expect(preset.baseURL).not.toMatch(/\/$|completions/);
      expect(isCompatible(name)).toBe(true);
    }
  });

  test('is local without a key, or has HTTPS and a variable for its key', () => {
    for (const { baseURL, variable } of Object.values(PRESETS)) {
      const { protocol, hostname } = new URL(baseURL);
      expect([protocol, hostname === '127.0.0.1']).toEqual(
        variable === undefined ? ['http:', true] : ['https:', false],
      );
    }
  });

  test('has its address from the documentation', () => {
    expect(Object.values(PRESETS).map(({ baseURL }) => baseURL)).toEqual([
      'https://api.deepseek.com',
      'https://api.groq.com/openai/v1',
      'https://api.mistral.ai/v1',
      'https://api.together.ai/v1',
      'https://api.fireworks.ai/inference/v1',
      'https://api.x.ai/v1',
      'https://api.moonshot.ai/v1',
      'https://api.z.ai/api/paas/v4',
      'http://127.0.0.1:11434/v1',
      'http://127.0.0.1:1234/v1',
      'http://127.0.0.1:8000/v1',
      'http://127.0.0.1:8080/v1',
    ]);
  });

  test('keeps prices and caching unknown without a catalog row', () => {
    const { capabilities } = chooseProvider({
      model: 'some-model',
      provider: 'together',
      apiKey: 'key-of-together',
      modelOptions: { contextWindow: 32_768 },
    });
    expect(capabilities).toMatchObject({ provider: 'together', prices: [], markers: 'unknown', ttls: [] });
  });

  test('takes the catalog row of its provider', () => {
    const { capabilities } = chooseProvider({ model: 'deepseek-flash', provider: 'deepseek', apiKey: 'key' });
    expect(capabilities).toMatchObject({ provider: 'deepseek', window: { tokens: 1_000_000 } });
    expect(capabilities.prices).not.toEqual([]);
  });
});

describe('`keyLocation`', () => {
  test.each<[ProviderName, string | undefined, object]>([
    ['anthropic', undefined, { variable: 'ANTHROPIC_API_KEY', entry: 'anthropic', required: true }],
    ['anthropic', 'https://gateway.example', { variable: 'ANTHROPIC_API_KEY', entry: 'anthropic', required: true }],
    ['deepseek', undefined, { variable: 'DEEPSEEK_API_KEY', entry: 'deepseek', required: true }],
    ['deepseek', 'https://api.deepseek.com/beta', { variable: 'DEEPSEEK_API_KEY', entry: 'deepseek', required: true }],
    [
      'deepseek',
      'https://api.deepseek.com.evil.example/v1',
      {
        variable: 'TIDEMARK_API_DEEPSEEK_COM_EVIL_EXAMPLE_API_KEY',
        entry: 'deepseek@https://api.deepseek.com.evil.example',
        required: false,
      },
    ],
    [
      'deepseek',
      'http://api.deepseek.com',
      { variable: 'TIDEMARK_API_DEEPSEEK_COM_API_KEY', entry: 'deepseek@http://api.deepseek.com', required: false },
    ],
    [
      'compatible',
      'https://LLM.example.com:8443/v1',
      {
        variable: 'TIDEMARK_LLM_EXAMPLE_COM___8443_API_KEY',
        entry: 'compatible@https://llm.example.com:8443',
        required: false,
      },
    ],
    ['ollama', undefined, { variable: 'TIDEMARK_127_0_0_1___11434_API_KEY', entry: 'ollama', required: false }],
    ['compatible', 'http://[::1]:8000/v1', { entry: 'compatible@http://[::1]:8000', required: false }],
    ['compatible', 'https://xn--a.example/v1', { entry: 'compatible@https://xn--a.example', required: false }],
    ['compatible', undefined, { entry: 'compatible', required: false }],
  ])('of %s at %s is %j', (name, baseURL, place) => {
    expect(keyLocation(name, baseURL)).toEqual(place);
  });

  test('gives two hosts different variables', () => {
    const hosts = ['a-b.example', 'a.b.example', 'a.b-example', 'ab.example', 'a.b.example:80', 'a.b.example.80'];
    const variables = hosts.map((host) => keyLocation('compatible', `https://${host}/v1`).variable);
    expect(new Set(variables).size).toBe(hosts.length);
  });
});

describe('the key of a preset', () => {
  const account = (baseURL: string | undefined, environment: Record<string, string>): string | undefined =>
    chooseProvider({
      model: 'm',
      provider: 'groq',
      modelOptions: { contextWindow: 32_768 },
      host: { environment },
      ...(baseURL !== undefined && { baseURL }),
    }).provider.account;

  test('is not sent to an address with another host, which has a variable of its own', () => {
    const key = `key-of-groq-${'x'.repeat(12)}`;
    const other = 'https://proxy.example/v1';
    const without = account(other, {});
    expect(account(other, { GROQ_API_KEY: key })).toBe(without);
    expect(account(other, { TIDEMARK_PROXY_EXAMPLE_API_KEY: key })).not.toBe(without);
    expect(account(`${PROVIDERS.groq.baseURL}/`, { GROQ_API_KEY: key })).toMatch(/^[0-9a-f]{12}$/);
  });
});

test('the token in `ANTHROPIC_AUTH_TOKEN` is used if there is no key', () => {
  const account = (environment: Record<string, string>): string | undefined =>
    chooseProvider({ model: 'claude-sonnet-5-5', host: { environment } }).provider.account;
  const token = { ANTHROPIC_AUTH_TOKEN: `token-${'t'.repeat(16)}` };
  expect(account(token)).toBeUndefined();
  expect(account({ ...token, ANTHROPIC_API_KEY: `key-${'k'.repeat(20)}` })).toMatch(/^[0-9a-f]{12}$/);
  expect(() => account({})).toThrow(expect.objectContaining({ code: 'kit/no-key' }));
});
