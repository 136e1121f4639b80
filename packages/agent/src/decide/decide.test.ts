import type { AnswerReceived, CallForecast } from '@tidemark/log';
import { callId, money } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { failure } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { RETRY } from '../ports/runtime.ts';
import { NOTHING_SPENT } from '../session/spent.ts';
import { failedBy, requirePrice, retryPause, whyBeyond, whyLimited } from './limits.ts';
import { cutCall } from './next-move.ts';

const POLICY = { attempts: 4, initialDelayMs: 1_000, maxDelayMs: 3_000 };

describe('a failed call', () => {
  test('is repeated after a pause that doubles up to the maximum, minus a random part of up to half', () => {
    expect([1, 2, 3].map((tries) => retryPause(POLICY, failure(), tries, 0))).toEqual([1_000, 2_000, 3_000]);
    expect(retryPause(POLICY, failure(), 2, 0.999)).toBe(1_001);
  });

  test('is repeated after the pause that the provider asks for, even if that is 0', () => {
    expect(retryPause(POLICY, failure({ afterMs: 90_000 }), 1, 0)).toBe(90_000);
    expect(retryPause(POLICY, failure({ afterMs: 0 }), 1, 0)).toBe(0);
  });

  test("is not repeated if the provider asks for too long a wait, and the turn's end names that wait", () => {
    const error = failure({ afterMs: 3_600_000 });
    expect(retryPause(POLICY, error, 1, 0)).toBeUndefined();
    expect(retryPause({ ...POLICY, maxRetryAfterMs: 4_000_000 }, error, 1, 0)).toBe(3_600_000);
    expect(failedBy(error).error?.next).toBe('Wait 3,600 s, as the provider asks, then resume.');
  });

  test('ends the turn with at most 400 characters of its message', () => {
    const { class: sort, code, data } = failure();
    const error = new ProviderError(sort, code, `${'w'.repeat(399)}😀${'w'.repeat(2_000)}`, data);
    expect(failedBy(error).error?.message).toBe(`${'w'.repeat(399)}\uFFFD…`);
  });

  test('is repeated by default after 5, 10 and 20 seconds, for four attempts in all', () => {
    const pauses = [1, 2, 3, 4].map((tries) => retryPause(RETRY, failure(), tries, 0));
    expect(pauses).toEqual([5_000, 10_000, 20_000, undefined]);
  });

  test('is not repeated after the last attempt, or if a later attempt would fail in the same way', () => {
    expect(retryPause(POLICY, failure(), 4, 0)).toBeUndefined();
    for (const sort of ['compaction', 'refused', 'stop'] as const)
      expect(retryPause(POLICY, failure({ class: sort }), 1, 0)).toBeUndefined();
  });

  test('ends the turn with the next step for the user', () => {
    expect(failedBy(failure({ class: 'stop', code: 'provider/billing' }))).toMatchObject({
      outcome: 'failed',
      error: { code: 'provider/billing', next: expect.stringContaining('billing') },
    });
  });
});

describe('a limit', () => {
  const taken = { spent: { ...NOTHING_SPENT, steps: 3, input: 900, output: 100, cost: '0.30' }, ms: 5_000 };

  test('is reached at exactly its value and not before', () => {
    expect(whyLimited({}, taken)).toBeUndefined();
    expect(whyLimited({ steps: 4, ms: 5_001, tokens: 1_001, cost: '0.31' }, taken)).toBeUndefined();
    const codes = [{ steps: 3 }, { ms: 5_000 }, { tokens: 1_000 }, { cost: '0.3' }].map(
      (limits) => whyLimited(limits, taken)?.error?.code,
    );
    expect(codes).toEqual(['turn/limit-steps', 'turn/limit-time', 'turn/limit-tokens', 'turn/limit-cost']);
  });

  test('of cost includes the forecast, in exact decimals', () => {
    const forecast = (cost: string): CallForecast => ({ read: 0, write: 0, fresh: 0, unsent: 0, cost: money(cost) });
    expect(whyBeyond({ cost: '0.40' }, taken.spent, forecast('0.1'))).toBeUndefined();
    expect(whyBeyond({ cost: '0.40' }, taken.spent, forecast('0.1000001'))?.error?.code).toBe('turn/limit-cost');
    expect(whyBeyond({}, taken.spent, forecast('100'))).toBeUndefined();
  });

  test('of tokens includes the forecast input of the next call, whether it is cached or not', () => {
    const forecast: CallForecast = { read: 20, write: 30, fresh: 50, unsent: 0 };
    expect(whyBeyond({ tokens: 1_100 }, taken.spent, forecast)).toBeUndefined();
    expect(whyBeyond({ tokens: 1_099 }, taken.spent, forecast)).toEqual({
      outcome: 'limited',
      error: {
        code: 'turn/limit-tokens',
        message:
          'the turn reached its limit: 1000 of 1099 tokens, and the next call would use about 100 before its answer',
        next: expect.stringContaining('resume'),
      },
    });
    const guessed = { ...taken.spent, beyond: { tokens: 50, cost: '0' } };
    expect(whyBeyond({ tokens: 1_149 }, guessed, forecast)?.error?.message).toContain('about 1050 of 1149 tokens');
    expect(whyBeyond({ tokens: 1_150 }, guessed, forecast)).toBeUndefined();
  });

  test('of cost requires a known price', () => {
    const priced = row('claude-sonnet-4-5');
    expect(() => requirePrice({ cost: '1' }, priced, '2026-11-20')).not.toThrow();
    expect(() => requirePrice({}, { ...priced, prices: [] }, '2026-11-20')).not.toThrow();
    expect(() => requirePrice({ cost: '1' }, { ...priced, prices: [] }, '2026-11-20')).toThrow(
      /the price of .* is unknown/,
    );
  });
});

describe('a call that was cut off', () => {
  const answer = (change: Partial<AnswerReceived>, ...texts: readonly string[]): AnswerReceived => ({
    step: 0,
    stream: 'main',
    provider: 'p',
    model: 'm',
    parts: texts.map((text, index) => ({ type: 'call', call: callId(`c${index}`), name: 'look', arguments: text })),
    stop: 'length',
    truncated: 'yes',
    usage: {},
    ...change,
  });

  test('is the last call of an answer that stopped at its output limit, if the arguments of the call are not valid JSON', () => {
    expect(cutCall(answer({}, '{}', '{"a'))).toBe('c1');
    expect(cutCall(answer({}, '{}', ''))).toBe('c1');
    expect(cutCall(answer({}, '{"a', '{}'))).toBeUndefined();
    expect(cutCall(answer({ stop: 'calls', truncated: 'no' }, '{"a'))).toBeUndefined();
  });
});
