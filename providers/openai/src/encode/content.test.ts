import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isToolName, wireId, wireName } from './content.ts';

it('`wireId` keeps an id that the API accepts', () => {
  expect(wireId('call_abc-123')).toBe('call_abc-123');
  expect(wireId('toolu_017qEkVzzPb7b7o4FkgJLF23')).toBe('toolu_017qEkVzzPb7b7o4FkgJLF23');
});

it('`wireId` maps an id that is too long or has other characters to the same valid id every time', () => {
  expect(wireId('call_1|fc_2')).toBe('tm_call_1_fc_2_4c8ac5e5ca00e553');
  expect(wireId('n'.repeat(64))).toBe('n'.repeat(64));
  expect(wireId('n'.repeat(65))).toMatch(/^tm_n{44}_[0-9a-f]{16}$/);
});

it('`wireId` maps different ids to different results, even if one id already looks like a mapped id', () => {
  const ids = fc.oneof(fc.string(), fc.string().map(wireId), fc.constantFrom('a|b', 'a_b', 'a b'));
  fc.assert(fc.property(ids, ids, (a, b) => (wireId(a) === wireId(b)) === (a === b)));
});

it('`wireName` returns only names that the API accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(isToolName(wireName(text))).toBe(true);
    }),
  );
  expect(['', 'a b', 'n'.repeat(65)].some(isToolName)).toBe(false);
});
