import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wireId, wireName } from './wire-names.ts';

it('keeps an id that fits as it is', () => {
  expect(wireId('toolu_017qEkVzzPb7b7o4FkgJLF23')).toBe('toolu_017qEkVzzPb7b7o4FkgJLF23');
});

it('maps an id of another provider to the same fitting id every time', () => {
  expect(wireId('call_1|fc_2')).toBe('tm_call_1_fc_2_4c8ac5e5ca00e553');
  expect(wireId('')).toMatch(/^tm__[0-9a-f]{16}$/);
});

it('maps no two ids onto one, not even one that looks mapped', () => {
  const ids = fc.oneof(fc.string(), fc.string().map(wireId), fc.constantFrom('a|b', 'a_b', 'a b'));
  fc.assert(fc.property(ids, ids, (a, b) => (wireId(a) === wireId(b)) === (a === b)));
});

it('gives only what the API accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(wireId(text)).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(wireName(text)).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    }),
  );
});

it('maps a name that is too long', () => {
  expect(wireName('n'.repeat(128))).toBe('n'.repeat(128));
  expect(wireName('n'.repeat(129))).toMatch(/^tm_n{64}_[0-9a-f]{16}$/);
});
