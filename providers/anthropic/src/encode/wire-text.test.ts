import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonString, wellFormedJson } from './wire-text.ts';

it('sends no lone surrogate', () => {
  expect(jsonString('a\ud800b')).toBe('"a\ufffdb"');
  expect(jsonString('😀')).toBe('"😀"');
});

const unit = fc.oneof(fc.constantFrom(0x22, 0x5c, 0x75, 0xd83d, 0xde00), fc.nat(0xffff));

it('replaces a lone surrogate in JSON, written or escaped, and no other byte', () => {
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
