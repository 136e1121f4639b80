import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digest, timestamp } from '../ids.ts';
import { decodeWarmFronts, encodeWarmFronts } from './warm-fronts.ts';

const name = digest('a'.repeat(64));
const entry = {
  section: 'system',
  block: 3,
  prefix: name,
  parameters: { tools: name, system: name, messages: name },
  account: 'one',
  tokens: 1_234,
  ttl: '5m',
  at: timestamp('2026-11-20T12:00:00.000Z'),
} as const;

test('an encoded index decodes to the same fronts', () => {
  const fronts = [{ front: name, entries: [entry] }];
  expect(decodeWarmFronts(encodeWarmFronts(fronts))).toEqual(fronts);
});

test('`decodeWarmFronts` returns no fronts for damaged text or another revision', () => {
  const index = encodeWarmFronts([{ front: name, entries: [entry] }]);
  const texts = [
    '',
    '[]',
    'null',
    '{',
    index.slice(0, -2),
    index.replace('"revision":1', '"revision":2'),
    index.replace('12:00', 'noon'),
  ];
  expect(texts.map(decodeWarmFronts)).toEqual(texts.map(() => []));
  fc.assert(fc.property(fc.string(), (text) => decodeWarmFronts(text).length === 0));
});
