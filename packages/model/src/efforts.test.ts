// Tests the values of the reasoning effort of the models of the catalog.

import { expect, test } from 'vitest';

import type { Capabilities } from './capabilities.ts';
import { defaultCatalog } from './default-catalog.ts';
import { effortProblem, effortsOf } from './efforts.ts';
import { findModel } from './find-model.ts';
import { unlistedModel } from './unlisted-model.ts';

function rowOf(name: string): Capabilities {
  const found = findModel(defaultCatalog(), name);
  if (found === undefined) throw new Error(`the catalog has no ${name}`);
  return found;
}

test.each([
  ['claude-sonnet-5-5', 'low medium high xhigh max'],
  ['claude-opus-4-7', 'low medium high xhigh max'],
  ['claude-sonnet-4-6', 'low medium high max'],
  ['claude-opus-4-5-20251101', 'low medium high'],
  ['claude-sonnet-4-5-20250929', ''],
  ['claude-3-haiku-20240307', ''],
  ['gpt-6.1-sol', 'none low medium high xhigh max'],
  ['gpt-5.4', 'none low medium high xhigh'],
  ['gpt-5.1', 'none low medium high'],
  ['gpt-5-mini', 'minimal low medium high'],
  ['o3', 'low medium high'],
  ['gpt-4.1', ''],
  ['anthropic/claude-opus-5.5', 'none minimal low medium high xhigh'],
])('%s accepts the efforts: %s', (name, efforts) => {
  expect(effortsOf(rowOf(name))?.join(' ')).toBe(efforts);
});

test('the efforts of a model that the catalog does not list are unknown', () => {
  const row = unlistedModel({ provider: 'compatible', model: 'llama', window: 8_000, outputLimit: 1_000, asOf: 'now' });
  expect(effortsOf(row)).toBeUndefined();
});

test.each([
  ['gpt-5.1', 'high', undefined],
  ['gpt-5.1', 'max', 'gpt-5.1 does not have the effort "max": use one of none, low, medium, high'],
  ['gpt-4.1', 'low', 'gpt-4.1 does not have the effort "low": remove it'],
])('the problem of %s with the effort %s is: %s', (name, effort, problem) => {
  expect(effortProblem(rowOf(name), effort)).toBe(problem);
});
