// Tests the row of one call.

import type { ModelCall } from '@tidemark/context';
import { money, position, sessionId, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import { breakEntry, callEntry } from './session-rows.ts';

const call: ModelCall = {
  session: sessionId('s1'),
  stream: 'main',
  step: 2,
  at: timestamp('2026-11-20T23:59:59.999Z'),
  answer: position(7),
  provider: 'anthropic',
  model: 'm',
  usage: {
    fresh: 1,
    read: 10,
    writes: [
      { ttl: '5m', tokens: 3 },
      { ttl: '1h', tokens: 4 },
    ],
    answer: 5,
  },
  unread: { wasted: 0, waiting: 0 },
};

test('`callEntry` returns the tokens with a lifetime of one hour, and null for what is unknown', () => {
  expect(callEntry(call, 0)).toMatchObject({
    answer: 7,
    request: null,
    day: '2026-11-20',
    duration: null,
    contract: '',
    cause: '',
    opened: null,
    held: null,
    writtenForHour: 4,
    verdict: null,
    forecastCost: null,
    pending: 0,
  });
});

test('`callEntry` compares the diagnosis of the provider with the causes of the log', () => {
  const again = { cause: 'tools', tokens: 5 } as const;
  const verdict = (more: Partial<ModelCall>): string | null => callEntry({ ...call, ...more }, 0).verdict;
  const miss = { found: 'miss', reason: 'tools_changed' } as const;
  expect(verdict({ again, diagnosis: miss })).toBe('agrees');
  expect(verdict({ again: { ...again, cause: 'model' }, diagnosis: miss })).toBe('disagrees');
  expect(verdict({ again: { ...again, cause: 'front-changed', counted: 'tools' }, diagnosis: miss })).toBe('agrees');
  expect(verdict({ diagnosis: miss, opened: ['initial'] })).toBe('explains');
  expect(verdict({ diagnosis: { found: 'same' }, opened: ['initial'] })).toBeNull();
});

test('`breakEntry` returns no break for the first epoch, and unknown tokens for an opened epoch without counted reads', () => {
  expect(breakEntry({ ...call, opened: ['initial'] })).toBeUndefined();
  expect(breakEntry({ ...call, opened: ['model'] })).toMatchObject({ causes: ['model'], tokens: null, cost: null });
  expect(breakEntry({ ...call, opened: ['model'], held: 10 })).toMatchObject({ tokens: 0, cost: '0' });
});

test('`callEntry` counts an amount above 9007 dollars as unknown', () => {
  const { account } = callEntry({ ...call, cost: money('9008') }, 0);
  expect(account.slice(0, 4)).toEqual([1, 0, 0, 1]);
  expect(callEntry({ ...call, cost: money('9007') }, 0).account.slice(0, 4)).toEqual([1, 0, 0, 0]);
});
