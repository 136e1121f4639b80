import type { EpochOpened, RequestPrepared, Usage } from '@tidemark/log';
import { position, timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, call, created, fold, named, prompt, request, returned, row, text } from '../../tests/log-of.ts';
import { cliffCleared } from '../compaction/plan-compaction.ts';
import { crossingOf, gaugeOf, fitOutput, inputLimitOf, gaugeInWords } from './gauge.ts';
import { estimateTokens } from '../base/estimate.ts';
import type { Gauge } from './gauge.ts';
import { sizeForecast, nextInput } from './next-input.ts';
import type { State } from '../state/state.ts';

const ROW: Capabilities = {
  ...row('claude-sonnet-4-5'),
  inputLimit: 10_000,
  window: { tokens: 10_000, sharedWithOutput: 'no' },
  outputLimit: 1_000,
};

const layer = {
  name: 'runtime',
  revision: 'tm1',
  stability: 'global',
  digest: named('l'),
  bytes: 400,
  tokens: 100,
} as const;

function epoch(change: Partial<EpochOpened> = {}): TestEvent {
  return [
    'epoch.opened',
    {
      number: 0,
      cause: 'initial',
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: named('row'),
      contract: 'tm1',
      layers: [layer],
      tools: [],
      cacheKey: 'k',
      forecast: { rewrite: 0 },
      ...change,
    },
  ];
}

function asked(change: Partial<RequestPrepared> = {}): TestEvent {
  const event = request(2);
  return event[0] === 'request.prepared' ? [event[0], { ...event[1], bytes: 3_000, ...change }] : event;
}

/** Usage of 7,000 tokens in total. */
const COUNTED: Usage = { fresh: 500, read: 4_000, writes: [{ ttl: '5m', tokens: 2_000 }], answer: 400, reasoning: 100 };

const SAID = 'the words that come next';

const BEGUN = [created, epoch(), prompt('go')];

const ANSWERED = [...BEGUN, asked(), answer([text('done')], COUNTED)];

describe('the input of the next request', () => {
  test('is the sum of all input buckets of the last usage, its output, and an estimate of what was appended', () => {
    expect(gaugeOf(fold(ANSWERED), ROW)).toMatchObject({ input: 7_000, limit: 10_000, ratio: 0.7, tier: 'warning' });
    const { input = 0 } = gaugeOf(fold([...ANSWERED, prompt(SAID)]), ROW);
    expect(input).toBe(7_000 + estimateTokens(SAID) + 4);
  });

  test('includes results while other calls are open, and a prompt that waits', () => {
    const open = [...BEGUN, asked(), answer([call('c1'), call('c2')], COUNTED)];
    const one = gaugeOf(fold([...open, returned('c1')]), ROW).input ?? 0;
    const more = gaugeOf(fold([...open, returned('c1'), prompt(SAID)]), ROW).input ?? 0;
    expect(one).toBeGreaterThan(7_000);
    expect(more - one).toBe(estimateTokens(SAID) + 4);
    const closed = fold([...open, returned('c1'), prompt(SAID), returned('c2')]);
    expect((gaugeOf(closed, ROW).input ?? 0) - more).toBeGreaterThanOrEqual(estimateTokens('result of c2'));
  });

  test('is an estimate of everything before the first call', () => {
    expect(nextInput(fold(BEGUN)).tokens).toEqual({ measured: 0, appended: 100 + estimateTokens('go') + 4 });
  });

  test('is an estimate of everything after an epoch that edits the history, or after a change of the model', () => {
    const edited = [...ANSWERED, epoch({ number: 1, layers: [layer, { ...layer, digest: named('more') }] })];
    expect(nextInput(fold(edited)).tokens?.measured).toBe(0);
    expect(nextInput(fold(edited)).tokens?.appended).toBeGreaterThan(200);
    expect(nextInput(fold([...ANSWERED, epoch({ number: 1, model: 'other' })])).tokens?.measured).toBe(0);
    expect(nextInput(fold([...ANSWERED, epoch({ number: 1, parameters: { effort: 'low' } })])).tokens?.measured).toBe(
      7_000,
    );
  });

  test('is an estimate of everything if the count is above the window, because such a count cannot be right', () => {
    const counted = (read: number): State =>
      fold([...BEGUN, asked(), answer([text('done')], { ...COUNTED, fresh: 0, writes: [], read })]);
    expect(gaugeOf(counted(10_000), ROW)).toMatchObject({ input: 10_500, tier: 'critical' });
    const absurd = gaugeOf(counted(10_001), ROW);
    expect(absurd).toMatchObject({ tier: 'calm' });
    expect(absurd.input).toBeLessThan(1_000);
  });

  test.each([
    ['fresh', { read: 1, writes: [], answer: 1 }],
    ['read', { fresh: 1, writes: [], answer: 1 }],
    ['writes', { fresh: 1, read: 1, answer: 1 }],
  ])('is an estimate of everything if the usage contains neither `%s` nor a total', (_, usage) => {
    const answered = [...BEGUN, asked(), answer([text('done')], usage)];
    const { appended = 0 } = nextInput(fold(BEGUN)).tokens ?? {};
    const input = appended + estimateTokens('done') + 4;
    expect(gaugeOf(fold(answered), ROW)).toMatchObject({ input, tier: 'calm' });
    const long = 'words without end '.repeat(4_000);
    expect(gaugeOf(fold([...answered, prompt(long)]), ROW)).toMatchObject({ tier: 'critical' });
  });

  test.each([
    ['together with cache reads', { input: 9_000, read: 4_000, answer: 400 }],
    ['alone', { input: 9_000, answer: 400 }],
    ['as the sum of its parts', { fresh: 1_000, read: 4_000, written: 4_000, answer: 400 }],
  ])('uses a total that the usage contains %s', (_, usage) => {
    const gauge = gaugeOf(fold([...BEGUN, asked(), answer([text('done')], usage)]), ROW);
    expect(gauge).toMatchObject({ input: 9_400, ratio: 0.94, tier: 'critical' });
    expect(gaugeInWords(gauge)).toMatch(/^about 9,400 of 10,000 tokens/);
  });

  test('uses the last total if a later call reported none', () => {
    const counted = [...BEGUN, asked(), answer([text('done')], COUNTED)];
    const later = [...counted, prompt(SAID), asked(), answer([text('more')], { answer: 2 })];
    const since = estimateTokens(SAID) + 4 + estimateTokens('more') + 4;
    expect(nextInput(fold(later)).tokens).toEqual({ measured: 7_000, appended: since });
  });

  test('is unknown if the log does not contain the size of the tools, or any front', () => {
    const tools = [{ name: 'look', digest: named('look') }];
    expect(gaugeOf(fold([created, epoch({ tools }), prompt('go')]), ROW).tier).toBe('unknown');
    expect(gaugeOf(fold([created, epoch({ layers: [] }), prompt('go')]), ROW).tier).toBe('unknown');
    const state = fold([created, epoch({ tools, toolSize: { tokens: 50, bytes: 200 } }), prompt('go')]);
    expect(nextInput(state).tokens?.appended).toBe(150 + estimateTokens('go') + 4);
  });

  test('includes an estimate of the answer if its output count is missing or too low', () => {
    const words = 'many words of an answer that was long '.repeat(20);
    const of = (usage: Usage): number =>
      gaugeOf(fold([...BEGUN, asked(), answer([text(words)], usage)]), ROW).input ?? 0;
    const { answer: _answer, reasoning: _reasoning, ...rest } = COUNTED;
    expect(of(rest)).toBe(6_500 + estimateTokens(words) + 4);
    expect(of({ ...rest, answer: 1 })).toBe(6_500 + estimateTokens(words) + 4);
    // A count of at least half of the estimate is accepted. A lower count is not.
    const half = Math.ceil((estimateTokens(words) + 4) / 2);
    expect(of({ ...rest, answer: half })).toBe(6_500 + half);
  });

  test('does not include an answer that is not packed', () => {
    const cut: TestEvent = [
      'answer.interrupted',
      { step: 0, stream: 'main', by: 'transport', provider: 'p', model: 'm', parts: [text('half')], usage: COUNTED },
    ];
    expect(gaugeOf(fold([...BEGUN, asked(), cut]), ROW).input).toBe(6_500);
  });
});

describe('the ratio learned for a model', () => {
  const size = { input: 0, measured: 0, appended: 5_000, whole: 5_000 };
  const taught = fold([...BEGUN, asked({ size }), answer([text('done')], COUNTED)]);

  test('is updated by each call whose size was estimated, together with its error', () => {
    const forecast = sizeForecast(taught, { bytes: 0, tokens: { measured: 100, appended: 1_000 } });
    expect(forecast?.input).toBeGreaterThan(1_350);
    expect(forecast?.error).toBeCloseTo(1_500 / 6_500, 5);
  });

  test('is stored separately for each model', () => {
    const switched = fold([epoch({ number: 1, model: 'other' })], taught);
    expect(sizeForecast(switched, { bytes: 0, tokens: { measured: 0, appended: 1_000 } })).toEqual({
      input: 1_000,
      measured: 0,
      appended: 1_000,
    });
    const back = fold([epoch({ number: 2, model: 'm' })], switched);
    expect(sizeForecast(back, { bytes: 0, tokens: { measured: 0, appended: 1_000 } })?.input).toBeGreaterThan(1_250);
  });

  test('does not change after a call that failed or reported no usage', () => {
    const failed: TestEvent = [
      'answer.failed',
      { step: 0, stream: 'main', class: 'retryable', code: 'x', message: 'x' },
    ];
    expect(fold([asked({ size }), failed], taught).ratios).toBe(taught.ratios);
    expect(fold([asked({ size }), answer([text('done')], {})], taught).ratios).toBe(taught.ratios);
  });
});

describe('the tier', () => {
  const state = fold(ANSWERED);
  test.each([
    [6_900, 'calm'],
    [7_000, 'advisory'],
    [7_990, 'advisory'],
    [8_000, 'warning'],
    [8_990, 'warning'],
    [9_000, 'critical'],
    [12_000, 'critical'],
  ])('for %d of 10,000 tokens is %s', (input, tier) => {
    // With this limit, the 7,000 counted tokens are the same share of the limit as `input` is of 10,000. `soft` is
    // equal to the limit. The tier `warning` therefore begins at 80%.
    const limit = 70_000_000 / input;
    const gauge = gaugeOf(state, { ...ROW, inputLimit: limit }, { budgets: { hard: limit, soft: limit } });
    expect(gauge.tier).toBe(tier);
  });

  test('is `warning` from the budget `soft` on if that is below 80%', () => {
    expect(gaugeOf(state, ROW, { budgets: { soft: 6_900, hard: 9_000 } }).tier).toBe('warning');
    expect(gaugeOf(state, ROW, { budgets: { soft: 7_100, hard: 9_000 } }).tier).toBe('advisory');
  });

  test('is set by the bytes if the bytes are nearer to their limit than the tokens, and the gauge reports this', () => {
    const image = { type: 'image', artifact: named('i'), mediaType: 'image/png', bytes: 750_000 } as const;
    const held = fold([...ANSWERED, ['prompt.given', { parts: [image], presenter: 'test' }]]);
    const gauge = gaugeOf(held, { ...ROW, inputLimit: 100_000, requestBytes: 1_100_000 });
    expect(gauge).toMatchObject({ tier: 'critical', by: 'bytes', bytesLimit: 1_100_000 });
    expect(gauge.bytes).toBeGreaterThan(1_003_000);
    expect(crossingOf(held, gauge)).toMatchObject({ tier: 'critical', unit: 'bytes', limit: 1_100_000 });
  });

  test('is set by the bytes also if the tokens are estimated or unknown', () => {
    const estimated = fold([...BEGUN, asked({ bytes: 990 }), answer([text('done')], {})]);
    expect(gaugeOf(estimated, { ...ROW, requestBytes: 1_000 })).toMatchObject({ tier: 'critical', by: 'bytes' });
    expect(gaugeOf(estimated, { ...ROW, requestBytes: 10_000 })).toMatchObject({ tier: 'calm', by: 'tokens' });
    const unknown = fold([created, epoch({ layers: [] }), prompt('go')]);
    expect(gaugeOf(unknown, { ...ROW, requestBytes: 10_000 })).toMatchObject({ tier: 'unknown', by: 'tokens' });
  });
});

describe('a pressure crossing', () => {
  const checkpoint = position(9);
  const at = (tier: Gauge['tier']): Gauge => ({ ...gaugeOf(fold(ANSWERED), ROW), tier, by: 'tokens' });
  const withTier = (state: State, tier: Gauge['tier']): State => {
    const record = crossingOf(state, at(tier));
    return record === undefined ? state : fold([['pressure.crossed', record]], state);
  };

  test('is recorded once per tier, and only upwards', () => {
    const state = fold(ANSWERED);
    expect(crossingOf(state, at('calm'))).toBeUndefined();
    expect(crossingOf(state, at('unknown'))).toBeUndefined();
    expect(crossingOf(state, at('warning'))).toEqual({ tier: 'warning', ratio: 0.7, limit: 10_000, input: 7_000 });
    const warned = withTier(state, 'warning');
    expect(crossingOf(warned, at('warning'))).toBeUndefined();
    expect(crossingOf(warned, at('advisory'))).toBeUndefined();
    expect(crossingOf(withTier(warned, 'calm'), at('warning'))).toBeUndefined();
    expect(crossingOf(warned, at('critical'))).toMatchObject({ tier: 'critical' });
    expect(crossingOf(withTier(warned, 'critical'), at('warning'))).toBeUndefined();
  });

  test('is recorded again after another checkpoint, also right after the compaction', () => {
    const state = withTier(fold(ANSWERED), 'critical');
    const after = fold([epoch({ number: 1, checkpoint })], state);
    expect(crossingOf(after, at('warning'))).toMatchObject({ tier: 'warning', checkpoint });
    expect(crossingOf(withTier(after, 'warning'), at('warning'))).toBeUndefined();
  });
});

describe('the limit', () => {
  const shared = (how: 'refused' | 'stops' | 'no'): Capabilities => ({
    ...ROW,
    window: { tokens: 10_000, sharedWithOutput: how },
  });
  test('of the input is the window minus the output if the provider refuses a larger sum', () => {
    expect(inputLimitOf(shared('no'), 800)).toBe(10_000);
    expect(inputLimitOf(shared('stops'), 800)).toBe(10_000);
    expect(inputLimitOf(shared('refused'), 800)).toBe(9_200);
    expect(inputLimitOf(shared('refused'), 10_000)).toBeUndefined();
    expect(gaugeOf(fold(ANSWERED), { ...shared('no'), inputLimit: 0 })).toMatchObject({ limit: 0, tier: 'unknown' });
  });

  test('of the output is lowered to the remaining window, but not below the minimum for an answer', () => {
    const fit = { asked: 900, least: 100 };
    expect(fitOutput(shared('refused'), { ...fit, input: 9_000 })).toBe(900);
    expect(fitOutput(shared('refused'), { ...fit, input: 9_500, margin: 50 })).toBe(450);
    expect(fitOutput(shared('refused'), { ...fit, input: 9_990 })).toBe(100);
    expect(fitOutput(shared('refused'), fit)).toBe(900);
    expect(fitOutput(shared('stops'), { ...fit, input: 9_990 })).toBe(900);
    expect(fitOutput(shared('no'), { asked: 5_000, least: 100, input: 0 })).toBe(1_000);
  });
});

test('a compaction clears the lowest cliff that the request falls below, by the prices of that day', () => {
  const price = { input: '1', output: '1', writes: {} };
  const dearer = [0, 6_000, 8_000].map((above) => ({ above, price }));
  const prices = [
    { from: '0001-01-01', tiers: dearer.slice(0, 1) },
    { from: '2026-01-01', tiers: dearer },
  ];
  const parts = { front: 0, tools: 0, checkpoint: 0, directives: 0, tail: 0, notes: 0 };
  const cleared = (before: number, after: number, at = '2026-02-03T04:05:06.000Z'): number | undefined =>
    cliffCleared({ before, after, hard: 9_000, parts }, { prices }, timestamp(at));
  expect([cleared(9_000, 1_000), cleared(9_000, 7_000), cleared(6_001, 6_000)]).toEqual([6_000, 8_000, 6_000]);
  expect([cleared(6_000, 1_000), cleared(9_000, 8_500), cleared(9_000, 1_000, '2025-12-31T00:00:00.000Z')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a gauge contains the next cliff above the input, or else the last one passed', () => {
  const price = { input: '1', output: '1', writes: {} };
  const tiers = [0, 6_000, 8_000].map((above) => ({ above, price }));
  const prices = [{ from: '0001-01-01', tiers }];
  const cliff = (more: readonly TestEvent[], edges = prices): Gauge['cliff'] =>
    gaugeOf(fold([...ANSWERED, ...more]), { ...ROW, prices: edges }).cliff;
  expect(cliff([])).toEqual({ above: 8_000, passed: false });
  expect(cliff([prompt('word '.repeat(2_000))])).toEqual({ above: 8_000, passed: true });
  expect(cliff([], [{ from: '0001-01-01', tiers: tiers.slice(0, 1) }])).toBeUndefined();
  const gauge = gaugeOf(fold(ANSWERED), { ...ROW, prices });
  expect(gaugeInWords(gauge)).toBe(
    'about 7,000 of 10,000 tokens (70%), warning; 0.0 of 32.0 MB; above 8,000 tokens the whole request would cost more',
  );
});

test('a margin is shown only if it is above 0', () => {
  const gauge = gaugeOf(fold(ANSWERED), ROW);
  expect(gaugeInWords({ ...gauge, margin: 120 })).toMatch(/^about 7,000 ± 120 of 10,000 tokens/);
  expect(gaugeInWords({ ...gauge, margin: 0 })).toMatch(/^about 7,000 of 10,000 tokens/);
});

describe('the input of a recording, whose log contains no requests', () => {
  const here = epoch({ layers: [] });
  const first = answer([text('one')], { fresh: 500, read: 0, writes: [], answer: 10 });
  const last = answer([text('two')], COUNTED);

  test('is the count of its last answer plus an estimate of what was appended since', () => {
    const recorded = fold([created, here, prompt('go'), first, prompt('on'), last]);
    expect(gaugeOf(recorded, ROW)).toMatchObject({ input: 7_000, ratio: 0.7 });
    const { input } = gaugeOf(fold([prompt(SAID)], recorded), ROW);
    expect(input).toBe(7_000 + estimateTokens(SAID) + 4);
  });

  test('after a compaction is the front, derived from the first count, plus an estimate', () => {
    const compacted: TestEvent = [
      'history.compacted',
      {
        range: { from: position(0), to: position(5) },
        strategy: 'recorded',
        trigger: 'auto',
        checkpoint: 'so far',
        limitations: [],
      },
    ];
    const before = [created, here, prompt('go'), first, prompt('on'), last];
    const after = fold([...before, compacted, epoch({ number: 1, layers: [], checkpoint: position(6) }), prompt(SAID)]);
    const { tokens } = nextInput(after);
    expect(tokens?.measured).toBe(500 - estimateTokens('go') - 4);
    expect(tokens?.appended).toBeGreaterThan(estimateTokens(SAID));
    expect(tokens?.appended).toBeLessThan(estimateTokens(SAID) + 100);
  });

  test('uses the previous count if its last answer was not counted, and is unknown without any count', () => {
    const counted = [created, here, prompt('go'), first];
    const { measured = 0 } = nextInput(fold(counted)).tokens ?? {};
    const since = estimateTokens('on') + 4 + estimateTokens('two') + 4;
    expect(nextInput(fold([...counted, prompt('on'), answer([text('two')], {})])).tokens).toEqual({
      measured,
      appended: since,
    });
    expect(gaugeOf(fold([created, here, prompt('go')]), ROW).tier).toBe('unknown');
  });

  test('does not use the recorded counts once the session continues with its own front', () => {
    const goneOn = fold([created, here, prompt('go'), first, prompt('on'), last, epoch({ number: 1 }), prompt(SAID)]);
    expect(nextInput(goneOn).tokens?.measured).toBe(0);
  });
});

test('the input after a call that was cut before its usage arrived uses the previous count', () => {
  const cut: TestEvent = [
    'answer.interrupted',
    { step: 1, stream: 'main', by: 'transport', provider: 'p', model: 'm', parts: [text('half')], usage: {} },
  ];
  const failing = [...ANSWERED, prompt(SAID), asked(), cut];
  const expected = 7_000 + estimateTokens(SAID) + 4;
  expect(gaugeOf(fold(failing), ROW).input).toBe(expected);
  expect(gaugeOf(fold([...failing, asked(), cut]), ROW).input).toBe(expected);
  const uncounted = [...BEGUN, asked(), answer([text('done')], {}), prompt(SAID), asked(), cut];
  expect(nextInput(fold(uncounted)).tokens).toMatchObject({ measured: 0 });
  expect(nextInput(fold([...BEGUN, asked(), cut]))).toEqual(nextInput(fold(BEGUN)));
});
