import { expect, it, test } from 'vitest';
import { NOTHING, decodeEvent, decodeMessage } from './stream.ts';

const decode = (diagnostics: unknown): unknown => {
  const fields = { id: 'msg_2', model: 'm', content: [], stop_reason: 'end_turn', usage: {}, diagnostics };
  const whole = decodeMessage(JSON.stringify(fields)).diagnosis;
  const begun = decodeEvent(NOTHING, JSON.stringify({ type: 'message_start', message: fields })).arrived;
  const [says] = decodeEvent(begun, '{"type":"message_stop"}').says;
  expect(says?.type === 'finished' && says.answer.diagnosis).toEqual(whole);
  return whole;
};

test.each([
  [
    'a change',
    { type: 'tools_changed', cache_missed_input_tokens: 4100 },
    { found: 'miss', reason: 'tools_changed', missed: 4100 },
  ],
  ['a change without a size', { type: 'model_changed' }, { found: 'miss', reason: 'model_changed' }],
  ['an unknown reason', { type: 'weather_changed' }, { found: 'miss', reason: 'weather_changed' }],
  ['an unfinished comparison', null, { found: 'pending' }],
  [
    'an answer that the provider no longer knows',
    { type: 'previous_message_not_found' },
    { found: 'unknown-response' },
  ],
  ['no diagnosis', { type: 'unavailable' }, { found: 'unavailable' }],
])('`decodeDiagnosis` reads %s, from a stream and from a whole message', (_, cache_miss_reason, diagnosis) => {
  expect(decode({ cache_miss_reason })).toEqual(diagnosis);
});

it('`decodeDiagnosis` returns `same` for null, and undefined for a missing field or an unknown form', () => {
  expect([decode(null), decode(undefined), decode('fine')]).toEqual([{ found: 'same' }, undefined, undefined]);
});
