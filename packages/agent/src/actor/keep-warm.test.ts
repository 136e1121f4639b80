import { ProviderError } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { LedgerCall } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import { ID } from '../../tests/small-session.ts';
import type { Warmed } from '../../tests/small-warm.ts';
import { goWarm } from '../../tests/small-warm.ts';
import { gate, made } from '../../tests/small-work.ts';
import { ticks } from '../../tests/ticks.ts';
import { verifySession } from '../audit/rebuild.ts';
import { foldLog } from '../session/session.ts';

const LONG = 'Some words to remember. '.repeat(4_000);
const PROMOTES = { promotes: { verified: '2026-11-20' } } as const;

/** Returns the input tokens of a call in this order: read, written for five minutes, written for an hour, fresh. */
function buckets({ usage }: LedgerCall): readonly (number | undefined)[] {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage?.cache_creation ?? {};
  return [usage?.cache_read_input_tokens, short, long, usage?.input_tokens];
}

/** Returns the number of input tokens that the first request wrote to the cache. */
function sizeOf({ billed }: Warmed): number {
  return billed()[0]?.usage?.cache_creation_input_tokens ?? Number.NaN;
}

/** Returns the time of each call in minutes after the first one. */
function minutes({ billed }: Warmed): readonly number[] {
  const first = billed()[0]?.at ?? 0;
  return billed().map(({ at }) => Math.round((at - first) / 6_000) / 10);
}

const warnings = ({ told }: Warmed): readonly string[] =>
  told.flatMap((event) => (event.type === 'notice.raised' ? [event.notice.code] : []));

async function expectSound({ log }: Warmed): Promise<void> {
  const verified = await verifySession(log, ID, { encoders: () => anthropicEncoder });
  expect(verified).toMatchObject({ differences: [], breaks: [] });
}

describe('keeping the cache warm between two turns', () => {
  test('refreshes the cache shortly before it expires, and the next turn reads everything, including the last answer', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    await warm.later(4.5);
    expect(warm.billed()).toHaveLength(1);
    await warm.later(4);
    await warm.live.prompt('go on');
    expect(minutes(warm)).toEqual([0, 4.7, 8.5]);
    expect(warm.provider.bodies.map((body) => [body.includes('"max_tokens":0'), body.includes('"stream"')])).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
    // Each token is written to the cache exactly one time. The first call writes the prompt, the warming call writes
    // the answer, and the last call writes the next prompt.
    const all = sizeOf(warm);
    expect(warm.billed().map(buckets)).toEqual([
      [0, all, 0, 0],
      [all, 18, 0, 6],
      [all + 18, 2, 0, 0],
    ]);
    await warm.live.close();
    await expectSound(warm);
  });

  test('stops if the user is not expected back before the cache expires, and sends nothing more', async () => {
    const warm = await goWarm({ runtime: { warm: { share: 1 } } });
    await warm.live.prompt(LONG);
    await warm.later(60);
    const last = minutes(warm).at(-1) ?? 0;
    expect(last).toBeGreaterThan(4);
    expect(last).toBeLessThan(40);
    expect(warm.told.at(-1)).toMatchObject({ type: 'cache.warming', why: 'gain' });
    const { length } = warm.billed();
    await warm.later(60);
    expect(warm.billed()).toHaveLength(length);
  });

  test("spends no more than the given share of the session's cost", async () => {
    const warm = await goWarm({ runtime: { warm: { share: 0.05 } } });
    await warm.live.prompt(LONG);
    await warm.later(20);
    expect(warm.told.at(-1)).toMatchObject({ type: 'cache.warming', why: 'budget' });
    const [first, ...rest] = (await warm.records()).flatMap((one) =>
      one.kind === 'answer.received' ? [Number(one.data.cost)] : [],
    );
    expect(rest).toHaveLength(1);
    expect(rest[0]).toBeLessThan(0.05 * (first ?? 0));
  });

  test('reports each call before it is sent, with its cost, its gain and the cost so far', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    await ticks();
    expect(warm.told.filter(({ type }) => type === 'cache.warming')).toEqual([
      {
        type: 'cache.warming',
        spent: '0',
        plan: {
          by: 'refresh',
          at: '2026-11-20T12:04:42.000Z',
          until: '2026-11-20T12:09:42.000Z',
          // Reading costs $0.20 per million tokens. Writing the 18 tokens of the answer to the cache costs $5 per
          // million.
          cost: String(Number(((sizeOf(warm) * 0.2 + 18 * 5) / 1_000_000).toFixed(9))),
          gain: expect.stringMatching(/^0\.0\d+$/),
        },
      },
    ]);
  });

  test('sends nothing if it is off, if nothing was cached, or if the output limit cannot be low enough', async () => {
    const off = await goWarm({ runtime: { warm: 'off' } });
    const small = await goWarm({ change: { floor: 100_000 } });
    const thinking = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
    const thinks = await goWarm({ runtime: { parameters: thinking, outputLimit: 4_000 } });
    // The model offers a lifetime of an hour, and its catalog row marks no promotion as verified. With `auto`, no
    // warming call is sent.
    const auto = await goWarm({ runtime: { warm: 'auto' } });
    for (const warm of [off, small, thinks, auto]) {
      await warm.live.prompt(LONG);
      await warm.later(30);
      expect(warm.billed()).toHaveLength(1);
    }
    expect(thinks.told.at(-1)).toMatchObject({ why: 'output' });
  });
});

describe('keeping the cache warm', () => {
  test('ends with a prompt, which is not delayed by a pending call', async () => {
    const warm = await goWarm();
    const held = gate();
    await warm.live.prompt(LONG);
    warm.provider.held = held.opened;
    await warm.later(4.7);
    expect(warm.billed()).toHaveLength(2);
    expect(await warm.live.prompt('go on')).toMatchObject({ outcome: 'completed' });
    held.open();
    await ticks();
    await warm.live.close();
    await expectSound(warm);
    expect(warnings(warm)).toEqual([]);
  });

  test('ends when the session closes, also during a call', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    warm.provider.held = new Promise(() => undefined);
    await warm.later(4.7);
    await warm.live.close();
    await warm.later(20);
    expect(warm.billed()).toHaveLength(2);
    expect((await warm.kinds()).at(-1)).toBe('answer.interrupted');
  });

  test('ends after a change of tools that opens an epoch', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    warm.live.setTools([made('look', () => ({ text: 'seen' }))]);
    await warm.later(20);
    expect(warm.billed()).toHaveLength(1);
  });

  test('continues after a change of tools that is appended, and the next request reads the content sent before the change', async () => {
    const look = made('look', () => ({ text: 'seen' }));
    const warm = await goWarm({ runtime: { tools: [look] } });
    await warm.live.prompt(LONG);
    warm.live.setTools([look, made('other', () => ({ text: 'seen' }))]);
    await warm.later(8);
    expect(minutes(warm)).toEqual([0, 4.7]);
    expect(await warm.live.prompt('go on')).toMatchObject({ error: undefined, outcome: 'completed' });
    expect(await warm.kinds()).toContain('tools.changed');
    expect(warm.billed()[2]?.usage?.cache_read_input_tokens).toBeGreaterThanOrEqual(sizeOf(warm));
    await warm.live.close();
    await expectSound(warm);
  });

  test('ends after a failure, which is reported once, and starts again after the next turn', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    warm.provider.fault = new ProviderError('retryable', 'provider/overloaded', 'too much', { provider: 'anthropic' });
    await warm.later(4.8);
    expect(warnings(warm)).toEqual(['cache/warming-failed']);
    await warm.later(0.1);
    await warm.live.prompt('go on');
    await warm.later(4.7);
    expect(minutes(warm)).toEqual([0, 4.9, 9.6]);
    expect(warnings(warm)).toHaveLength(1);
  });

  test('ends without a new write if the cache expired while the process slept', async () => {
    const warm = await goWarm();
    await warm.live.prompt(LONG);
    await ticks();
    warm.pass(3_600_000);
    await ticks();
    expect(warm.billed()).toHaveLength(1);
    expect(warm.told.at(-1)).toMatchObject({ type: 'cache.warming', why: 'expired' });
  });
});

describe('a promotion of a model whose catalog row marks it as verified', () => {
  test('is one read that extends the whole cached prefix to an hour, and the next turn reads this prefix', async () => {
    const warm = await goWarm({ change: PROMOTES, simulator: { promotion: 'works' } });
    await warm.live.prompt(LONG);
    await warm.later(50);
    await warm.live.prompt('go on');
    expect(minutes(warm)).toEqual([0, 4.7, 50]);
    const all = sizeOf(warm);
    expect(warm.billed().map(buckets)).toEqual([
      [0, all, 0, 0],
      [all, 0, 18, 6],
      [all + 18, 2, 0, 0],
    ]);
    expect((await foldLog(warm.log, ID)).cache.promotionMissed).toBe(false);
    await warm.live.close();
    await expectSound(warm);
  });

  test('that has no effect is the last one of the session, and the log records this for later processes', async () => {
    const warm = await goWarm({ change: PROMOTES, simulator: { promotion: 'fails' } });
    await warm.live.prompt(LONG);
    await warm.later(50);
    await warm.live.prompt('go on');
    await warm.later(50);
    const plans = warm.told.flatMap((event) => (event.type === 'cache.warming' ? [event.plan?.by ?? event.why] : []));
    expect(plans[0]).toBe('promotion');
    expect(plans.slice(1)).not.toContain('promotion');
    expect((await foldLog(warm.log, ID)).cache.promotionMissed).toBe(true);
    await warm.live.close();
    await expectSound(warm);
  });
});
