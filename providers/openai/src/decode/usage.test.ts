import { inputTokens, writtenTokens } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usageOf } from '../chat/stream.ts';
import { decodeUsage } from './usage.ts';

const NEW = { model: 'gpt-6-sol' } as const;
const OLD = { model: 'gpt-5.4' } as const;

const tokens = fc.nat(300_000);
const counted = fc.record({
  // The input is at least 1, because an input count of 0 makes all input counts unknown.
  fresh: fc.integer({ min: 1, max: 300_000 }),
  read: tokens,
  short: tokens,
  long: tokens,
  answer: tokens,
  reasoning: tokens,
});

describe('usage (L7)', () => {
  it('inclusive counts are split into buckets that contain each token once', () => {
    fc.assert(
      fc.property(counted, ({ fresh, read, short, long, answer, reasoning }) => {
        const usage = decodeUsage(
          {
            input: fresh + read + short + long,
            cached: read,
            written: short + long,
            written30m: short,
            written12h: long,
            output: answer + reasoning,
            reasoning,
          },
          NEW,
        );
        expect(usage).toMatchObject({ fresh, read, answer, reasoning });
        expect(writtenTokens(usage.writes ?? [])).toBe(short + long);
        expect(inputTokens(usage)).toBe(fresh + read + short + long);
        expect(usage.writes).toEqual(
          [
            { ttl: '30m', tokens: short },
            { ttl: '12h', tokens: long },
          ].filter((write) => write.tokens > 0),
        );
      }),
    );
  });

  it('a missing count adds no bucket, for every combination of missing counts', () => {
    const maybe = fc.option(tokens, { nil: undefined });
    const counts = fc.record({ input: maybe, cached: maybe, written: maybe, output: maybe, reasoning: maybe });
    fc.assert(
      fc.property(counts, (sent) => {
        const usage = decodeUsage(sent, NEW);
        if (sent.cached === undefined) expect(usage).not.toHaveProperty('read');
        if (sent.written === undefined) expect(usage).not.toHaveProperty('writes');
        if (sent.input === undefined || sent.cached === undefined || sent.written === undefined) {
          expect(usage).not.toHaveProperty('fresh');
        }
        if (sent.output === undefined) expect(usage).not.toHaveProperty('answer');
        const total = inputTokens(usage);
        if (total !== undefined) expect(total).toBe(sent.input);
        if (usage.input !== undefined) expect(usage).not.toHaveProperty('fresh');
        if (usage.written !== undefined) expect(usage).not.toHaveProperty('writes');
        const made = (usage.answer ?? 0) + (usage.reasoning ?? 0);
        if (sent.output !== undefined) expect(made).toBe(sent.output);
      }),
    );
  });

  it('writes are empty for models that do not bill writes, and unknown for all other models (facts 2.1)', () => {
    expect(decodeUsage({ input: 10, cached: 4 }, OLD)).toEqual({ fresh: 6, read: 4, writes: [] });
    expect(decodeUsage({ input: 10, cached: 4 }, NEW)).toEqual({ input: 10, read: 4 });
    expect(decodeUsage({ input: 10, cached: 4 }, { model: 'llama3.3' })).toEqual({ input: 10, read: 4 });
  });

  it('the input total of a compatible server is kept if some buckets are unknown', () => {
    const server = { model: 'llama3.3' };
    expect(decodeUsage({ input: 10, output: 2 }, server)).toEqual({ input: 10, answer: 2 });
    expect(decodeUsage({ input: 10, cached: 0 }, server)).toEqual({ input: 10, read: 0 });
    expect(decodeUsage({ input: 10, written: 4 }, server)).toEqual({ input: 10, written: 4 });
    expect(inputTokens(decodeUsage({ input: 10, cached: 4 }, server))).toBe(10);
    expect(decodeUsage({ input: 10, cached: 11 }, server)).toEqual({ read: 11 });
  });

  it('a written total has the lifetime that the response applied, or no lifetime if it is unknown', () => {
    expect(decodeUsage({ input: 10, cached: 0, written: 7 }, { ...NEW, ttl: '12h' })).toMatchObject({
      fresh: 3,
      writes: [{ ttl: '12h', tokens: 7 }],
    });
    const open = { fresh: 3, read: 0, written: 7 };
    expect(decodeUsage({ input: 10, cached: 0, written: 7 }, NEW)).toEqual(open);
    expect(decodeUsage({ input: 10, cached: 0, written: 7, written30m: 2 }, NEW)).toEqual(open);
  });

  it('counts that contradict each other add no fresh bucket, no reasoning bucket and no input total', () => {
    expect(decodeUsage({ input: 5, cached: 6, written: 0, output: 3, reasoning: 4 }, NEW)).toEqual({
      read: 6,
      writes: [],
      answer: 3,
    });
  });
});

it('`usageOf` reads the counts of a completion, and uses the requested lifetime if the model has no fixed one', () => {
  const counts = {
    prompt_tokens: 100,
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
    completion_tokens: 20,
    completion_tokens_details: { reasoning_tokens: 15 },
  };
  const expected = { fresh: 60, read: 30, answer: 5, reasoning: 15 };
  expect(usageOf(counts, 'gpt-6-sol', undefined)).toEqual({ ...expected, writes: [{ ttl: '30m', tokens: 10 }] });
  const claude = 'anthropic/claude-sonnet-5.5';
  expect(usageOf(counts, claude, '1h')).toEqual({ ...expected, writes: [{ ttl: '1h', tokens: 10 }] });
  expect(usageOf(counts, claude, undefined)).toEqual({ ...expected, written: 10 });
  expect(usageOf({ prompt_tokens: 9, completion_tokens: 2 }, 'llama3.3', undefined)).toEqual({ input: 9, answer: 2 });
});

describe('an input count of 0', () => {
  it('is unknown, like every other count of 0, because no request is empty', () => {
    expect(usageOf({ prompt_tokens: 0, completion_tokens: 0 }, 'llama3.3', undefined)).toEqual({});
    expect(usageOf({ prompt_tokens: 0 }, 'gpt-5.4', undefined)).toEqual({ writes: [] });
    const details = { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } };
    expect(usageOf({ prompt_tokens: 0, ...details }, 'gpt-6-sol', undefined)).toEqual({});
  });

  it('keeps an output count above 0', () => {
    expect(usageOf({ prompt_tokens: 0, completion_tokens: 30 }, 'llama3.3', undefined)).toEqual({ answer: 30 });
  });
});
