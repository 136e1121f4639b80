import { inputTokens, writtenTokens } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeInputUsage, decodeUsage, mergeUsage } from './answer.ts';

const tokens = fc.nat(300_000);
const all = fc.record({ fresh: tokens, read: tokens, short: tokens, hour: tokens, answer: tokens, thinking: tokens });
const maybe = fc.option(tokens, { nil: undefined });

describe('usage of a wire that counts exclusively (L7)', () => {
  it('holds each token of input and output in one bucket, and all of them', () => {
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
        // The three input counts are disjoint on this wire: their sum is the input.
        expect(inputTokens(usage)).toBe(fresh + read + short + hour);
      }),
    );
  });

  it('leaves unknown what did not come, whatever is missing', () => {
    const told = fc.record({ input: maybe, read: maybe, total: maybe, short: maybe, hour: maybe, output: maybe });
    fc.assert(
      fc.property(told, ({ input, read, total, short, hour, output }) => {
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

  it('keeps the written total of a gateway that gives no split by lifetime, and with it the whole input', () => {
    const wire = { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 40, output_tokens: 7 };
    expect(decodeUsage(wire)).toEqual({ fresh: 3, read: 100, written: 40, answer: 7 });
    expect(decodeInputUsage(wire)).toEqual({ fresh: 3, read: 100, written: 40 });
    expect(inputTokens(decodeUsage(wire))).toBe(143);
    expect(decodeUsage({ ...wire, cache_creation: { ephemeral_5m_input_tokens: 40 } })).toHaveProperty('written', 40);
  });

  it('takes the counts at the end of a stream over those at its beginning, and keeps what was not said again', () => {
    fc.assert(
      fc.property(tokens, tokens, maybe, (read, before, after) => {
        const first = { input_tokens: before, cache_read_input_tokens: read, cache_creation_input_tokens: 0 };
        // Counts that are all 0 are unknown: see below.
        fc.pre(read + (after ?? before) > 0);
        const usage = decodeUsage(mergeUsage(first, { input_tokens: after, output_tokens: 7 }));
        expect(usage).toEqual({ fresh: after ?? before, read, writes: [], answer: 7 });
      }),
    );
  });
});

describe('input counts that are all 0', () => {
  it('are unknown, as no request is empty', () => {
    expect(decodeUsage({ input_tokens: 0, output_tokens: 0 })).toEqual({});
    const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    expect(decodeUsage({ ...zeros, cache_creation: split, output_tokens: 7 })).toEqual({ answer: 7 });
    expect(decodeInputUsage(zeros)).toEqual({});
  });

  it('leave a fresh count of 0 where something was read or written', () => {
    expect(decodeUsage({ input_tokens: 0, cache_read_input_tokens: 9 })).toEqual({ fresh: 0, read: 9 });
    expect(decodeUsage({ input_tokens: 0, cache_creation_input_tokens: 9 })).toEqual({ fresh: 0, written: 9 });
  });
});
