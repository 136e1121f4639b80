import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonString } from '@tidemark/provider-wire';
import { wellFormedJson, wireId, wireName } from './parts.ts';

it('`wireId` keeps an id that the API accepts', () => {
  expect(wireId('toolu_017qEkVzzPb7b7o4FkgJLF23')).toBe('toolu_017qEkVzzPb7b7o4FkgJLF23');
});

it('`wireId` maps an id of another provider to the same valid id every time', () => {
  expect(wireId('call_1|fc_2')).toBe('tm_call_1_fc_2_4c8ac5e5ca00e553');
  expect(wireId('')).toMatch(/^tm__[0-9a-f]{16}$/);
});

it('`wireId` maps different ids to different results, even if one id already looks like a mapped id', () => {
  const ids = fc.oneof(fc.string(), fc.string().map(wireId), fc.constantFrom('a|b', 'a_b', 'a b'));
  fc.assert(fc.property(ids, ids, (a, b) => (wireId(a) === wireId(b)) === (a === b)));
});

it('`wireId` and `wireName` return only values that the API accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(wireId(text)).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(wireName(text)).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    }),
  );
});

it('`wireName` maps a name that is too long', () => {
  expect(wireName('n'.repeat(128))).toBe('n'.repeat(128));
  expect(wireName('n'.repeat(129))).toMatch(/^tm_n{64}_[0-9a-f]{16}$/);
});

it('`jsonString` replaces a lone surrogate with U+FFFD', () => {
  expect(jsonString('a\ud800b')).toBe('"a\ufffdb"');
  expect(jsonString('😀')).toBe('"😀"');
});

const unit = fc.oneof(fc.constantFrom(0x22, 0x5c, 0x75, 0xd83d, 0xde00), fc.nat(0xffff));

it('`wellFormedJson` replaces lone surrogates, raw or escaped, and no other byte', () => {
  expect(wellFormedJson('{"a":"\\ud800 \\uDC00","b":"\\ud83d\\ude00"}')).toBe(
    '{"a":"\\ufffd \\ufffd","b":"\\ud83d\\ude00"}',
  );
  expect(wellFormedJson('{"a":"\\\\ud800"}')).toBe('{"a":"\\\\ud800"}');
  expect(wellFormedJson('{"a":"\udc00"}')).toBe('{"a":"\ufffd"}');
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = String.fromCharCode(...units);
      const clean = wellFormedJson(JSON.stringify(text));
      expect(JSON.parse(clean)).toBe(text.toWellFormed());
    }),
  );
});
