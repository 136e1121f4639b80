import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';
import { NOTHING_SPENT } from '../session/spent.ts';
import type { LeftForSubagents } from './subagent-limits.ts';
import { shareOf } from './subagent-limits.ts';

const left = (change: Partial<LeftForSubagents> = {}): LeftForSubagents => ({
  limits: {},
  taken: { spent: NOTHING_SPENT, ms: 0 },
  promised: new Map(),
  among: 1,
  ...change,
});

test('a subagent has only its own limits if the turn has no limits', () =>
  expect(shareOf({ steps: 50, ms: 1_000, tokens: 9, cost: '0.10' }, left())).toEqual({
    steps: 50,
    ms: 1_000,
    tokens: 9,
    cost: '0.10',
  }));

test('the remaining limits of the turn apply to a subagent, divided equally among the waiting ones', () => {
  const taken = { spent: { ...NOTHING_SPENT, input: 300, output: 100, cost: '0.4' }, ms: 200 };
  const limits = { steps: 3, ms: 1_000, tokens: 1_000, cost: '1' };
  expect(shareOf({}, left({ limits, taken, among: 3 }))).toEqual({ ms: 800, tokens: 200, cost: '0.2' });
});

test('the lower of the own limit and the share applies', () => {
  const limits = { tokens: 1_000, cost: '1' };
  expect(shareOf({ tokens: 600, cost: '0.4' }, left({ limits, among: 2 }))).toEqual({ tokens: 500, cost: '0.4' });
  expect(shareOf({ tokens: 400, cost: '0.6' }, left({ limits, among: 2 }))).toEqual({ tokens: 400, cost: '0.5' });
});

test('limits promised to other subagents are not promised again', () => {
  const promised = new Map([[callId('a1'), { tokens: 400, cost: '0.25' }]]);
  expect(shareOf({}, left({ limits: { tokens: 1_000, cost: '1' }, promised, among: 1 }))).toEqual({
    tokens: 600,
    cost: '0.75',
  });
});

test('a share is rounded down, and is zero if more than the limit was already spent', () => {
  expect(shareOf({}, left({ limits: { cost: '0.1' }, among: 3 }))).toEqual({ cost: '0.033333333333' });
  const taken = { spent: { ...NOTHING_SPENT, input: 7, cost: '0.2' }, ms: 9 };
  expect(shareOf({}, left({ limits: { cost: '0.1', tokens: 5, ms: 5 }, taken }))).toEqual({
    cost: '0',
    tokens: 0,
    ms: 0,
  });
});
