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

  it('leaves out what is undefined', () => {
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

  it('refuses what JSON cannot hold', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [Number.NaN, Infinity, 1n, Symbol('s'), () => 1, circle])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('gives the same bytes for equal values, and means the same as JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (written) => {
        const { text } = canonicalJson(JSON.parse(written));
        expect(canonicalJson(JSON.parse(text)).text).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(JSON.parse(written))));
      }),
    );
  });
});

test('gives the same text on both ways of writing: by the engine, and by hand', () => {
  const value = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(value, fc.boolean(), (given, odd) => {
      // A key that looks like an integer sends the whole value the other way.
      const byHand = canonicalText({ 0: given });
      expect(byHand).toBe(`{"0":${canonicalText(given)}}`);
      expect(JSON.parse(canonicalText(odd ? [given] : given))).toEqual(
        JSON.parse(JSON.stringify(odd ? [given] : given)),
      );
    }),
    { numRuns: 500 },
  );
});

test('leaves out what is undefined, and writes a gap in a list as null, on both ways', () => {
  const value = { b: undefined, a: [undefined, { d: undefined, c: -0 }] };
  expect(canonicalText(value)).toBe('{"a":[null,{"c":0}]}');
  expect(canonicalText({ ...value, 1: 2 })).toBe('{"1":2,"a":[null,{"c":0}]}');
});

test('refuses on both ways what JSON cannot hold, and a value deeper than it goes', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const value of [circle, { a: Number.NaN }, { 1: Number.NaN }, [() => 1], 1n])
    expect(() => canonicalText(value)).toThrow(TypeError);
  expect(canonicalText({ at: new Date(0) })).toBe('{"at":{}}');
});
