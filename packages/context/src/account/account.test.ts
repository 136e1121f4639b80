// Tests sums over calls: each call is in one group, each token is in one bucket, and each price is exact or unknown.

import { money, sessionId, timestamp } from '@tidemark/log';
import { inputTokens, sumOfMoney } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import type { Account } from './account.ts';
import { accountOf, addAccounts, NO_CALLS, ratesOfAccount } from './account.ts';
import type { GroupBy, ModelCall } from './model-call.ts';
import { groupOf } from './model-call.ts';
import { priceCall } from './price-call.ts';

const sonnet = row('claude-sonnet-4-5');

const haiku = row('claude-haiku-4-5');

const CALL: ModelCall = {
  session: sessionId('s1'),
  stream: 'main',
  step: 0,
  at: second(0),
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  usage: { fresh: 3, read: 1000, writes: [{ ttl: '5m', tokens: 200 }], answer: 10 },
  unsent: 203,
  held: 1000,
  row: sonnet,
  unread: { wasted: 0, waiting: 200 },
};

const tokens = fc.nat(200_000);

const someWrites = fc.array(fc.record({ ttl: fc.constantFrom('5m' as const, '1h' as const), tokens }), {
  maxLength: 2,
});

const someUsage = fc.record(
  { fresh: tokens, read: tokens, writes: someWrites, answer: tokens, reasoning: tokens },
  { requiredKeys: [] },
);

const someHour = fc.integer({ min: 0, max: 200 }).map((hour) => new Date(Date.UTC(2026, 10, 1, hour)));

const someCause = fc.constantFrom('expired' as const, 'tools' as const, 'image' as const);

/** Any call. Optional fields are absent in some of the calls, so their values are unknown. */
const anyCall: fc.Arbitrary<ModelCall> = fc
  .record(
    {
      session: fc.constantFrom(sessionId('s1'), sessionId('s2')),
      stream: fc.constantFrom('main', 'side/title'),
      step: fc.nat(9),
      at: someHour.map((at) => timestamp(at.toISOString())),
      provider: fc.constant('anthropic'),
      model: fc.constantFrom('claude-sonnet-4-5', 'claude-haiku-4-5', 'nobody-knows'),
      contract: fc.constantFrom('tm1', 'recorded'),
      usage: someUsage,
      cost: fc.nat(10 ** 9).map((units) => money(`0.${String(units).padStart(9, '0')}`)),
      held: tokens,
      again: fc.record({ cause: someCause, tokens }),
      unsent: tokens,
      forecast: fc.record({ read: tokens, write: tokens, fresh: tokens, unsent: tokens }),
      unread: fc.record({ wasted: tokens, waiting: tokens }),
    },
    { requiredKeys: ['session', 'stream', 'step', 'at', 'provider', 'model', 'usage', 'unread'] },
  )
  .map((call) => (call.model === 'nobody-knows' ? call : { ...call, row: row(call.model) }));

const sumOf = (calls: readonly ModelCall[]): Account =>
  calls.map((call) => accountOf(call, haiku)).reduce(addAccounts, NO_CALLS);

describe('sums', () => {
  test.each<GroupBy>(['session', 'day', 'model', 'contract', 'cause'])(
    'by %s add up exactly to the sum over all calls',
    (by) => {
      fc.assert(
        fc.property(fc.array(anyCall, { maxLength: 12 }), (calls) => {
          const groups = Map.groupBy(calls, (call) => groupOf(by, call));
          const together = [...groups.values()].map(sumOf).reduce(addAccounts, NO_CALLS);
          expect(together).toEqual(sumOf(calls));
        }),
      );
    },
  );

  test("contain each input token once if the call's input total is known, and no input token of other calls", () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 12 }), (calls) => {
        const whole = sumOf(calls);
        const { fresh, read, written } = whole.tokens;
        const inputs = calls.map(({ usage }) => inputTokens(usage));
        expect(fresh + read + written).toBe(inputs.reduce<number>((sum, one) => sum + (one ?? 0), 0));
        expect(whole.uncounted).toBe(inputs.filter((one) => one === undefined).length);
      }),
    );
  });

  test('contain every known cost and count every unknown cost', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 12 }), (calls) => {
        const paid = calls.map((call) => priceCall(call).paid);
        const whole = sumOf(calls);
        expect(whole.cost).toBe(sumOfMoney(paid.filter((one) => one !== undefined)));
        expect(whole.unpriced).toBe(paid.filter((one) => one === undefined).length);
      }),
    );
  });
});

describe('priceCall', () => {
  test("uses the recorded cost, or else the row's price on the day of the call", () => {
    expect(priceCall({ ...CALL, cost: money('0.5') }).paid).toBe('0.5');
    // (3 × $3 + 1000 × $0.30 + 200 × $3.75 + 10 × $15) per million tokens
    expect(priceCall(CALL).paid).toBe('0.001209');
  });

  test('counts all input as fresh without a cache; with an ideal cache, new tokens as written and all others as read', () => {
    // Per million tokens: 1203 × $3 + 10 × $15 without a cache; 203 × $3.75 + 1000 × $0.30 + 10 × $15 with an ideal
    // cache.
    expect(priceCall(CALL)).toMatchObject({ uncached: '0.003759', ideal: '0.00121125' });
  });

  test("applies another model's prices to the same buckets", () => {
    // (3 × $1 + 1000 × $0.10 + 200 × $1.25 + 10 × $5) per million tokens
    expect(priceCall(CALL, haiku).other).toBe('0.000403');
  });

  test('returns undefined for each price that depends on an unknown bucket, row or number of new tokens (L7)', () => {
    const { row: _row, ...unpriced } = CALL;
    expect(priceCall(unpriced)).toEqual({ paid: undefined, uncached: undefined, ideal: undefined, other: undefined });
    const { unsent: _unsent, ...unjudged } = CALL;
    expect(priceCall(unjudged)).toMatchObject({ paid: '0.001209', ideal: undefined });
    expect(priceCall({ ...CALL, usage: { fresh: 3, answer: 1 } })).toMatchObject({
      paid: undefined,
      uncached: undefined,
    });
  });
});

describe('rates', () => {
  test('are shares of the known tokens', () => {
    const account = accountOf({ ...CALL, held: 1250, forecast: { read: 1200, write: 0, fresh: 3, unsent: 3 } });
    expect(ratesOfAccount(account)).toEqual({
      hitRate: 1000 / 1203,
      writeShare: 200 / 1203,
      coverage: 0.8,
      // 200 tokens were forecast as read, but were written.
      forecastError: 200 / 1203,
    });
  });

  test('are null for an account without calls', () => {
    expect(ratesOfAccount(NO_CALLS)).toEqual({ hitRate: null, writeShare: null, coverage: null, forecastError: null });
  });
});
