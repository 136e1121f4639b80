// Tests the packed data of a file: texts come back as they were, and requests get all of their blocks.

import type { Json } from '@tidemark/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileRequest } from './file-data.ts';
import { blocksOfRequest } from './file-data.ts';
import { createPackedTexts, unpackJson, unpackValue } from './packed-texts.ts';

const LONG = 'a text that is so long that it is stored one time only, and named by its number';

test('a long text is stored once, although it is in several values', () => {
  const { texts, packJson } = createPackedTexts();
  const one = packJson(JSON.stringify({ type: 'text', text: LONG }));
  const other = packJson(JSON.stringify({ parts: ['short', LONG] }));
  expect(texts).toEqual([LONG]);
  expect([one, other]).toEqual([{ type: 'text', text: { $text: 0 } }, { parts: ['short', { $text: 0 }] }]);
  expect(unpackValue(other, texts)).toEqual({ parts: ['short', LONG] });
});

test.each([
  ['an object that looks like a reference', '{"$text":0}'],
  ['a nested object that looks like a reference', `{"a":[{"$text":0}],"b":"${LONG}"}`],
  ['a number', '12'],
  ['a text that is not JSON', '{not JSON'],
  ['JSON with spaces', '{ "a": 1 }'],
  ['a number that JSON writes in another way', '{"a":1.0}'],
  ['equal keys', '{"a":1,"a":2}'],
  ['the key `__proto__`', '{"__proto__":{"a":1}}'],
  ['an empty text', ''],
])('%s comes back as it was', (_, text) => {
  const { texts, packJson } = createPackedTexts();
  packJson(JSON.stringify([LONG]));
  expect(unpackJson(packJson(text), texts)).toBe(text);
});

test('any JSON comes back as it was', () => {
  const { texts, packJson } = createPackedTexts();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(unpackJson(packJson(text), texts)).toBe(text);
    }),
  );
});

test('a number that no text has is an error', () => {
  const value: Json = { a: { $text: 3 } };
  expect(() => unpackValue(value, [])).toThrow('the file has no text 3');
});

/** Returns a request that shares blocks with an earlier one. */
function request(
  position: number,
  added: readonly number[],
  earlier?: readonly [position: number, shared: number],
): FileRequest {
  const [before, shared = 0] = earlier ?? [];
  return {
    source: 'sent',
    position,
    step: position,
    stream: 'main',
    purpose: 'main',
    at: '2026-11-20T10:00:00.000Z',
    model: 'm',
    missing: [],
    markers: [],
    ...(before !== undefined && { previous: { position: before, step: before, shared } }),
    added,
  };
}

test('a request has the blocks that it shares with the requests before it, and its own', () => {
  const requests = [
    request(1, [0, 4]),
    // A request of another stream is not between them.
    request(2, [4, 1]),
    request(3, [5, 2], [1, 2]),
    request(4, [7, 1, 0, 1], [3, 3]),
    request(5, [9, 1], [4, 5]),
    request(6, [10, 1], [5, 2]),
  ];
  expect(requests.map((_, index) => blocksOfRequest(requests, index))).toEqual([
    [0, 1, 2, 3],
    [4],
    [0, 1, 5, 6],
    [0, 1, 5, 7, 0],
    [0, 1, 5, 7, 0, 9],
    [0, 1, 10],
  ]);
  expect(blocksOfRequest(requests, 9)).toEqual([]);
});
