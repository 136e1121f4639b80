// Tests the pressure of each request. It is read before every step. It is recorded one time for each tier and
// checkpoint, and reported with the next action.

import type { Gauge } from '@tidemark/context';
import type { RecordedOf, Usage } from '@tidemark/log';
import { createMemoryBackend } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import type { Live, Setting } from '../../tests/small-live.ts';
import { answering, calls, failure, goLive, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import type { Notice } from '../ports/session-event.ts';

const used = (tokens: number): { readonly usage: Usage } => ({
  usage: { fresh: tokens, read: 0, writes: [], answer: 10 },
});
const look = made('look', () => ({ text: 'seen' }));
/** Row that allows 100,000 input tokens in addition to the output. The tier `warning` begins at 78,616 tokens. */
const CAPABILITIES = {
  ...row('claude-sonnet-4-5'),
  inputLimit: 100_000,
  window: { tokens: 101_000, sharedWithOutput: 'refused' },
} as const;

interface Watched extends Live {
  readonly notices: readonly Notice[];
  readonly gauges: readonly Gauge[];
  readonly crossings: () => Promise<readonly RecordedOf<'pressure.crossed'>['data'][]>;
  readonly limits: () => Promise<readonly number[]>;
}

async function watched({ runtime, ...setting }: Setting): Promise<Watched> {
  const held = await goLive({
    ...setting,
    runtime: { capabilities: CAPABILITIES, tools: [look], rewriteNotice: {}, ...runtime },
  });
  const notices: Notice[] = [];
  const gauges: Gauge[] = [];
  const listen = async (): Promise<void> => {
    for await (const event of held.live.events()) {
      if (event.type === 'notice.raised') notices.push(event.notice);
      if (event.type === 'status.changed') gauges.push(event.gauge);
    }
  };
  void listen();
  const crossings: Watched['crossings'] = async () =>
    (await held.records()).flatMap((one) => (one.kind === 'pressure.crossed' ? [one.data] : []));
  const limits: Watched['limits'] = async () =>
    (await held.records()).flatMap((one) => (one.kind === 'request.prepared' ? [one.data.outputLimit] : []));
  return { ...held, notices, gauges, crossings, limits };
}

describe('the pressure of a turn', () => {
  test('is read before every step, and reported with a next action in tiers that need one', async () => {
    const provider = answering(
      { ...calls(['c1', 'look']), ...used(60_000) },
      { ...calls(['c2', 'look']), ...used(72_000) },
      { ...calls(['c3', 'look']), ...used(85_000) },
      says('done', used(89_000)),
    );
    const { live, notices, gauges, crossings, kinds } = await watched({ provider });
    await live.prompt('go');
    expect(gauges.map(({ tier }) => tier)).toEqual(['calm', 'calm', 'advisory', 'warning']);
    expect((await crossings()).map(({ tier, limit }) => [tier, limit])).toEqual([
      ['advisory', 100_000],
      ['warning', 100_000],
    ]);
    expect(notices).toEqual([
      {
        code: 'context/pressure',
        tier: 'warning',
        message: expect.stringMatching(/^the next request has about 85,\d{3}.* of 100,000 tokens \(85%\), warning/),
        next: 'See what a compaction would free with `session.compact({ dryRun: true })`.',
      },
    ]);
    // The record of the new tier comes directly before the request that it describes.
    const told = await kinds();
    expect(told[told.indexOf('pressure.crossed') + 1]).toBe('request.prepared');
    await live.prompt('go on');
    expect(gauges.map(({ tier }) => tier)).toEqual(['calm', 'calm', 'advisory', 'warning', 'warning']);
    expect(notices).toHaveLength(1);
  });

  test.each<readonly ['manual' | 'preflight', readonly string[]]>([
    ['manual', ['critical']],
    // At the tier `critical`, the runtime compacts before the request, so `critical` is not reported. The input count
    // was measured before the compaction. It is not valid for the request that is sent afterwards.
    ['preflight', ['recovery']],
  ])(
    'that is critical is reported if only the user may compact, else the runtime compacts: %s',
    async (compaction, tiers) => {
      const provider = answering(says('much '.repeat(2_000), used(93_000)), says('done'));
      const { live, notices } = await watched({ provider, runtime: { compaction } });
      await live.prompt('go');
      await live.prompt('go on');
      expect(notices.map(({ tier }) => tier)).toEqual(tiers);
    },
  );

  test('is not reported again by another attempt, another step or another process', async () => {
    const shelf = createMemoryBackend();
    const bad = says('', { fault: { after: 0, error: failure() } });
    const first = answering({ ...calls(['c1', 'look']), ...used(85_000) }, bad, says('done', used(86_000)));
    const one = await watched({ provider: first, shelf });
    const turn = one.live.prompt('go');
    for await (const event of turn) if (event.type === 'notice.raised') one.pass(60_000);
    await turn;
    expect(one.notices.map(({ code }) => code)).toEqual(['context/pressure', 'turn/retrying']);
    await one.live.close();
    const two = await watched({ provider: answering(says('yes', used(87_000))), shelf });
    await two.live.prompt('more');
    expect(two.gauges.map(({ tier }) => tier)).toEqual(['warning']);
    expect(two.notices).toEqual([]);
    expect(await two.crossings()).toHaveLength(1);
  });

  test('is estimated if the provider reported no usage, and its tier is recorded', async () => {
    const uncounted = (words: string) => says(words, { usage: {} });
    const provider = answering(uncounted('one'), uncounted('two'), uncounted('three'));
    const { live, gauges, crossings } = await watched({ provider });
    await live.prompt('go');
    await live.prompt('go on');
    expect(gauges.at(-1)).toMatchObject({ tier: 'calm' });
    await live.prompt('many words '.repeat(48_000));
    expect(gauges.at(-1)).toMatchObject({ tier: 'critical' });
    expect(await crossings()).toMatchObject([{ tier: 'critical' }]);
  });

  test('lowers the requested output limit to the room left in the window', async () => {
    const capabilities = { ...CAPABILITIES, outputLimit: 4_000 };
    const provider = answering(says('one', used(98_500)), says('two', used(99_960)), says('three'));
    // With an automatic policy, a window this full would be compacted before the request.
    const runtime = { capabilities, outputLimit: 4_000, compaction: 'manual' } as const;
    const { live, limits } = await watched({ provider, runtime });
    await live.prompt('go');
    await live.prompt('go on');
    await live.prompt('and on');
    const [first, second = 0, third] = await limits();
    expect([first, third]).toEqual([4_000, 1_024]);
    expect(second).toBeGreaterThan(2_000);
    expect(second).toBeLessThan(2_490);
  });

  test('follows the budgets in the settings', async () => {
    const provider = answering(says('one', used(50_000)), says('two'));
    const { live, notices } = await watched({ provider, runtime: { budgets: { soft: 40_000 } } });
    await live.prompt('go');
    await live.prompt('go on');
    expect(notices.map(({ tier }) => tier)).toEqual(['warning']);
  });
});

test('the forecast of a rewrite after a front change is scaled by the counted usage', async () => {
  // The counted 18,000 tokens are about twice the estimate for this text.
  const words = 'word '.repeat(8_000);
  const provider = answering(
    says('read', { usage: { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: 18_000 }], answer: 5 } }),
    says('more'),
  );
  const { live, records } = await watched({ provider, runtime: { tools: [], rewriteNotice: {} } });
  await live.prompt(words);
  live.setTools([look]);
  await live.prompt('go on');
  const opened = (await records()).findLast((one) => one.kind === 'epoch.opened');
  expect(opened?.kind === 'epoch.opened' && opened.data.forecast.rewrite).toBeGreaterThan(16_000);
});
