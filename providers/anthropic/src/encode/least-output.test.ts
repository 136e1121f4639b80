import { defaultCatalog, findModel } from '@tidemark/model';
import { expect, test } from 'vitest';
import { leastOutput } from './least-output.ts';

test('nothing is asked for where the model writes its cache alone and the parameters allow it (provider facts 1.1)', () => {
  const row = findModel(defaultCatalog(), 'claude-opus-5-5', 'anthropic');
  if (row === undefined) throw new Error('the catalog has no claude-opus-5-5');
  expect(leastOutput({}, row)).toBe(0);
  expect(leastOutput({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, row)).toBe(0);
  expect(leastOutput({}, { ...row, prewarm: false })).toBe(1);
  expect(leastOutput({ tool_choice: { type: 'any' } }, row)).toBe(1);
  expect(leastOutput({ output_config: { format: { type: 'json_schema' } } }, row)).toBe(1);
  // The limit must exceed the budget.
  expect(leastOutput({ thinking: { type: 'enabled', budget_tokens: 2_000 } }, row)).toBeUndefined();
});
