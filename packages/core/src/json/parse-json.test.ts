import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText } from './canonical-json.ts';
import { DEEPEST_JSON, JsonDepthError, isTooDeep, parseJson } from './read-json.ts';

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const records = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('parseJson', () => {
  it('parses the same texts as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    for (const text of ['', '{', '{]', 'nothing', '"'.repeat(2_000)])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each([2_000, 100_000, 2_000_000])('refuses %d levels with a JsonDepthError, without a stack overflow', (depth) => {
    for (const text of [lists(depth), records(depth), '['.repeat(depth)])
      expect(() => parseJson(text)).toThrow(JsonDepthError);
  });

  it('accepts the maximum depth, and ignores brackets in strings', () => {
    for (const make of [lists, records]) {
      expect(isTooDeep(make(DEEPEST_JSON))).toBe(false);
      expect(isTooDeep(make(DEEPEST_JSON + 1))).toBe(true);
      expect(canonicalText(parseJson(make(DEEPEST_JSON)))).toBe(make(DEEPEST_JSON));
    }
    expect(isTooDeep(JSON.stringify(['['.repeat(2_000), '\\', '"{'.repeat(2_000)]))).toBe(false);
    expect(isTooDeep(JSON.stringify(Array.from({ length: 2_000 }, () => [{}])))).toBe(false);
  });
});

it.each([2_000, 100_000])('canonical JSON refuses a value with %d levels and names the limit', (depth) => {
  expect(() => canonicalText(JSON.parse(lists(depth)))).toThrow(TypeError);
  expect(() => canonicalText(JSON.parse(records(depth)))).toThrow(/nested deeper than 1000 levels/);
});
