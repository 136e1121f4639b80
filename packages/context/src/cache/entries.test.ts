import { digest, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import { entriesOf, frontEntries } from './entries.ts';
import type { CacheEntry } from '../state/state.ts';
import { emptyState } from '../state/state.ts';

const at = timestamp('2026-11-21T09:00:00.000Z');

const prefix = digest('a'.repeat(64));

const parameters = { tools: prefix, system: prefix, messages: prefix };

const entry = (fields: Partial<CacheEntry>): CacheEntry => ({
  parameters,
  block: 3,
  section: 'system',
  of: 4,
  images: false,
  beside: false,
  prefix,
  ttl: '1h',
  at,
  ...fields,
});

const holding = (...entries: readonly CacheEntry[]) => ({
  ...emptyState(),
  cache: { entries, front: new Set<string>(), promotionMissed: false },
});

test('`entriesOf` returns the entries that `frontEntries` recorded unchanged, for every kind of lifetime', () => {
  const kept = { idleMs: 300_000, ageMs: 3_600_000, born: at };
  const { ageMs: _, ...endless } = kept;
  const known = [
    entry({ section: 'tools', block: 1, of: 2 }),
    entry({ key: 'family', account: 'one', tokens: 1_234 }),
    entry({ ttl: kept }),
    entry({ ttl: endless }),
  ];
  expect(entriesOf(frontEntries(holding(...known)))).toEqual(known);
});

test('`frontEntries` omits entries of messages, and promoted entries whose longer lifetime is not proved', () => {
  expect(frontEntries(holding(entry({ section: 'messages' }), entry({ promoted: true })))).toEqual([]);
});

test('`entriesOf` omits an entry with a lifetime that this version cannot read', () => {
  expect(entriesOf([{ section: 'system', block: 3, prefix, parameters, at }])).toEqual([]);
});
