import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isToolName, wireId, wireName } from './content.ts';

it('keeps an id that fits as it is', () => {
  expect(wireId('call_abc-123')).toBe('call_abc-123');
  expect(wireId('toolu_017qEkVzzPb7b7o4FkgJLF23')).toBe('toolu_017qEkVzzPb7b7o4FkgJLF23');
});

it('maps an id of another alphabet, or a longer one, to the same fitting id every time', () => {
  expect(wireId('call_1|fc_2')).toBe('tm_call_1_fc_2_4c8ac5e5ca00e553');
  expect(wireId('n'.repeat(64))).toBe('n'.repeat(64));
  expect(wireId('n'.repeat(65))).toMatch(/^tm_n{44}_[0-9a-f]{16}$/);
});

it('maps no two ids onto one, not even one that looks mapped', () => {
  const ids = fc.oneof(fc.string(), fc.string().map(wireId), fc.constantFrom('a|b', 'a_b', 'a b'));
  fc.assert(fc.property(ids, ids, (a, b) => (wireId(a) === wireId(b)) === (a === b)));
});

it('gives only what the API accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(isToolName(wireName(text))).toBe(true);
    }),
  );
  expect(['', 'a b', 'n'.repeat(65)].some(isToolName)).toBe(false);
});
