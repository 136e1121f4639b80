import { inputTokens, writtenTokens } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { answerOf } from './answer.ts';
import type { ResponseUsage } from './events.ts';
import { readResponse } from './events.ts';
import { beginResponse } from './stream.ts';
import { decodeResponse } from './answer.ts';

const usageOf = (usage: ResponseUsage, model = 'gpt-6-sol') =>
  answerOf([], { model, status: 'completed', usage }, false).usage;

const tokens = fc.nat(300_000);
/** The input is at least 1, because an input count of 0 makes all input counts unknown. */
const some = fc.integer({ min: 1, max: 300_000 });
const maybe = fc.option(tokens, { nil: undefined });

describe('usage of a response, which counts inclusively (L7)', () => {
  it('is read from the fields of a response', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: {
        cached_tokens: 30,
        cache_write_tokens: 10,
        cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: 0 },
      },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 15 },
    };
    const writes = [{ ttl: '30m', tokens: 10 }];
    expect(usageOf(usage)).toEqual({ fresh: 60, read: 30, writes, answer: 5, reasoning: 15 });
  });

  it('puts each token into exactly one bucket, and the buckets add up to the total', () => {
    fc.assert(
      fc.property(some, tokens, tokens, tokens, tokens, tokens, (fresh, read, short, long, answer, reasoning) => {
        const usage = usageOf({
          input_tokens: fresh + read + short + long,
          input_tokens_details: {
            cached_tokens: read,
            cache_write_tokens: short + long,
            cache_write_tokens_details: { ttl_30m_tokens: short, ttl_12h_tokens: long },
          },
          output_tokens: answer + reasoning,
          output_tokens_details: { reasoning_tokens: reasoning },
        });
        expect(usage).toMatchObject({ fresh, read, answer, reasoning });
        expect(writtenTokens(usage.writes ?? [])).toBe(short + long);
        expect(inputTokens(usage)).toBe(fresh + read + short + long);
      }),
    );
  });

  it('leaves a missing count unknown, for every combination of missing counts', () => {
    const maybeSome = fc.option(some, { nil: undefined });
    const anyCounts = fc.record({ input: maybeSome, cached: maybe, written: maybe, output: maybe, reasoning: maybe });
    fc.assert(
      fc.property(anyCounts, ({ input, cached, written, output, reasoning }) => {
        const usage = usageOf({
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: reasoning },
        });
        expect(usage.read).toBe(cached);
        if (written === undefined) expect(usage).not.toHaveProperty('writes');
        const sum = inputTokens(usage);
        if (sum !== undefined) expect(sum).toBe(input);
        if (input === undefined) expect(sum).toBeUndefined();
        if (usage.input !== undefined) expect(usage).not.toHaveProperty('fresh');
        expect((usage.answer ?? 0) + (usage.reasoning ?? 0)).toBe(output ?? 0);
      }),
    );
  });
});

describe('usage of a response with invalid values', () => {
  const decode = (usage: unknown) =>
    answerOf([], readResponse({ model: 'gpt-6-sol', status: 'completed', usage }), false);

  it.each(['12', 7.5, -1, 1e300, 1e15, true, {}, [[]]])('the count %j is dropped and the answer is kept', (odd) => {
    expect(decode({ input_tokens: odd, output_tokens: 5 })).toMatchObject({ stop: 'end' });
    expect(decode({ input_tokens: odd, output_tokens: 5 }).usage).toEqual({ answer: 5 });
    const details = { cached_tokens: odd, cache_write_tokens: odd, cache_write_tokens_details: odd };
    expect(decode({ input_tokens: 9, input_tokens_details: details, output_tokens: odd }).usage).toEqual({ input: 9 });
  });

  it.each(['none', 3, [[1]], false])('the whole usage is dropped if it is %j', (odd) => {
    expect(decode(odd)).toMatchObject({ stop: 'end', usage: {} });
    expect(decode({ input_tokens: 9, input_tokens_details: odd, output_tokens_details: odd }).usage).toEqual({
      input: 9,
    });
  });

  it('the counts are unknown if the input is 0', () => {
    expect(usageOf({ input_tokens: 0, output_tokens: 0 })).toEqual({});
    expect(usageOf({ input_tokens: 0, input_tokens_details: { cached_tokens: 0 }, output_tokens: 8 })).toEqual({
      answer: 8,
    });
  });
});

const diagnose = (prompt_cache_diagnostics: unknown): unknown => {
  const fields = { id: 'resp_2', model: 'm', status: 'completed', output: [], usage: {}, prompt_cache_diagnostics };
  const whole = decodeResponse(JSON.stringify(fields)).diagnosis;
  const decoded = beginResponse()
    .take(JSON.stringify({ type: 'response.completed', response: fields }))
    .at(-1);
  expect(decoded?.type === 'finished' && decoded.answer.diagnosis).toEqual(whole);
  return whole;
};

test.each([
  [
    { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 4100 },
    { found: 'miss', reason: 'tools_changed', missed: 4100 },
  ],
  [{ type: 'cache_miss' }, { found: 'miss' }],
  [{ type: 'cache_hit' }, { found: 'hit' }],
  [{ type: 'comparison_response_not_found' }, { found: 'unknown-response' }],
  [{ type: 'unavailable' }, { found: 'unavailable' }],
])('`decodeDiagnosis` reads %j, from a stream and from a whole response', (diagnostics, diagnosis) => {
  expect(diagnose(diagnostics)).toEqual(diagnosis);
});

it('`decodeDiagnosis` returns nothing for a missing field, null, an unknown type or an unknown form', () => {
  expect([undefined, null, { type: 'pending' }, 7].map(diagnose)).toEqual(Array.from({ length: 4 }));
});
