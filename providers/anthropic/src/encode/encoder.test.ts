import { defaultCatalog, findModel } from '@tidemark/model';
import { describeEncoderContract } from '@tidemark/model/contract';
import { expect, it, test } from 'vitest';
import { anthropicEncoder, leastOutput, tokenCountBody } from './encoder.ts';

describeEncoderContract('anthropic', {
  encoder: anthropicEncoder,
  to: { provider: 'anthropic', model: 'claude-sonnet-5-5' },
});

test('`leastOutput` is 0 if the model writes its cache without an answer and the parameters allow this (provider facts 1.1)', () => {
  const row = findModel(defaultCatalog(), 'claude-opus-5-5', 'anthropic');
  if (row === undefined) throw new Error('the catalog has no claude-opus-5-5');
  expect(leastOutput({}, row)).toBe(0);
  expect(leastOutput({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, row)).toBe(0);
  expect(leastOutput({}, { ...row, prewarm: false })).toBe(1);
  expect(leastOutput({ tool_choice: { type: 'any' } }, row)).toBe(1);
  expect(leastOutput({ output_config: { format: { type: 'json_schema' } } }, row)).toBe(1);
  // The output limit must exceed the thinking budget, so there is no fixed minimum.
  expect(leastOutput({ thinking: { type: 'enabled', budget_tokens: 2_000 } }, row)).toBeUndefined();
});

const count = (body: string): string => new TextDecoder().decode(tokenCountBody(new TextEncoder().encode(body)));

it('`tokenCountBody` drops the fields that the count endpoint refuses and keeps every other byte', () => {
  const kept =
    '"model":"m","thinking":{"type":"adaptive"},"tools":[{"name":"a","input_schema":{"10":1.0,"9":"\\u00e9}"}}],"messages":[ {"role":"user","content":"é"}]';
  expect(
    count(`{${kept},"max_tokens":9,"stream":true,"metadata":{"user_id":"u"},"diagnostics":{},"temperature":1}`),
  ).toBe(`{${kept}}`);
});
