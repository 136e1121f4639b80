import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject, rawElements, rawMember, rawMembers, rawValueEnd } from './read-json.ts';

it('`rawMembers` returns members with their exact text, in any order and with any numbers', () => {
  const text = ' { "b" : 1.0 , "10":[1, {"x":"}\\"]"}] ,"9":12345678901234567890,"e\\u0301":"\\\\","n":null } ';
  expect(rawMembers(text)).toEqual([
    { key: 'b', raw: '1.0' },
    { key: '10', raw: '[1, {"x":"}\\"]"}]' },
    { key: '9', raw: '12345678901234567890' },
    { key: 'e\u0301', raw: '"\\\\"' },
    { key: 'n', raw: 'null' },
  ]);
  expect(rawMember('{"a":1,"a":2}', 'a')).toBe('2');
  expect(rawMember('[]', 'a')).toBeUndefined();
});

it('`rawMembers` and `rawElements` find every member and element of any JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', 2), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const members = rawMembers(text).map(({ key, raw }): [string, unknown] => [key, JSON.parse(raw)]);
      expect(members).toEqual(Object.entries(JSON.parse(text)));
      const list = JSON.stringify(Object.values(value), null, space);
      expect(rawElements(list).map((raw): unknown => JSON.parse(raw))).toEqual(JSON.parse(list));
    }),
  );
});

it('`rawMember` returns the last of two equal keys, as `JSON.parse` does, even if one key is escaped', () => {
  expect(rawMember('{"a":1,"\\u0061":1.0}', 'a')).toBe('1.0');
  expect(rawMember('{"\\u0061":1,"a":1.0}', 'a')).toBe('1.0');
});

it('`rawMember` and `rawElements` return nothing if there is no such key, object or array', () => {
  expect(rawMember('{"b":{"a":1}}', 'a')).toBeUndefined();
  expect(['[1]', '"a"', '', ' '].map((text) => rawMember(text, 'a'))).toEqual(Array(4).fill(undefined));
  expect(['{"a":1}', '[ ]', '"[1]"', ''].map(rawElements)).toEqual([[], [], [], []]);
});

it('`rawValueEnd` returns the index after a value, or an index above the length of a text that is cut', () => {
  fc.assert(
    fc.property(fc.record({ a: fc.jsonValue() }), fc.nat(), (value, cut) => {
      const text = JSON.stringify(value);
      expect(rawValueEnd(`${text} {`)).toBe(text.length);
      expect(rawValueEnd(`[${text},1]`, 1)).toBe(text.length + 1);
      const part = text.slice(0, cut % text.length);
      if (part !== '') expect(rawValueEnd(part)).toBeGreaterThan(part.length);
    }),
  );
});

it('`isJsonObject` accepts only a text that is one JSON object', () => {
  expect(['{}', ' {"a":1}\n'].map(isJsonObject)).toEqual([true, true]);
  expect(['', '[]', 'null', '"{}"', '{"a":', '{} {}', '1'].map(isJsonObject)).toEqual(Array(7).fill(false));
});
