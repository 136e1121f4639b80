import { inputTokens, writtenTokens } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeInputUsage, decodeUsage, mergeUsage } from './answer.ts';

const tokens = fc.nat(300_000);
const all = fc.record({ fresh: tokens, read: tokens, short: tokens, hour: tokens, answer: tokens, thinking: tokens });
const maybe = fc.option(tokens, { nil: undefined });

describe('usage from an API with disjoint counts (L7)', () => {
  it('every input and output token is in exactly one bucket', () => {
    fc.assert(
      fc.property(all, ({ fresh, read, short, hour, answer, thinking }) => {
        const usage = decodeUsage({
          input_tokens: fresh,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: short + hour,
          cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: hour },
          output_tokens: answer + thinking,
          output_tokens_details: { thinking_tokens: thinking },
        });
        expect(usage).toMatchObject({ fresh, read, answer, reasoning: thinking });
        expect(writtenTokens(usage.writes ?? [])).toBe(short + hour);
        // The three input counts of this API are disjoint, so their sum is the whole input.
        expect(inputTokens(usage)).toBe(fresh + read + short + hour);
      }),
    );
  });

  it('a missing count stays unknown, for every combination of missing counts', () => {
    const anyCounts = fc.record({ input: maybe, read: maybe, total: maybe, short: maybe, hour: maybe, output: maybe });
    fc.assert(
      fc.property(anyCounts, ({ input, read, total, short, hour, output }) => {
        const usage = decodeUsage({
          input_tokens: input,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: total,
          cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: hour },
          output_tokens: output,
        });
        expect([usage.fresh, usage.read, usage.answer]).toEqual([input, read, output]);
        expect(usage).not.toHaveProperty('reasoning');
        if (hour === undefined && total !== 0) expect(usage).not.toHaveProperty('writes');
        if (total === undefined && short === undefined) expect(usage).not.toHaveProperty('writes');
        if (usage.writes !== undefined) expect(usage).not.toHaveProperty('written');
        if (usage.writes === undefined && usage.written === undefined) expect(inputTokens(usage)).toBeUndefined();
      }),
    );
  });

  it('the written total of a gateway without a split by lifetime is kept and counts toward the input', () => {
    const wire = { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 40, output_tokens: 7 };
    expect(decodeUsage(wire)).toEqual({ fresh: 3, read: 100, written: 40, answer: 7 });
    expect(decodeInputUsage(wire)).toEqual({ fresh: 3, read: 100, written: 40 });
    expect(inputTokens(decodeUsage(wire))).toBe(143);
    expect(decodeUsage({ ...wire, cache_creation: { ephemeral_5m_input_tokens: 40 } })).toHaveProperty('written', 40);
  });

  it('counts at the end of a stream replace the counts at its beginning, and a count that is not repeated is kept', () => {
    fc.assert(
      fc.property(tokens, tokens, maybe, (read, before, after) => {
        const first = { input_tokens: before, cache_read_input_tokens: read, cache_creation_input_tokens: 0 };
        // Skips inputs whose counts are all 0, because such counts become unknown. The tests below cover this case.
        fc.pre(read + (after ?? before) > 0);
        const usage = decodeUsage(mergeUsage(first, { input_tokens: after, output_tokens: 7 }));
        expect(usage).toEqual({ fresh: after ?? before, read, writes: [], answer: 7 });
      }),
    );
  });
});

describe('an input count of 0', () => {
  it('is unknown if all input counts are 0, because no request is empty', () => {
    expect(decodeUsage({ input_tokens: 0, output_tokens: 0 })).toEqual({});
    const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    expect(decodeUsage({ ...zeros, cache_creation: split, output_tokens: 7 })).toEqual({ answer: 7 });
    expect(decodeInputUsage(zeros)).toEqual({});
  });

  it('is kept as a fresh count of 0 if tokens were read or written', () => {
    expect(decodeUsage({ input_tokens: 0, cache_read_input_tokens: 9 })).toEqual({ fresh: 0, read: 9 });
    expect(decodeUsage({ input_tokens: 0, cache_creation_input_tokens: 9 })).toEqual({ fresh: 0, written: 9 });
  });
});
