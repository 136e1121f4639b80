import { describe, expect, it } from 'vitest';
import { defaultCatalog } from './default-catalog.ts';
import { findModel } from './find-model.ts';
import { idleParameters, nameParameters, renameParameters } from './render-parameters.ts';
import type { Capabilities } from './capabilities.ts';

function row(model: string, provider: string): Capabilities {
  const found = findModel(defaultCatalog(), model, provider);
  if (found === undefined) throw new Error(`no row for ${model}`);
  return found;
}

const ROWS = {
  anthropic: row('claude-sonnet-5-5', 'anthropic'),
  openai: row('gpt-6.1-sol', 'openai'),
  openrouter: row('anthropic/claude-sonnet-5.5', 'openrouter'),
};

const THINKING = { thinking: { type: 'enabled', budget_tokens: 2_000 } };

describe('nameParameters', () => {
  it.each<[keyof typeof ROWS, object, object]>([
    ['anthropic', { effort: 'high' }, { effort: 'high' }],
    ['anthropic', { reasoning: { effort: 'high' } }, { effort: 'high' }],
    ['anthropic', { 'reasoning.effort': 'high' }, { effort: 'high' }],
    ['anthropic', THINKING, THINKING],
    ['openai', { effort: 'high' }, { 'reasoning.effort': 'high' }],
    ['openai', { reasoning: { effort: 'high' } }, { 'reasoning.effort': 'high' }],
    ['openai', { 'reasoning.effort': 'high' }, { 'reasoning.effort': 'high' }],
    [
      'openai',
      { reasoning: { effort: 'high' }, text: { verbosity: 'low' } },
      { 'reasoning.effort': 'high', 'text.verbosity': 'low' },
    ],
    ['openai', { effort: null }, { 'reasoning.effort': null }],
    ['openrouter', { effort: 'high' }, { 'reasoning.effort': 'high' }],
    ['openrouter', { reasoning: { effort: 'high' } }, { 'reasoning.effort': 'high' }],
  ])('names the parameters of %s as its row does: %j', (provider, given, parameters) => {
    expect(nameParameters(Object.fromEntries(Object.entries(given)), ROWS[provider])).toEqual({ parameters });
  });

  it('omits a member that is `undefined`', () => {
    expect(nameParameters({ reasoning: { effort: undefined } }, ROWS.openai)).toEqual({ parameters: {} });
  });

  it.each<[keyof typeof ROWS, object, object]>([
    ['anthropic', { efort: 'high' }, { problem: 'unknown', name: 'efort' }],
    ['anthropic', { model: 'x' }, { problem: 'unknown', name: 'model' }],
    ['openai', { reasoning: { effort: 'high', depth: 3 } }, { problem: 'unknown', name: 'reasoning.depth' }],
    ['openai', { reasoning: 'high' }, { problem: 'unknown', name: 'reasoning' }],
    ['openai', { thinking: { type: 'enabled' } }, { problem: 'unknown', name: 'thinking.type' }],
    ['openai', { effort: 'low', reasoning: { effort: 'high' } }, { problem: 'twice', name: 'reasoning.effort' }],
  ])('reports the problem of %s with %j', (provider, given, problem) => {
    expect(nameParameters(Object.fromEntries(Object.entries(given)), ROWS[provider])).toEqual(problem);
  });
});

describe('renameParameters', () => {
  it('gives each parameter the name that the model has for it, and keeps the others', () => {
    expect(renameParameters({ effort: 'low', ...THINKING }, ROWS.openai)).toEqual({
      'reasoning.effort': 'low',
      ...THINKING,
    });
  });

  it('takes the later one of two parameters that mean the same', () => {
    expect(renameParameters({ effort: 'low', 'reasoning.effort': 'high' }, ROWS.anthropic)).toEqual({ effort: 'high' });
  });
});

it('`idleParameters` returns the names that the model does not have', () => {
  expect(idleParameters({ effort: 'low', ...THINKING }, ROWS.openai)).toEqual(['effort', 'thinking']);
  expect(idleParameters({ 'reasoning.effort': 'low' }, ROWS.openai)).toEqual([]);
});
