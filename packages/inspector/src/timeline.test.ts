// Tests the timeline: columns of calls, and pages of a source.

import type { CallReport } from '@tidemark/analytics';
import { money } from '@tidemark/log';
import { expect, test } from 'vitest';
import { readTimeline, timelineOf } from './timeline.ts';

function call(answer: number, changes: Partial<CallReport> = {}): CallReport {
  return {
    request: answer - 1,
    answer,
    stream: 'main',
    step: answer,
    at: '2026-11-20T10:00:00.000Z',
    duration: 1_500,
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    contract: null,
    opened: null,
    cause: null,
    tokens: { fresh: 1, read: 900, written: 90, untold: 0, answer: 20, reasoning: 5 },
    held: 900,
    writtenForHour: 0,
    verdict: null,
    wasted: 0,
    waiting: 90,
    forecast: null,
    paid: money('0.0012345'),
    uncached: null,
    ideal: null,
    again: 0,
    lost: money('0'),
    ...changes,
  };
}

test('a timeline names streams, models and causes one time, and calls refer to them', () => {
  const { streams, models, causes, columns } = timelineOf('s1', [
    call(4, { opened: 'initial' }),
    call(9, { stream: 'title', model: 'claude-haiku-4-5' }),
    call(12, { cause: 'expired + tools', opened: 'tools' }),
    call(15, { cause: 'tools' }),
  ]);
  expect({ streams, models, causes }).toEqual({
    streams: ['main', 'title'],
    models: ['claude-sonnet-5-5', 'claude-haiku-4-5'],
    causes: ['initial', 'tools', 'expired + tools'],
  });
  expect(columns.stream).toEqual([0, 1, 0, 0]);
  expect(columns.model).toEqual([0, 1, 0, 0]);
  expect(columns.opened).toEqual([0, null, 1, null]);
  expect(columns.cause).toEqual([null, null, 2, 1]);
});

test('times count from the first call, requests from their answers, and amounts are billionths of a dollar', () => {
  const { begins, columns } = timelineOf('s1', [
    call(4),
    call(9, { request: 6, at: '2026-11-20T10:00:02.250Z', paid: null, lost: null }),
    call(12, { request: null, duration: null, at: '2026-11-20T10:05:00.000Z' }),
  ]);
  expect(begins).toBe('2026-11-20T10:00:00.000Z');
  expect(columns.at).toEqual([0, 2_250, 300_000]);
  expect(columns.requestBefore).toEqual([1, 3, null]);
  expect(columns.duration).toEqual([1_500, 1_500, null]);
  expect(columns.paid).toEqual([1_234_500, null, 1_234_500]);
  expect(columns.lost).toEqual([0, null, 0]);
  expect(columns.output).toEqual([25, 25, 25]);
});

test('a forecast is the difference to the actual tokens, and an absent forecast is null', () => {
  const forecast = { read: 1_000, write: 90, fresh: 0, cost: money('0.002') };
  const { columns } = timelineOf('s1', [call(4, { forecast }), call(9)]);
  expect(columns.readOff).toEqual([100, null]);
  expect(columns.writtenOff).toEqual([0, null]);
  expect(columns.freshOff).toEqual([-1, null]);
  expect(columns.forecastCost).toEqual([2_000_000, null]);
});

test('a timeline contains the calls of all pages in order', async () => {
  const asked: number[] = [];
  const source = {
    async calls(_session: string, { from }: { readonly from: number }) {
      asked.push(from);
      return from === 0 ? { calls: [call(4), call(9)], next: 12 } : { calls: [call(12)], next: null };
    },
  };
  const { columns } = await readTimeline(source, 's1');
  expect(columns.answer).toEqual([4, 9, 12]);
  expect(asked).toEqual([0, 12]);
});

test('the timeline of a session without calls is empty', () => {
  const { begins, streams, columns } = timelineOf('s1', []);
  expect({ begins, streams, answers: columns.answer }).toEqual({ begins: '', streams: [], answers: [] });
});
