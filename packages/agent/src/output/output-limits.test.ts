import type { Event } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { describe, expect, it } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { answer, begin, prepare, prompt, row, second } from '../../tests/small-session.ts';
import { recordAnswer } from '../request/answer.ts';
import { commit } from '../session/session.ts';
import { batchShare, headroomOf, limitsAt, resultLimits } from './result-limits.ts';

const SONNET = row('claude-sonnet-4-5');

async function asked(input: number, calls: number): Promise<Small> {
  const small = await begin();
  await commit(small.session, [prompt('read it all', 1)]);
  const prepared = await prepare(small, 2);
  await recordAnswer(
    small.session,
    prepared,
    {
      parts: Array.from({ length: calls }, (_, index) => ({
        type: 'call' as const,
        call: `call-${index}`,
        name: 'read',
        arguments: '{}',
      })),
      stop: 'calls',
      truncated: 'no',
      usage: { fresh: input, read: 0, writes: [], answer: 500 },
    },
    second(3),
  );
  return small;
}

function returned(index: number, text: string): Event {
  return {
    kind: 'tool.returned',
    at: second(4),
    data: { call: callId(`call-${index}`), parts: [{ type: 'text', text }] },
  };
}

describe('the limit of one result', () => {
  it.each([
    [1_000_000, 51_200, 2_000],
    [200_000, 51_200, 2_000],
    [128_000, 51_200, 2_000],
    [64_000, 25_600, 1_000],
    [32_000, 12_800, 500],
    [8_000, 8_192, 200],
  ])('in a window of %i tokens is %i bytes and %i lines', (inputLimit, bytes, lines) => {
    expect(resultLimits({ inputLimit })).toEqual({ bytes, lines });
  });
});

describe('the headroom', () => {
  it('is unknown before a request was measured, and then only the limit of each result applies', async () => {
    const { session } = await begin();
    expect(headroomOf(session.state, SONNET)).toBeUndefined();
    expect(limitsAt(session.state, SONNET, 100)).toEqual(resultLimits(SONNET));
  });

  it('is the hard limit minus the measured input and the answer', async () => {
    const { session } = await asked(100_000, 1);
    expect(headroomOf(session.state, { ...SONNET, inputLimit: 200_000 })).toBe(170_000 - 100_000 - 500);
    expect(headroomOf(session.state, { ...SONNET, inputLimit: 128_000 })).toBe(128_000 - 16_384 - 100_000 - 500);
  });

  it('is counted from the `hard` budget of the user if one is set', async () => {
    const { session } = await asked(100_000, 1);
    const capabilities = { ...SONNET, inputLimit: 200_000 };
    expect(headroomOf(session.state, capabilities, { hard: 110_000 })).toBe(110_000 - 100_000 - 500);
    expect(headroomOf(session.state, capabilities, { reserve: 60_000 })).toBe(140_000 - 100_000 - 500);
    expect(limitsAt(session.state, capabilities, 1, { hard: 110_000 }).bytes).toBe((10_000 - 500) * 2);
  });

  it('leaves room for the output if the provider refuses a request without such room', async () => {
    const { session } = await asked(100_000, 1);
    const window = { tokens: 100_000, sharedWithOutput: 'refused' } as const;
    const hard = 99_000 - 16_384;
    expect(headroomOf(session.state, { ...SONNET, inputLimit: 100_000, window })).toBe(hard - 100_000 - 500);
  });

  it('shrinks with each result of the open batch, and with each waiting prompt', async () => {
    const { session } = await asked(10_000, 2);
    const before = headroomOf(session.state, SONNET) ?? 0;
    await commit(session, [returned(0, 'word '.repeat(2_000))]);
    const landed = headroomOf(session.state, SONNET) ?? 0;
    expect(before - landed).toBeGreaterThan(2_000);
    await commit(session, [prompt('and this '.repeat(1_000), 5)]);
    const waiting = headroomOf(session.state, SONNET) ?? 0;
    expect(landed - waiting).toBeGreaterThan(1_000);
  });

  it('counts a batch once, both when it is open and when it is packed', async () => {
    const { session } = await asked(10_000, 1);
    const open = headroomOf(session.state, SONNET) ?? 0;
    await commit(session, [returned(0, 'x')]);
    const packed = headroomOf(session.state, SONNET) ?? 0;
    expect(Math.abs(open - packed)).toBeLessThan(520);
  });

  it('is measured again from the next request', async () => {
    const small = await asked(10_000, 1);
    await commit(small.session, [returned(0, 'word '.repeat(2_000))]);
    const prepared = await prepare(small, 6);
    await answer(small, prepared, { fresh: 12_345, read: 0, writes: [], answer: 0 }, 7);
    const headroom = headroomOf(small.session.state, { ...SONNET, inputLimit: 200_000 }) ?? 0;
    expect(170_000 - 12_345 - headroom).toBeLessThan(10);
  });
});

describe('the share of a batch', () => {
  it('divides the headroom by the open calls and is at least 2 KiB', () => {
    expect(batchShare(100_000, 10)).toBe(20_000);
    expect(batchShare(1_000, 10)).toBe(2_048);
    expect(batchShare(-5_000, 1)).toBe(2_048);
  });

  async function tenOf(line: string): Promise<number | undefined> {
    const { session } = await asked(120_000, 10);
    const capabilities = { ...SONNET, inputLimit: 200_000 };
    for (let index = 0; index < 10; index += 1) {
      const { bytes } = limitsAt(session.state, capabilities, 10 - index);
      await commit(session, [returned(index, line.repeat(1_000).slice(0, bytes))]);
    }
    return headroomOf(session.state, capabilities);
  }

  it('keeps ten parallel outputs of 50 KiB below the hard limit', async () => {
    const code = 'export function taxOf(amount: number, rate = 0.19): number { return amount; }\n';
    expect(await tenOf(code)).toBeGreaterThanOrEqual(0);
  });

  it('adapts with each result, so that text with twice the tokens exceeds the limit only slightly', async () => {
    expect(await tenOf('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n')).toBeGreaterThan(-2_000);
  });
});
