// Tests the calls that the timeline shows: streams, epochs, breaks, pauses, forecasts and words.

import { expect, test } from 'vitest';
import {
  breakText,
  callText,
  isExpired,
  isLongPause,
  markText,
  nextBreak,
  recordsText,
  streamTimeline,
} from '../page/timeline-calls.ts';

const COLUMNS = {
  answer: [4, 9, 12, 20],
  requestBefore: [1, 1, null, 2],
  step: [0, 0, 1, 2],
  stream: [0, 1, 0, 0],
  model: [0, 0, 0, 0],
  at: [0, 5_000, 10_000, 400_000],
  duration: [2_000, 1_000, null, 3_000],
  opened: [0, null, 1, null],
  cause: [null, null, null, 2],
  fresh: [10, 10, 10, 10],
  read: [0, 0, 900, 0],
  written: [900, 0, 90, 990],
  untold: [0, 0, 0, 0],
  output: [20, 5, 20, 20],
  readOff: [0, null, 0, 990],
  writtenOff: [0, null, 0, -900],
  freshOff: [0, null, 0, 0],
  paid: [4_000_000, null, 1_000_000, 5_000_000],
  forecastCost: [3_000_000, null, null, 6_000_000],
  again: [0, 0, 0, 990],
  lost: [0, 0, 0, 3_460_000],
};
const TIMELINE = {
  session: 's1',
  begins: '2026-11-20T10:00:00.000Z',
  streams: ['main', 'title'],
  models: ['claude-sonnet-5-5'],
  causes: ['initial', 'tools', 'expired'],
  columns: COLUMNS,
  updatedAt: '2026-11-20T11:00:00.000Z',
  problems: [],
};

test('each stream has its own calls, places and scale', () => {
  const [main, title] = [streamTimeline(TIMELINE, 0), streamTimeline(TIMELINE, 1)];
  expect(main.calls.map(({ place, answer }) => [place, answer])).toEqual([
    [0, 4],
    [1, 12],
    [2, 20],
  ]);
  expect(title.calls.map(({ place, answer, paid }) => [place, answer, paid])).toEqual([[0, 9, null]]);
  expect(main.largest).toEqual({ tokens: 1_020, cost: 6_000_000 });
});

test('the first epoch is no break; a later epoch and a miss are', () => {
  const { calls, breaks } = streamTimeline(TIMELINE, 0);
  expect(calls.map(({ epoch }) => epoch)).toEqual([1, 2, 2]);
  expect(breaks).toEqual([1, 2]);
  expect(calls.map(breakText)).toEqual([
    '',
    'New epoch: the tool list changed. No token was paid again.',
    'Miss: the cache entry had expired. 990 tokens paid again, for $0.0035 more than reading them.',
  ]);
  expect(calls.map(markText)).toEqual(['initial', 'tools', 'expired, $0.0035']);
});

test('a pause is the time from the end of the call before, and a call of unknown duration ends at once', () => {
  const { calls } = streamTimeline(TIMELINE, 0);
  expect(calls.map(({ pause }) => pause)).toEqual([0, 8_000, 390_000]);
  expect(calls.map(isLongPause)).toEqual([false, false, true]);
  expect(calls.map(isExpired)).toEqual([false, false, true]);
});

test('a forecast is the actual tokens and the difference', () => {
  expect(streamTimeline(TIMELINE, 0).calls[2]?.forecast).toEqual({ read: 990, written: 90, fresh: 10 });
  expect(streamTimeline(TIMELINE, 1).calls[0]?.forecast).toBeNull();
});

test('the next break is found in both directions, and the first follows the last', () => {
  const stream = streamTimeline(TIMELINE, 0);
  expect([nextBreak(stream, 0, 1), nextBreak(stream, 1, 1), nextBreak(stream, 2, 1)]).toEqual([1, 2, 1]);
  expect([nextBreak(stream, 2, -1), nextBreak(stream, 1, -1)]).toEqual([1, 2]);
  expect(nextBreak(streamTimeline(TIMELINE, 1), 0, 1)).toBe(0);
});

test('the words of a call contain its step, tokens, cost, pause and miss', () => {
  const [call] = streamTimeline(TIMELINE, 0).calls.slice(2);
  expect(call && callText(call, TIMELINE.begins)).toBe(
    'Step 2 at 2026-11-20 10:06:40; 0 read, 990 written, 10 fresh, 20 output; cost $0.0050; ' +
      '6 min 30 s pause, the cache entry expired; ' +
      'Miss: the cache entry had expired. 990 tokens paid again, for $0.0035 more than reading them.',
  );
});

test('the records of a call name its request and its answer, if the log has them', () => {
  expect(recordsText({ request: 3, answer: 4 })).toBe('request 3, answer 4');
  expect(recordsText({ request: null, answer: 4 })).toBe('no request, answer 4');
  expect(recordsText({ request: 3, answer: 3 })).toBe('request 3, no answer recorded');
});
