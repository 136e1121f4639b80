import { money } from '@tidemark/log';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import { unitPrice } from '../money/bill.ts';
import type { KeepWarm, KeepWarmInput } from './keep-warm.ts';
import { planKeepWarm } from './keep-warm.ts';
import { addPause, endedBetween, NO_PAUSES } from '../state/call-times.ts';

const MINUTE = 60_000;
const TOKENS = 100_000;
const RICH = { share: 1, cost: money('100'), spent: money('0') };

function plan(over: Partial<KeepWarmInput> = {}, model = 'claude-opus-5-5'): KeepWarm {
  return planKeepWarm({
    now: 0,
    since: 0,
    away: NO_PAUSES,
    entry: { ttl: '5m', at: 0 },
    held: TOKENS,
    atStake: TOKENS,
    tail: 0,
    output: 0,
    price: unitPrice(row(model), second(0), TOKENS),
    budget: RICH,
    ways: ['refresh'],
    ...over,
  });
}

const away = (...minutes: readonly number[]): KeepWarmInput['away'] =>
  minutes.reduce((pauses, ms) => addPause(pauses, { ms: ms * MINUTE, held: TOKENS, broken: 0 }), NO_PAUSES);

/** Returns the number of keep-warm reads in a pause that never ends. */
function reads(over: Partial<KeepWarmInput> = {}, model?: string): number {
  let at = 0;
  for (let count = 0; ; count += 1) {
    const next = plan({ ...over, now: at, entry: { ttl: '5m', at } }, model);
    if (next.by === 'nothing') return count;
    at = next.at;
  }
}

test('a refresh is due twenty seconds before the entry expires, and costs one read', () => {
  expect(plan()).toMatchObject({ by: 'refresh', at: 280_000, until: 580_000, output: 0, cost: '0.02' });
  expect(plan({ tail: 1_000, output: 1 })).toMatchObject({ cost: '0.02502' });
});

test('all reads together cost less than a rewrite, and fewer reads are made if a read costs more', () => {
  const most = (1.25 - 0.05) / 0.05;
  expect(reads()).toBeLessThan(most);
  expect(reads({}, 'claude-sonnet-4-5')).toBeLessThan(reads());
  expect(reads()).toBeLessThan(reads({}, 'claude-fable-5-2'));
});

test('reads are made for a user who usually returns soon, and almost none for a user who stays away for hours', () => {
  expect(reads({ away: away(8, 9, 7, 9, 8) })).toBeGreaterThan(0);
  expect(reads({ away: away(25, 28, 26) })).toBeGreaterThan(reads({ away: away(400, 500, 900) }));
  expect(reads({ away: away(400, 500, 900, 900, 300) })).toBeLessThan(2);
});

test('a promotion is chosen if it is allowed, and an entry that already lives an hour is only refreshed', () => {
  const ways = ['refresh', 'promotion'] as const;
  expect(plan({ ways, away: away(30, 40) })).toMatchObject({ by: 'promotion', at: 280_000, until: 3_880_000 });
  expect(plan({ ways, away: away(90, 100, 80), entry: { ttl: '1h', at: 0 } })).toMatchObject({ by: 'refresh' });
});

test('nothing is sent without cached tokens, after expiry, without a price, without an allowed kind of request, or beyond the budget', () => {
  const why = (over: Partial<KeepWarmInput>): unknown => {
    const planned = plan(over);
    return planned.by === 'nothing' ? planned.why : planned.by;
  };
  expect(why({ held: 0 })).toBe('empty');
  expect(why({ now: 5 * MINUTE })).toBe('expired');
  expect(why({ price: undefined })).toBe('price');
  expect(why({ ways: [] })).toBe('gain');
  expect(why({ budget: { share: 0.1, cost: money('0.2'), spent: money('0') } })).toBe('refresh');
  expect(why({ budget: { share: 0.1, cost: money('0.2'), spent: money('0.0001') } })).toBe('budget');
});

test('tokens that outlive the entry do not count as a saving', () => {
  expect(plan({ atStake: 5_000 })).toEqual({ by: 'nothing', why: 'gain' });
});

test('a plan is due before the entry expires, and its gain plus the cost of its request is at most the saving of one rewrite', () => {
  const rewrite = (TOKENS * (5 - 0.2)) / 1_000_000;
  fc.assert(
    fc.property(fc.array(fc.double({ min: 5, max: 2_000, noNaN: true })), fc.nat(290_000), (minutes, now) => {
      const made = plan({ away: away(...minutes), now, ways: ['refresh', 'promotion'] });
      if (made.by === 'nothing') return;
      expect(made.at).toBeGreaterThanOrEqual(now);
      expect(made.at).toBeLessThan(300_000);
      expect(Number(made.gain)).toBeGreaterThan(0);
      expect(Number(made.gain) + Number(made.cost)).toBeLessThanOrEqual(rewrite);
    }),
  );
});

test('`endedBetween` of adjacent intervals sums to the total evidence', () => {
  const time = fc.double({ min: 0, max: 800 * MINUTE, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.double({ min: 5, max: 2_000, noNaN: true })), time, time, (minutes, a, b) => {
      const pauses = away(...minutes);
      const [low, high] = a < b ? [a, b] : [b, a];
      const parts = [
        endedBetween(pauses, 0, low),
        endedBetween(pauses, low, high),
        endedBetween(pauses, high, Infinity),
      ];
      const all = pauses.bins.reduce((sum, tokens) => sum + tokens, 0);
      expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBeCloseTo(all, 3);
    }),
  );
});
