// Tests the list of models: its facts, its filters, and the model that a short name means.

import { expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import { openStage } from '../../tests/scenario.ts';

async function tidemark(...args: readonly string[]): Promise<Ran> {
  const stage = openStage();
  const environment = { TIDEMARK_HOME: stage.home, ANTHROPIC_API_KEY: 'a-key-for-a-test' };
  try {
    return await pretendRun(['models', ...args], { folder: stage.folder, environment });
  } finally {
    stage.clear();
  }
}

async function jsonOf(...args: readonly string[]) {
  const ran = await tidemark(...args, '--json');
  return JSON.parse(ran.out);
}

test('a model is listed with prices per million tokens, limits, floor, efforts and key', async () => {
  const { models } = await jsonOf('claude-opus-5-5', '--provider', 'anthropic');
  expect(models).toMatchObject([
    {
      model: 'claude-opus-5-5',
      provider: 'anthropic',
      price: { input: expect.any(String), output: expect.any(String), read: expect.any(String) },
      window: expect.any(Number),
      outputLimit: expect.any(Number),
      floor: expect.any(Number),
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      key: true,
    },
  ]);
  expect(Object.keys(models[0].price.writes)).toEqual(['5m', '1h']);
});

test.each([
  ['opus', 'claude-opus-5-5', 'anthropic'],
  ['gpt', 'gpt-6.1-sol', 'openai'],
  ['sol', 'gpt-6.1-sol', 'openai'],
])('%s lists its models, and reports that the name means %s', async (name, newest, provider) => {
  const { out, exit } = await tidemark(name);
  expect(exit).toBe(0);
  expect(out).toContain(`"${name}" is ${newest}: \`--model ${name}\` uses it`);
  const { models, resolved } = await jsonOf(name, '--provider', provider);
  expect(resolved).toBe(newest);
  expect(models.length).toBeGreaterThan(1);
  for (const { model } of models) expect(model).toContain(name);
});

test('a provider before other words limits the models to its own', async () => {
  const { models } = await jsonOf('openai', 'mini');
  expect(models.length).toBeGreaterThan(1);
  for (const { model, provider } of models) {
    expect(provider).toBe('openai');
    expect(model).toContain('mini');
  }
  expect((await jsonOf('deepseek')).models.length).toBeGreaterThan(0);
});

test('without a filter, the callable models and every provider are listed', async () => {
  const { models, providers } = await jsonOf();
  const listed = new Set(models.map(({ provider }: { readonly provider: string }) => provider));
  expect(listed).toEqual(new Set(['anthropic', 'openai', 'openrouter', 'deepseek']));
  expect(providers.find((one: { readonly provider: string }) => one.provider === 'anthropic')).toMatchObject({
    key: true,
  });
  expect(providers.find((one: { readonly provider: string }) => one.provider === 'openai')).toMatchObject({
    key: false,
  });
  expect(models.find((one: { readonly model: string }) => one.model === 'gpt-4.1')).toMatchObject({ key: false });
});

test('words filter together, and words that match nothing are refused with the nearest name', async () => {
  const { models } = await jsonOf('gpt', 'mini', '--provider', 'openai');
  expect(models.map(({ model }: { readonly model: string }) => model)).toEqual([
    'gpt-5.4-mini',
    'gpt-5-mini',
    'gpt-4.1-mini',
  ]);
  expect(await tidemark('claude-opus-5-6')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('did you mean claude-opus-5'),
  });
});
