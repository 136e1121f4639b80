import { defaultCatalog, findModel } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import { missOf, rewriteCost } from '../forecast/miss.ts';
import { NO_BILL, addBills, billOf } from './bill.ts';

const sonnet = row('claude-sonnet-4-5');
const opus = row('claude-opus-5-5');
const usage = { fresh: 3, read: 1000, writes: [{ ttl: '5m' as const, tokens: 200 }] };

const EXPECTED = { read: 1_000, write: 203, fresh: 0 };

test("`billOf` counts fresh tokens at 1, and reads and writes at the model's prices", () => {
  const bill = billOf({ capabilities: sonnet, at: second(0), usage, unsent: 203, before: undefined });
  expect(bill?.billed.toString()).toBe('353'); // 3 + 0.1 × 1000 + 1.25 × 200
  expect(bill?.uncached.toString()).toBe('1203');
  expect(bill?.ideal.toString()).toBe('353.75'); // 1.25 × 203 + 0.1 × 1000
});

test("`billOf` uses the model's own read price, which is not always 0.1", () => {
  const bill = billOf({ capabilities: opus, at: second(0), usage, unsent: 203, before: undefined });
  expect(bill?.billed.toString()).toBe('303'); // 3 + 0.05 × 1000 + 1.25 × 200
});

test('`expiring` writes everything again after a pause of five minutes', () => {
  const call = { capabilities: sonnet, at: second(300), usage, unsent: 203 };
  expect(billOf({ ...call, before: second(1) })?.expiring.toString()).toBe('353.75');
  expect(billOf({ ...call, before: second(0) })?.expiring.toString()).toBe('1503.75'); // 1.25 × 1203
});

test('`billOf` counts one-hour writes at twice the input price', () => {
  const long = { fresh: 0, read: 0, writes: [{ ttl: '1h' as const, tokens: 100 }] };
  expect(
    billOf({ capabilities: sonnet, at: second(0), usage: long, unsent: 100, before: undefined })?.billed.toString(),
  ).toBe('200');
});

test("an ideal write costs the price of the model's shortest lifetime, or the input price if writes are free", () => {
  const read = { fresh: 100, read: 0, writes: [] };
  const idealOf = (model: string) =>
    billOf({
      capabilities: findModel(defaultCatalog(), model) ?? expect.unreachable(),
      at: second(0),
      usage: read,
      unsent: 100,
      before: undefined,
    })?.ideal.toString();
  expect([idealOf('gpt-5.6-sol'), idealOf('gpt-5.4')]).toEqual(['125', '100']);
});

test('`billOf` returns `undefined` for an unknown bucket (L7)', () => {
  expect(
    billOf({ capabilities: sonnet, at: second(0), usage: { fresh: 3, read: 1 }, unsent: 0, before: undefined }),
  ).toBeUndefined();
});

test('the bill equals the ideal bill if each new token is written and each token sent before is read', () => {
  fc.assert(
    fc.property(fc.nat(200_000), fc.nat(200_000), (old, unsent) => {
      const perfect = { fresh: 0, read: old, writes: [{ ttl: '5m' as const, tokens: unsent }] };
      const bill = billOf({ capabilities: sonnet, at: second(0), usage: perfect, unsent, before: undefined });
      expect(bill?.billed.eq(bill.ideal)).toBe(true);
    }),
  );
});

test('`addBills` adds 1,000 small calls exactly', () => {
  const one = billOf({
    capabilities: sonnet,
    at: second(0),
    usage: { fresh: 0, read: 1, writes: [] },
    unsent: 0,
    before: undefined,
  });
  let sum = NO_BILL;
  for (let count = 0; count < 1000; count += 1) sum = addBills(sum, one ?? NO_BILL);
  expect(sum.billed.toString()).toBe('100');
});

test('`rewriteCost` returns the price of writing minus the price of reading, in dollars', () => {
  expect(rewriteCost({ capabilities: sonnet, at: second(0), input: 100_000, tokens: 100_000, ttl: '5m' })).toBe(
    '0.345',
  );
});

test('`missOf` returns `undefined` if everything cached was read, or if the read is unknown', () => {
  const base = {
    capabilities: sonnet,
    at: second(0),
    held: 1000,
    heldBy: 'count',
    forecast: EXPECTED,
    loss: undefined,
  } as const;
  expect(missOf({ ...base, usage })).toBeUndefined();
  expect(missOf({ ...base, usage: {} })).toBeUndefined();
});

test('`missOf` returns the cause known before sending, or else `unknown`', () => {
  const base = { capabilities: sonnet, at: second(0), held: 1150, heldBy: 'count', forecast: EXPECTED, usage } as const;
  expect(missOf({ ...base, loss: { cause: 'expired', tokens: 1150 } })).toMatchObject({
    cause: 'expired',
    tokens: 150,
  });
  expect(missOf({ ...base, loss: undefined })).toMatchObject({ cause: 'unknown', tokens: 150, cost: '0.0005175' });
});

test('a miss contains at most the tokens that the call paid for, even if more tokens were expected in the cache', () => {
  const loss = { cause: 'opened', tokens: 8_000 } as const;
  const base = {
    capabilities: sonnet,
    at: second(0),
    held: 9_000,
    loss,
    forecast: { read: 0, write: 10_000, fresh: 0 },
    usage,
  } as const;
  expect(missOf({ ...base, heldBy: 'count' })?.tokens).toBe(203);
  expect(missOf({ ...base, heldBy: 'scale' })?.tokens).toBe(203);
});

test('usage above the forecast is attributed to new text if the model counted the old text before', () => {
  const loss = { cause: 'opened', tokens: 550 } as const;
  const base = { capabilities: sonnet, at: second(0), held: 1_550, loss, forecast: EXPECTED } as const;
  const paid = { fresh: 3, read: 1_000, writes: [{ ttl: '5m' as const, tokens: 22_000 }] };
  expect(missOf({ ...base, heldBy: 'scale', usage: paid })?.tokens).toBe(550);
  // If the model counted nothing before, the excess is spread over all text. 1,000 of 1,203 tokens are scaled to the
  // same share of 23,003 tokens.
  expect(missOf({ ...base, held: 1_000, heldBy: 'estimate', usage: paid })?.tokens).toBe(18_121);
});

test('a read slightly below an estimated size is not a miss, but a read far below it is', () => {
  const base = {
    capabilities: sonnet,
    at: second(0),
    held: 1_143,
    heldBy: 'estimate',
    loss: undefined,
    forecast: EXPECTED,
  } as const;
  expect(missOf({ ...base, usage })).toBeUndefined();
  const evicted = { fresh: 3, read: 0, writes: [{ ttl: '5m' as const, tokens: 1_200 }] };
  expect(missOf({ ...base, usage: evicted })).toMatchObject({ cause: 'unknown', tokens: 1_143 });
});

test('tokens paid again as fresh input cost the fresh price minus the read price, not the write price', () => {
  const fresh = { fresh: 600, read: 0, writes: [{ ttl: '5m' as const, tokens: 0 }] };
  const loss = { cause: 'below-floor', tokens: 500 } as const;
  const base = { capabilities: sonnet, at: second(0), held: 500, heldBy: 'count', forecast: EXPECTED, loss } as const;
  // 500 × ($3 − $0.30) per million tokens.
  expect(missOf({ ...base, usage: fresh })).toEqual({ cause: 'below-floor', tokens: 500, cost: '0.00135' });
});
