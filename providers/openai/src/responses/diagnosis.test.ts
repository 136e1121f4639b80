import { expect, it, test } from 'vitest';
import { beginResponse } from './stream.ts';
import { decodeResponse } from './answer.ts';

const told = (prompt_cache_diagnostics: unknown): unknown => {
  const fields = { id: 'resp_2', model: 'm', status: 'completed', output: [], usage: {}, prompt_cache_diagnostics };
  const whole = decodeResponse(JSON.stringify(fields)).diagnosis;
  const said = beginResponse()
    .take(JSON.stringify({ type: 'response.completed', response: fields }))
    .at(-1);
  expect(said?.type === 'finished' && said.answer.diagnosis).toEqual(whole);
  return whole;
};

test.each([
  [
    { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 4100 },
    { found: 'miss', reason: 'tools_changed', missed: 4100 },
  ],
  [{ type: 'cache_miss' }, { found: 'miss' }],
  [{ type: 'cache_hit' }, { found: 'hit' }],
  [{ type: 'comparison_response_not_found' }, { found: 'unknown-response' }],
  [{ type: 'unavailable' }, { found: 'unavailable' }],
])('reads %j, streamed and whole alike', (diagnostics, diagnosis) => {
  expect(told(diagnostics)).toEqual(diagnosis);
});

it('reads nothing where the field is missing, null, a word of tomorrow or of no known form', () => {
  expect([undefined, null, { type: 'pending' }, 7].map(told)).toEqual(Array.from({ length: 4 }));
});
