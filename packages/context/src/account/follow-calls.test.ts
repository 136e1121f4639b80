// Tests the conversion of records into calls. It computes three numbers of tokens for a call: the tokens that it could
// have read, the tokens that it paid again, and the tokens that it wrote and a later call read.

import { CHAIN_START, money, position, sessionId } from '@tidemark/log';
import type { MissCause } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, logOf, named, request, row, second, SESSION } from '../../tests/log-of.ts';
import type { RowOf } from './follow-calls.ts';
import { beginFollowing, endFollowing, followRecord } from './follow-calls.ts';
import type { ModelCall } from './model-call.ts';

function callsOf(events: readonly TestEvent[], session = SESSION): readonly ModelCall[] {
  let following = beginFollowing(session);
  const calls: ModelCall[] = [];
  const rowOf: RowOf = () => row('claude-sonnet-4-5');
  for (const record of logOf(events)) {
    const followed = followRecord(following, record, rowOf);
    following = followed.following;
    calls.push(...followed.calls);
  }
  return [...calls, ...endFollowing(following, rowOf)].toSorted((a, b) => a.at.localeCompare(b.at));
}

const usage = (read: number, written: number, fresh = 0): NonNullable<Parameters<typeof answer>[1]> => ({
  fresh,
  read,
  writes: [{ ttl: '5m', tokens: written }],
  answer: 5,
});

function opened(cause: 'initial' | 'tools' | 'compaction' | 'reasoning'): TestEvent {
  return [
    'epoch.opened',
    {
      number: 0,
      cause,
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: named('row'),
      contract: 'tm1',
      layers: [],
      tools: [],
      cacheKey: 'key',
      forecast: { rewrite: 0 },
    },
  ];
}

function missing(tokens: number, cause: MissCause, read: number, written: number): TestEvent {
  const [kind, data] = answer([], usage(read, written));
  if (kind !== 'answer.received') throw new Error('no answer');
  return [kind, { ...data, miss: { cause, tokens, cost: money('0.01') } }];
}

describe('a call that this runtime sent', () => {
  test('could have read the tokens it read plus the tokens it missed, and names the cause of an opened epoch', () => {
    const [first, next] = callsOf([
      created,
      opened('initial'),
      request(1),
      answer([], usage(0, 1000)),
      opened('tools'),
      request(2),
      missing(900, 'opened', 100, 950),
    ]);
    expect(first).toMatchObject({ held: 0, contract: 'tm1', unread: { wasted: 900, waiting: 0 } });
    expect(next).toMatchObject({
      held: 1000,
      again: { cause: 'tools', tokens: 900, cost: '0.01' },
      unread: { wasted: 0, waiting: 950 },
    });
  });

  test('has its two records, the time between them, and the causes of the epoch that it opened', () => {
    const [kind, data] = answer([], usage(1000, 50));
    if (kind !== 'answer.received') throw new Error('no answer');
    const calls = callsOf([
      created,
      opened('initial'),
      request(1, [], 2),
      [kind, data, 5],
      request(2, [], 9),
      [kind, data, 8],
      opened('tools'),
      request(3, [], 10),
      [kind, { ...data, stream: 'title' }, 11],
      [kind, data, 12],
    ]);
    expect(calls.map(({ request: from, answer: to, duration, opened: by }) => [from, to, duration, by])).toEqual([
      [2, 3, 3000, ['initial']],
      [4, 5, undefined, undefined],
      [7, 9, 2000, ['tools']],
      [undefined, 8, undefined, undefined],
    ]);
  });

  test('does not count tokens read from the cache as new, even if the request is longer than forecast', () => {
    const [kind, data] = request(1);
    if (kind !== 'request.prepared') throw new Error('no request');
    const long = { ...data, forecast: { ...data.forecast, read: 0, write: 1000, fresh: 0, unsent: 1000 } };
    const [, next] = callsOf([
      created,
      opened('initial'),
      request(1),
      answer([], usage(0, 4000)),
      ['request.prepared', long],
      answer([], usage(4000, 500)),
    ]);
    expect(next?.unsent).toBe(500);
  });

  test('has no `held` if the provider does not report the tokens read (L7)', () => {
    const [only] = callsOf([created, opened('initial'), request(1), answer([], { fresh: 10 })]);
    expect(only).not.toHaveProperty('held');
  });
});

describe('tokens that a call wrote', () => {
  const fates = (...calls: readonly (readonly [read: number, written: number])[]): readonly (readonly number[])[] =>
    callsOf([
      created,
      opened('initial'),
      ...calls.flatMap(([read, written]) => [request(1), answer([], usage(read, written))]),
    ]).map(({ unread }) => [unread.wasted, unread.waiting]);

  test('are wasted only beyond the point up to which the next call reads', () => {
    expect(fates([0, 1000], [1000, 200], [1200, 50])).toEqual([
      [0, 0],
      [0, 0],
      [0, 50],
    ]);
    expect(fates([0, 1000], [600, 500])).toEqual([
      [400, 0],
      [0, 500],
    ]);
  });

  test('stay readable after a call that wrote nothing', () => {
    expect(fates([0, 1000], [300, 0], [1000, 10])).toEqual([
      [0, 0],
      [0, 0],
      [0, 10],
    ]);
  });

  test('stay readable after a call without the conversation writes its own entry', () => {
    const title = request(1);
    if (title[0] !== 'request.prepared') throw new Error('no request');
    const side = { ...title[1], stream: 'side/title', history: 'none' as const };
    const [kind, data] = answer([], usage(0, 50));
    if (kind !== 'answer.received') throw new Error('no answer');
    const calls = callsOf([
      created,
      opened('initial'),
      request(1),
      answer([], usage(0, 1000)),
      ['request.prepared', side],
      [kind, { ...data, stream: 'side/title' }],
      request(2),
      answer([], usage(1000, 10)),
    ]);
    expect(calls.map(({ stream, unread }) => [stream, unread])).toEqual([
      ['main', { wasted: 0, waiting: 0 }],
      // The counts suggest that this write was read, because the next call read more tokens than this call wrote.
      ['side/title', { wasted: 0, waiting: 0 }],
      ['main', { wasted: 0, waiting: 10 }],
    ]);
  });
});

describe('a call of an imported session, which has no request records', () => {
  test('is judged by the token counts of the previous call: growth of the input is new, and tokens left in the cache could have been read', () => {
    const [, grown, paid] = callsOf([
      created,
      opened('initial'),
      answer([], usage(0, 1000)),
      answer([], usage(1000, 200)),
      answer([], usage(100, 1300)),
    ]);
    expect(grown).toMatchObject({ held: 1000, unsent: 200 });
    expect(grown).not.toHaveProperty('again');
    expect(paid).toMatchObject({
      held: 1200,
      unsent: 200,
      again: { cause: 'history-changed', from: 100, tokens: 1100, cost: '0.003795' },
    });
  });

  test('names the pause or the changed setting as the cause', () => {
    const again = (events: readonly TestEvent[]): unknown =>
      callsOf([created, opened('initial'), answer([], usage(0, 1000)), ...events]).at(-1)?.again?.cause;
    const [kind, data] = answer([], usage(0, 1100));
    if (kind !== 'answer.received') throw new Error('no answer');
    expect(again([[kind, data, 400]])).toBe('expired');
    expect(again([[kind, { ...data, startedAt: second(299) }, 400]])).toBe('front-changed-or-evicted');
    expect(again([opened('reasoning'), [kind, data]])).toBe('reasoning');
  });
});

describe('a request without a recorded end', () => {
  /** Returns a request of 1,000 tokens that asks for an entry of one hour. */
  const large = (stream = 'main'): TestEvent => {
    const [kind, data] = request(1, [{ block: 0, ttl: '1h', prefix: named('prefix') }]);
    if (kind !== 'request.prepared') throw new Error('no request');
    return [kind, { ...data, stream, size: { input: 1_000, measured: 0, appended: 1_000 } }];
  };

  test('is a call of unknown cost with the estimate of an interrupted call of which nothing arrived', () => {
    const [cut, next] = callsOf([created, opened('initial'), large(), request(2), answer([], usage(0, 1_000))]);
    // Entries of one hour cost $6 per million tokens.
    expect(cut).not.toHaveProperty('answer');
    expect(cut).toMatchObject({ usage: {}, request: 2, estimated: { input: 1_000, output: 0, cost: '0.006' } });
    expect(cut).toMatchObject({ session: SESSION, model: 'm', contract: 'tm1' });
    expect([next?.request, next?.answer, next?.opened]).toEqual([3, 4, ['initial']]);
  });

  test('is a call at the end of the log, on each stream', () => {
    const calls = callsOf([created, opened('initial'), large(), large('side/title')]);
    expect(calls.map(({ stream, estimated }) => [stream, estimated?.cost])).toEqual([
      ['main', '0.006'],
      ['side/title', '0.006'],
    ]);
  });

  test('is no call of its own after a failed attempt, which the next attempt repeats', () => {
    const failed = { step: 0, stream: 'main', class: 'retryable', code: 'x', message: 'x', retry: true } as const;
    const calls = callsOf([
      created,
      opened('initial'),
      large(),
      ['answer.failed', failed],
      request(2),
      answer([], usage(0, 10)),
    ]);
    expect(calls.map(({ request: from }) => from)).toEqual([4]);
  });

  test('is a call of the session that sent it, and of none of its forks', () => {
    const fork = sessionId('fork');
    const parent = { session: SESSION, position: position(2), chain: CHAIN_START };
    const events: readonly TestEvent[] = [
      created,
      opened('initial'),
      large(),
      ['session.created', { id: fork, root: SESSION, workspace: '/w', parent }],
      request(2),
      answer([], usage(0, 10)),
    ];
    expect(callsOf(events, fork).map(({ request: from }) => from)).toEqual([4]);
    expect(callsOf(events.slice(0, 3)).map(({ request: from }) => from)).toEqual([2]);
  });
});

test('a failed call is counted only if the provider reported its usage', () => {
  const failed = { step: 0, stream: 'main', class: 'retryable', code: 'x', message: 'x' } as const;
  expect(callsOf([created, opened('initial'), request(1), ['answer.failed', failed]])).toEqual([]);
  const counted = callsOf([
    created,
    opened('initial'),
    request(1),
    ['answer.failed', { ...failed, usage: usage(0, 10) }],
  ]);
  expect(counted).toMatchObject([{ model: 'm', usage: { read: 0 } }]);
});
