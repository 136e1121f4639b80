// Tests the known spellings of model names, and the substitute for an unknown model.

import { describe, expect, it } from 'vitest';
import { defaultCatalog } from './default-catalog.ts';
import { findModel, nearestModel, normalModelName } from './find-model.ts';

const catalog = defaultCatalog();

describe('findModel', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    ['claude-opus-4-5', 'claude-opus-4-5-20251101'],
    ['claude-sonnet-4-5-latest', 'claude-sonnet-4-5-20250929'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-20241022'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5-20250929'],
    ['openrouter/anthropic/claude-opus-5.5:beta', 'claude-opus-5-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929'],
    ['us-gov.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5-20251001'],
    ['anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['bedrock/eu.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1-20250805'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5-20250929'],
    ['claude-opus-4-8@default', 'claude-opus-4-8'],
    ['publishers/anthropic/models/claude-opus-4-5@20251101', 'claude-opus-4-5-20251101'],
    ['claude-opus-4-6[1m]', 'claude-opus-4-6'],
    ['Claude-Opus-4-6', 'claude-opus-4-6'],
    ['openai/gpt-5.1', 'gpt-5.1'],
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
  ])('resolves %s to %s', (name, model) => {
    expect(findModel(catalog, name)?.model).toBe(model);
    expect(nearestModel(catalog, name)?.exact).toBe(true);
  });

  it('finds each row by its own name and by each alias', () => {
    for (const row of catalog.rows) {
      for (const name of [row.model, ...row.aliases]) expect(findModel(catalog, name, row.provider)).toBe(row);
    }
  });

  it('searches only the rows of the named provider', () => {
    expect(findModel(catalog, 'claude-opus-5-5', 'anthropic')?.model).toBe('claude-opus-5-5');
    expect(findModel(catalog, 'claude-opus-5-5', 'openai')).toBeUndefined();
  });

  it.each(['', 'claude', 'sonnet', 'gpt-5.1-codex', 'claude-opus-9', 'llama'])('returns undefined for %j', (name) => {
    expect(findModel(catalog, name)).toBeUndefined();
  });

  it('relies on names in normal form: `normalModelName` leaves each name of a maker’s row unchanged', () => {
    for (const row of catalog.rows.filter(({ provider }) => provider !== 'openrouter')) {
      for (const name of [row.model, ...row.aliases]) expect(normalModelName(name)).toBe(name);
    }
  });
});

describe('nearestModel', () => {
  it.each([
    ['claude-opus-9', 'claude-opus-5-5'],
    ['claude-opus-4-2', 'claude-opus-4-1-20250805'],
    ['claude-3-opus-20240229', 'claude-opus-4-20250514'],
    ['claude-3-5-sonnet-20241022', 'claude-3-7-sonnet-20250219'],
    ['claude-haiku-5', 'claude-haiku-5-5'],
    ['claude-fable-5-3', 'claude-fable-5-2'],
    ['claude-opus-next', 'claude-opus-5-5'],
    ['claude-saga-6', 'claude-sonnet-5-5'],
    ['claude-2.1', 'claude-3-7-sonnet-20250219'],
  ])('replaces %s by the row of %s and reports an inexact match', (name, model) => {
    const nearest = nearestModel(catalog, name);
    expect([nearest?.capabilities.model, nearest?.exact]).toEqual([model, false]);
  });

  it.each([
    ['claude-opus-4-6', ['claude-opus-4-5-20251101', 'claude-opus-4-7']],
    ['claude-opus-4-7', ['claude-opus-4-6', 'claude-opus-4-8']],
    ['claude-haiku-5', ['claude-haiku-4-5-20251001', 'claude-haiku-5-5']],
  ])('prefers the newer of two versions equally near to %s', (name, near) => {
    const rows = catalog.rows.filter((row) => near.includes(row.model)).toReversed();
    expect(nearestModel({ ...catalog, rows }, name)?.capabilities.model).toBe(near[1]);
  });

  it.each(['gpt-5.1-codex', 'sonnet', '<synthetic>', ''])('returns undefined for %j', (name) => {
    expect(nearestModel(catalog, name)).toBeUndefined();
  });
});
