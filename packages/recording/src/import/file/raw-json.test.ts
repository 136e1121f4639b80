import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawField, rawItems, rawPath, skipValue } from './raw-json.ts';

const json = fc.jsonValue();

describe('the raw text of a value', () => {
  it('is found in any JSON, with any white space', () => {
    fc.assert(
      fc.property(json, json, fc.constantFrom(undefined, 2, '\t'), (value, other, space) => {
        const text = JSON.stringify({ before: other, 'k"\\': [other, value], 'é{': value }, null, space);
        const items = rawPath(text, 'k"\\');
        const [, item] = items === undefined ? [] : rawItems(text, items.start);
        for (const slice of [item, rawField(text, 0, 'é{')]) {
          expect(slice).toBeDefined();
          expect(JSON.parse(text.slice(slice?.start, slice?.end))).toEqual(JSON.parse(JSON.stringify(value)));
        }
      }),
    );
  });

  it('is the one of the last of two equal keys, as in a JSON parser, even if one key is escaped', () => {
    const text = '{"a":1,"\\u0061":1.0}';
    const at = rawField(text, 0, 'a');
    expect(text.slice(at?.start, at?.end)).toBe('1.0');
  });

  it('is `undefined` or an empty list if there is no such key, list or object', () => {
    expect(rawPath('{"a":{"b":1}}', 'a', 'c')).toBeUndefined();
    expect(rawField('[1]', 0, 'a')).toBeUndefined();
    expect(rawItems('{"a":1}', 0)).toEqual([]);
    expect(rawItems('[ ]', 0)).toEqual([]);
  });

  it('ends after the end of the text if the text is cut', () => {
    fc.assert(
      fc.property(fc.record({ a: json }), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const part = text.slice(0, cut % text.length);
        if (part !== '') expect(skipValue(part, 0)).toBeGreaterThan(part.length);
      }),
    );
  });
});
