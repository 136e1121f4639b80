// Compares the shipped catalog with the published figures, so that an edit of the data file fails a test.

import { describe, expect, it } from 'vitest';
import type { Capabilities } from './capabilities.ts';
import { defaultCatalog } from './default-catalog.ts';
import { findModel, normalModelName, undatedModelName } from './find-model.ts';
import { parseCatalog } from './parse-catalog.ts';

const catalog = defaultCatalog();

function row(model: string): Capabilities {
  const found = findModel(catalog, model);
  if (found === undefined) throw new Error(`no row for ${model}`);
  return found;
}

const anthropic = catalog.rows.filter((one) => one.provider === 'anthropic');

describe('the shipped catalog', () => {
  it('is the same value on each call of `defaultCatalog`', () => {
    expect(defaultCatalog()).toBe(catalog);
  });

  it('passes `parseCatalog` with every field unchanged', () => {
    expect(parseCatalog(structuredClone(catalog))).toStrictEqual(catalog);
  });

  it('has the expected number of models of four makers and one router', () => {
    const count = (provider: string): number => catalog.rows.filter((one) => one.provider === provider).length;
    const makers = [count('anthropic'), count('openai'), count('google'), count('deepseek')];
    expect([...makers, count('openrouter')]).toEqual([24, 22, 13, 2, 14]);
  });

  it('has a source, a date and a price in each row', () => {
    for (const one of catalog.rows) {
      expect(one.source).not.toBe('');
      expect(one.asOf).toMatch(/^2026-1[01]/);
      expect(one.prices.length).toBeGreaterThan(0);
      expect(one.inputLimit).toBeLessThanOrEqual(one.window.tokens);
    }
  });

  it.each([
    [512, ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-fable-5-1', 'claude-mythos-5-1', 'claude-opus-5-5']],
    [512, ['claude-opus-5', 'claude-sonnet-5-5', 'claude-fable-5', 'claude-mythos-5', 'claude-haiku-5-5']],
    [1_024, ['claude-opus-4-8', 'claude-sonnet-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5']],
    [1_024, ['claude-opus-4-1', 'claude-opus-4', 'claude-sonnet-4', 'claude-3-7-sonnet']],
    [2_048, ['claude-opus-4-7', 'claude-3-5-haiku', 'claude-3-haiku']],
    [4_096, ['claude-opus-4-6', 'claude-opus-4-5', 'claude-haiku-4-5']],
  ])('sets the floor to %i for the models that provider-facts §1.2 lists', (floor, models) => {
    expect(models.map((model) => row(model).floor)).toEqual(models.map(() => floor));
  });

  it('gives each Anthropic row the marker rules of §1.1: 4 slots, 20 positions, collapsed runs, two lifetimes', () => {
    for (const { markers, slots, lookback, runsCollapse, ttls, prewarm, promotes } of anthropic) {
      expect({ markers, slots, lookback, runsCollapse, ttls, prewarm, promotes }).toEqual({
        markers: 'explicit',
        slots: 4,
        lookback: 20,
        runsCollapse: true,
        ttls: ['5m', '1h'],
        prewarm: true,
        promotes: 'unverified',
      });
    }
  });

  it('lists the first cache section that is lost when a setting changes, as in §1.3', () => {
    expect(row('claude-opus-4-6').renderParameters).toEqual({
      model: 'tools',
      speed: 'system',
      webSearch: 'system',
      citations: 'system',
      tool_choice: 'messages',
      disable_parallel_tool_use: 'messages',
      images: 'messages',
      thinking: 'messages',
      effort: 'messages',
    });
  });

  const named = (rule: (one: Capabilities) => boolean): readonly string[] =>
    anthropic.filter(rule).map((one) => one.aliases[0] ?? one.model);

  it('strips old thinking on the older models and on each Haiku up to 4.5', () => {
    expect(named((one) => one.thinkingStripped === 'at-new-turn')).toEqual([
      'claude-sonnet-4-5',
      'claude-haiku-4-5',
      'claude-opus-4-1',
      'claude-opus-4',
      'claude-sonnet-4',
      'claude-3-7-sonnet',
      'claude-3-5-haiku',
      'claude-3-haiku',
    ]);
  });

  it('sets `prefixCheck` and rules out forced tool choice for Claude models from 5.1 on', () => {
    const bound = ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'];
    expect(named((one) => one.prefixCheck)).toEqual([...bound, 'claude-fable-5-1', 'claude-mythos-5-1']);
    expect(named((one) => !one.forcedToolChoice)).toEqual(named((one) => one.prefixCheck));
  });

  it('sets `diagnoses` only for Anthropic, and for OpenAI models from GPT-5.6 on', () => {
    expect(named((one) => one.diagnoses !== true)).toEqual([]);
    const others = catalog.rows.filter(({ provider, diagnoses }) => provider !== 'anthropic' && diagnoses === true);
    expect(others.map(({ provider }) => provider)).toEqual(others.map(() => 'openai'));
    const paying = catalog.rows.filter(({ provider, implicit }) => provider === 'openai' && implicit?.at === 'endings');
    expect(others).toEqual(paying);
  });

  it('accepts appended system messages for Opus 4.8 and the fifth generation, except Sonnet 5', () => {
    expect(row('claude-opus-4-8').appends).toEqual(['system', 'tools']);
    expect(row('claude-opus-5-5').appends).toEqual(['system', 'reasoning', 'tools']);
    expect(row('claude-sonnet-5').appends).toEqual([]);
    expect(row('claude-opus-4-7').appends).toEqual([]);
  });

  it('sets `window.sharedWithOutput` to `refused` before Claude 4.5 and to `stops` from 4.5 on, and allows no prefill from 4.6 on', () => {
    expect(row('claude-opus-4-1').window.sharedWithOutput).toBe('refused');
    expect(row('claude-opus-4-5').window.sharedWithOutput).toBe('stops');
    expect([row('claude-haiku-4-5').prefill, row('claude-opus-4-6').prefill]).toEqual([true, false]);
  });

  it('leaves an unknown floor and unknown prices absent', () => {
    expect(row('gpt-5.1').floor).toBeUndefined();
    expect(row('gpt-5.1').prices[0]?.tiers[0]?.price.writes).toEqual({});
    expect(row('gemini-4-hydrogen').prices[0]?.tiers[0]?.price.read).toBeUndefined();
  });

  it('gives each OpenRouter row the floor, lookback, lifetimes and prices of its upstream, and passes markers through for Claude', () => {
    const routed = catalog.rows.filter(({ provider }) => provider === 'openrouter');
    for (const one of routed) {
      const upstream = row(one.aliases[0] ?? '');
      const { floor, lookback, ttls, prices, inputLimit, outputLimit } = upstream;
      const slots = upstream.provider === 'anthropic' ? upstream.slots : 0;
      expect(one).toMatchObject({ slots, lookback, ttls, prices, inputLimit, outputLimit });
      expect(one.floor).toBe(floor);
      expect(one.markers).toBe(upstream.provider === 'anthropic' ? 'pass-through' : 'implicit');
      expect(normalModelName(one.model)).toBe(undatedModelName(normalModelName(upstream.model)));
    }
  });

  it('has no marker slots for makers that cache implicitly, except 3 slots for GPT-5.6 and later', () => {
    for (const one of catalog.rows.filter(({ provider }) => !['anthropic', 'openrouter'].includes(provider))) {
      expect([one.markers, one.slots]).toEqual(['implicit', one.ttls.includes('30m') ? 3 : 0]);
    }
  });

  it('has the three kinds of OpenAI’s implicit cache from §2.1, and none for Gemini and DeepSeek', () => {
    const endings = { at: 'endings', idle: 30, lookup: 20 };
    expect([row('gpt-5.6-sol'), row('gpt-6.1-terra')].map(({ implicit }) => implicit)).toEqual([endings, endings]);
    expect(row('gpt-5.5').implicit).toEqual({ at: 'grid', idle: 30, age: 1_440, first: 2_048, step: 2_048 });
    expect(row('gpt-4o').implicit).toEqual({ at: 'grid', idle: 1_440, age: 1_440, first: 1_024, step: 128 });
    expect([row('gemini-2.5-pro'), row('deepseek-flash')].map(({ implicit }) => implicit)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('routes OpenAI’s older models by key, and has no routing for other makers', () => {
    expect(['gpt-5.6-luna', 'gpt-5.5', 'o3'].map((model) => row(model).routing)).toEqual([
      'automatic',
      'by-key',
      'by-key',
    ]);
    for (const one of catalog.rows.filter(({ provider }) => !['openai', 'openrouter'].includes(provider)))
      expect('routing' in one).toBe(false);
  });

  it('omits `reasoning.effort` for GPT-4o and GPT-4.1, because they do not reason', () => {
    const asked = catalog.rows.filter(
      ({ provider, renderParameters }) => provider === 'openai' && 'reasoning.effort' in renderParameters,
    );
    const rest = catalog.rows.filter((one) => one.provider === 'openai' && !asked.includes(one));
    expect(rest.map(({ model }) => model)).toEqual(['gpt-4.1', 'gpt-4.1-mini', 'gpt-4o']);
  });
});
