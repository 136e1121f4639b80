import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalJson, canonicalText } from './canonical-json.ts';

describe('canonical JSON', () => {
  it('sorts keys by code unit, at every depth, without white space', () => {
    expect(canonicalJson({ b: [1, { z: null, a: true }], a: 'x', B: 0, ä: 1, '10': 1, '9': 2 }).text).toBe(
      '{"10":1,"9":2,"B":0,"a":"x","b":[1,{"a":true,"z":null}],"ä":1}',
    );
  });

  it('writes numbers as ECMAScript prints them, and -0 as 0', () => {
    expect(canonicalJson([1e21, 1e-7, 0.1, -0, 100]).text).toBe('[1e+21,1e-7,0.1,0,100]');
  });

  it('omits members whose value is undefined', () => {
    expect(canonicalJson({ a: undefined, b: 1 }).text).toBe('{"b":1}');
  });

  it('keeps an own key of any name', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1},"constructor":2}')).text).toBe(
      '{"__proto__":{"x":1},"constructor":2}',
    );
  });

  it('replaces lone surrogates and counts them', () => {
    expect(canonicalJson({ '\ud800': 'a\udc00', b: '\u{1f600}' })).toEqual({
      text: '{"b":"\u{1f600}","\ufffd":"a\ufffd"}',
      replaced: 2,
    });
  });

  it('throws for values that JSON cannot represent', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [Number.NaN, Infinity, 1n, Symbol('s'), () => 1, circle])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('has the same bytes for equal values, and the same meaning as the text of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (written) => {
        const { text } = canonicalJson(JSON.parse(written));
        expect(canonicalJson(JSON.parse(text)).text).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(JSON.parse(written))));
      }),
    );
  });
});

test('`canonicalText` returns the same text from `JSON.stringify` and from its own writer', () => {
  const value = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(value, fc.boolean(), (given, odd) => {
      // A key that looks like an integer forces `canonicalJson` to use its own writer instead of `JSON.stringify`.
      const byHand = canonicalText({ 0: given });
      expect(byHand).toBe(`{"0":${canonicalText(given)}}`);
      expect(JSON.parse(canonicalText(odd ? [given] : given))).toEqual(
        JSON.parse(JSON.stringify(odd ? [given] : given)),
      );
    }),
    { numRuns: 500 },
  );
});

test('`canonicalText` omits undefined members and writes undefined list elements as null, with both writers', () => {
  const value = { b: undefined, a: [undefined, { d: undefined, c: -0 }] };
  expect(canonicalText(value)).toBe('{"a":[null,{"c":0}]}');
  expect(canonicalText({ ...value, 1: 2 })).toBe('{"1":2,"a":[null,{"c":0}]}');
});

test('`canonicalText` throws for values that JSON cannot represent, with both writers', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const value of [circle, { a: Number.NaN }, { 1: Number.NaN }, [() => 1], 1n])
    expect(() => canonicalText(value)).toThrow(TypeError);
});

test.each([
  ['Date', new Date(0)],
  ['Map', new Map([['a', 1]])],
  ['Uint8Array', new Uint8Array(1)],
  [
    'Money',
    new (class Money {
      readonly cents = 1;
    })(),
  ],
] as const)('`canonicalText` throws a TypeError that names the class %s, with both writers', (name, value) => {
  for (const holder of [value, { at: value }, [value], { 1: value }])
    expect(() => canonicalText(holder)).toThrow(
      new TypeError(`canonical JSON cannot represent a value of class ${name}`),
    );
});

test('`canonicalText` writes an object without a prototype, and one of another realm', () => {
  const bare: Record<string, unknown> = Object.assign(Object.create(null), { b: 1, a: { toJSON: 'x' } });
  const foreign: unknown = runInNewContext('({ b: [1], a: 2 })');
  expect([canonicalText(bare), canonicalText(foreign)]).toEqual(['{"a":{"toJSON":"x"},"b":1}', '{"a":2,"b":[1]}']);
});
