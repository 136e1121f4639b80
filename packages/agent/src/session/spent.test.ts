import { money } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { whyLimited } from '../decide/limits.ts';
import { NOTHING_SPENT, moneyTaken, spend, tokensTaken, totalsOf } from './spent.ts';

describe('a call without a count', () => {
  const estimated = { input: 900, output: 100, cost: money('0.02') };
  const spent = spend(NOTHING_SPENT, { usage: {}, estimated }, 1);

  test('counts against the token limit with its estimated input and output', () => {
    expect(tokensTaken(spent)).toBe(1_000);
    expect(whyLimited({ tokens: 1_001 }, { spent, ms: 0 })).toBeUndefined();
    expect(whyLimited({ tokens: 1_000 }, { spent, ms: 0 })?.error?.code).toBe('turn/limit-tokens');
  });

  test('adds only the estimated output if its input was counted', () => {
    const counted = spend(NOTHING_SPENT, { usage: { input: 900 }, estimated: { output: 100 } }, 1);
    expect(tokensTaken(counted)).toBe(1_000);
  });

  test('is not in the sums of counted tokens and known cost', () => {
    expect(spent).toMatchObject({ input: 0, output: 0, cost: '0', unknown: { tokens: 1, cost: 1 } });
    expect(moneyTaken(spent)).toBe('0.02');
    expect(totalsOf(spent)).toEqual({ steps: 1, calls: 0, taken: { tokens: 1_000, cost: '0.02' } });
  });
});
