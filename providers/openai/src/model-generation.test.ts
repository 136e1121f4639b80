import { expect, it } from 'vitest';
import { billsWrites, isReasoning } from './model-generation.ts';

it.each([
  ['gpt-6.1-sol', true, true],
  ['gpt-6-luna', true, true],
  ['openai/gpt-5.6-terra', true, true],
  ['gpt-5.5', true, false],
  ['gpt-5-mini-2025-08-07', true, false],
  ['gpt-4.1', false, false],
  ['gpt-4o', false, false],
  ['o4-mini', true, false],
  ['gpt-oss:20b', false, undefined],
  ['llama3.3', false, undefined],
  ['olmo-2', false, undefined],
])('for the model %s, `isReasoning` is %s and `billsWrites` is %s', (model, reasons, writes) => {
  expect(isReasoning(model)).toBe(reasons);
  expect(billsWrites(model)).toBe(writes);
});
