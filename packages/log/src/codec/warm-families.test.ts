import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digest, sessionId, timestamp } from '../ids.ts';
import { decodeWarmFamilies, encodeWarmFamilies } from './warm-families.ts';

const name = digest('a'.repeat(64));
const entry = {
  section: 'messages',
  block: 9,
  of: 12,
  images: true,
  prefix: name,
  parameters: { tools: name, system: name, messages: name },
  tokens: 1_234,
  ttl: '5m',
  at: timestamp('2026-11-20T12:00:00.000Z'),
} as const;
const sessions = [{ root: sessionId('s1'), session: sessionId('s2'), entries: [entry] }];

test('an encoded index decodes to the same sessions', () => {
  expect(decodeWarmFamilies(encodeWarmFamilies(sessions))).toEqual(sessions);
});

test('`decodeWarmFamilies` returns no sessions for damaged text or another revision', () => {
  const index = encodeWarmFamilies(sessions);
  const texts = ['', '[]', '{', index.slice(0, -2), index.replace('"revision":1', '"revision":2')];
  expect(texts.map(decodeWarmFamilies)).toEqual(texts.map(() => []));
  fc.assert(fc.property(fc.string(), (text) => decodeWarmFamilies(text).length === 0));
});
