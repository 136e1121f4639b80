// Tests of the maximum size of a checkpoint. The maximum depends on the window, on the range that the checkpoint
// replaces and on the caller's limit. A checkpoint is never so large that the compaction frees too little.

import type { EpochOpened } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, named, prompt, row, text } from '../../tests/log-of.ts';
import { gaugeOf } from '../pressure/gauge.ts';
import type { CompactionInput, CompactionPlan } from './plan-compaction.ts';
import { planCompaction } from './plan-compaction.ts';

const opened: EpochOpened = {
  number: 0,
  cause: 'initial',
  provider: 'anthropic',
  model: 'm',
  parameters: {},
  capabilities: named('row'),
  contract: 'tm1',
  layers: [],
  tools: [],
  cacheKey: 'tm1',
  forecast: { rewrite: 0 },
};

/** Returns a plan for a session of `thousands` turns of about a thousand words each, in a window of `window` tokens. */
function planned(thousands: number, window: number, more: Partial<CompactionInput> = {}): CompactionPlan {
  const events: TestEvent[] = [created, ['epoch.opened', opened]];
  for (let at = 0; at < thousands; at += 1)
    events.push(['turn.started', { trigger: 'user' }], prompt(`look at ${at}`), answer([text('seen '.repeat(1_000))]));
  const state = fold(events);
  const base = row('claude-sonnet-4-5');
  const limited = {
    ...base,
    inputLimit: window,
    outputLimit: 1_000,
    window: { ...base.window, tokens: window + 1_000 },
  };
  const plan = planCompaction(state, { row: limited, gauge: gaugeOf(state, limited), noted: [], tail: 1_000, ...more });
  if ('refused' in plan) throw new Error(plan.refused);
  return plan;
}

test('a checkpoint for a long range may take a tenth of the window', () => {
  expect(planned(150, 200_000).bound).toBe(20_000);
});

test('a checkpoint may take a quarter of its range if that is less than a tenth of the window', () => {
  const { bound, draft } = planned(40, 200_000);
  expect(bound).toBe(Math.floor(draft.left.tokens / 4));
  expect(bound).toBeGreaterThan(4_000);
});

test('a checkpoint for a shorter range may take 4,000 tokens', () => {
  expect(planned(10, 200_000).bound).toBe(4_000);
});

test('a checkpoint never takes so much that the compaction frees less than a fifth', () => {
  const { bound, sizes } = planned(3, 200_000);
  expect(bound).toBeLessThan(4_000);
  expect(sizes.after - sizes.parts.checkpoint + bound).toBeLessThanOrEqual(0.8 * sizes.before);
});

test('in a small window a checkpoint may take a tenth of the window, or for a short range an eighth of the budget `hard` instead of 4,000 tokens', () => {
  const { bound, sizes } = planned(10, 14_000);
  expect(bound).toBe(1_400);
  expect(planned(2, 14_000).bound).toBe(Math.floor(sizes.hard / 8));
});

test('a checkpoint takes the size that the caller asks for, but at least the size of its fixed text', () => {
  expect(planned(150, 200_000, { checkpoint: 8_000 }).bound).toBe(8_000);
  expect(planned(150, 200_000, { checkpoint: 30_000 }).bound).toBe(30_000);
  expect(planned(150, 200_000, { checkpoint: 1 }).bound).toBe(600);
});
