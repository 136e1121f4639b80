import type { KeptPlace, KeptRecord, MarkerRecord } from '@tidemark/log';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import {
  answer,
  call,
  created,
  fold,
  logOf,
  named,
  note,
  prompt,
  request,
  returned,
  second,
} from '../../tests/log-of.ts';
import { evolve } from './evolve.ts';
import type { CacheEntry, State } from '../state/state.ts';

const marker = (block: number): { block: number; ttl: '5m'; prefix: ReturnType<typeof named> } => ({
  block,
  ttl: '5m',
  prefix: named(`prefix ${block}`),
});

/** Returns the same record on a side stream. */
function beside(event: TestEvent): TestEvent {
  const [kind, data, at] = event;
  switch (kind) {
    case 'request.prepared':
      return [kind, { ...data, stream: 'side/1', extra: [{ type: 'text', text: 'Name this.' }] }, at];
    case 'answer.received':
      return [kind, { ...data, stream: 'side/1' }, at];
    default:
      return event;
  }
}

const SIDE: readonly TestEvent[] = [
  beside(request(3, [marker(1), marker(2)])),
  beside(answer([call('c1'), call('c9')], { fresh: 1, read: 1, writes: [], answer: 1 })),
  ['answer.failed', { step: 0, stream: 'side/1', class: 'retryable', code: 'x', message: 'x' }],
  [
    'answer.interrupted',
    { step: 0, stream: 'side/1', by: 'user', provider: 'p', model: 'm', parts: [{ type: 'text', text: 'half' }] },
  ],
];

const MAIN: readonly TestEvent[] = [
  prompt('go'),
  note('clock'),
  note('branch', true),
  request(2, [marker(1)]),
  answer([call('c1'), call('c2')]),
  answer([{ type: 'text', text: 'done' }]),
  returned('c1'),
  returned('c2'),
];

/**
 * Returns the state without the fields that side calls may change. These fields are: side streams, the pace of calls,
 * the cache, and the cache entry that the main stream left.
 */
function conversation({ streams: { main }, cache: _cache, length: _length, pace: _pace, ...rest }: State): unknown {
  return { ...rest, main: { ...main, accepted: { ...main?.accepted, left: undefined } } };
}

test('a side call does not change the main stream, whether it is sent, answered, interrupted or failed', () => {
  const sides = new Set<unknown>(SIDE.map(([, data]) => data));
  const any = fc.oneof(fc.constantFrom(...MAIN), fc.constantFrom(...SIDE));
  fc.assert(
    fc.property(fc.array(any, { maxLength: 40 }), (events) => {
      let state = fold([created]);
      for (const record of logOf(events, 1)) {
        const next = evolve(state, record);
        if (sides.has(record.data)) {
          expect(next.history).toBe(state.history);
          expect(conversation(next)).toEqual(conversation(state));
        }
        state = next;
      }
    }),
  );
});

test('a side call refreshes the entries of the history that it marked, and leaves no entry for its own words', () => {
  const state = fold([
    created,
    request(2, [marker(1)], 1),
    answer([{ type: 'text', text: 'done' }]),
    beside(request(4, [marker(1), marker(3)], 9)),
    beside(answer([{ type: 'text', text: 'A name' }])),
  ]);
  expect(state.cache.entries.map(({ block, at, beside: side }) => [block, at, side])).toEqual([
    [1, second(1), false],
    [1, second(9), true],
  ]);
});

test('the entry that the main stream left is refreshed by a side call that reads it, and later pauses are measured from that call', () => {
  const left = (...events: readonly TestEvent[]): readonly unknown[] => {
    const main = fold([created, ...events]).streams['main'];
    return [main?.accepted?.left?.at, main?.accepted?.left?.block, main?.pauses.bins, main?.away.bins];
  };
  const read = [request(2, [asked(1, '5m')], 1), billed(0, 100)];
  const side = [beside(request(4, [asked(1, '5m'), asked(2, '5m')], 250)), beside(billed(100, 10))];
  const none = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  expect(left(...read, ...side)).toEqual([second(250), 2, none, none]);
  expect(left(...read, ...side, request(3, [asked(2, '5m')], 500), billed(110, 1))).toEqual([
    second(500),
    2,
    none,
    [0, 100, 0, 0, 0, 0, 0, 0, 0],
  ]);
  // This side call does not read the main stream's entry, because its prefix is different.
  const other = [beside(request(4, [asked(2, '5m')], 250)), beside(billed(0, 10))];
  expect(left(...read, ...other)[0]).toBe(second(1));
});

test('a side call that failed or cached nothing refreshes nothing, and its stream is removed', () => {
  const sent = fold([created, beside(request(4, [marker(1), marker(3)]))]);
  expect(Object.keys(sent.streams)).toEqual(['side/1']);
  for (const end of [
    beside(answer([], { fresh: 9, read: 0, writes: [], answer: 1 })),
    ['answer.failed', { step: 0, stream: 'side/1', class: 'retryable', code: 'x', message: 'x' }],
  ] satisfies readonly TestEvent[]) {
    const state = fold([end], sent);
    expect(state.cache.entries).toEqual([]);
    expect(state.streams).toEqual({});
  }
});

function livesOf(events: readonly TestEvent[]): readonly (readonly [block: number, ttl: CacheEntry['ttl']])[] {
  return fold([created, ...events]).cache.entries.map(({ block, ttl }) => [block, ttl] as const);
}

const asked = (block: number, ttl: '5m' | '1h'): MarkerRecord => ({ ...marker(block), ttl });
const billed = (read: number, write: number): TestEvent =>
  answer([{ type: 'text', text: 'done' }], { fresh: 0, read, writes: [{ ttl: '5m', tokens: write }], answer: 1 });

test('an entry keeps the lifetime it was written with, even if a later marker asks for another', () => {
  const written = [request(2, [asked(1, '1h')], 1), billed(0, 100)];
  expect(livesOf([...written, request(3, [asked(1, '5m'), asked(2, '5m')], 9), billed(100, 10)])).toEqual([
    [1, '1h'],
    [2, '5m'],
  ]);
});

test('an entry after an entry of five minutes lives at most five minutes', () => {
  const written = [request(2, [asked(1, '5m')], 1), billed(0, 100)];
  expect(livesOf([...written, request(3, [asked(1, '1h'), asked(2, '1h')], 9), billed(100, 10)])).toEqual([
    [1, '5m'],
    [2, '5m'],
  ]);
});

test('an expired entry is written again with the requested lifetime', () => {
  const written = [request(2, [asked(1, '5m')], 1), billed(0, 100)];
  expect(livesOf([...written, request(3, [asked(1, '1h'), asked(2, '1h')], 400), billed(0, 110)])).toEqual([
    [1, '1h'],
    [2, '1h'],
  ]);
});

test('an entry that was read but never written by this session is assumed to be short-lived', () => {
  expect(livesOf([request(2, [asked(1, '1h')], 1), billed(50, 50)])).toEqual([[1, '5m']]);
});

test('a miss in the main stream is recorded with the tokens that were at stake, and a side call records none', () => {
  const events = [request(2, [marker(1)], 1), billed(0, 100), request(3, [marker(1), marker(2)], 901), billed(0, 110)];
  const pauses = fold([created, ...events]).streams['main']?.pauses;
  // The answer records no miss with the cause `expired`. The unread tokens therefore count as broken.
  expect(pauses).toMatchObject({ broken: 100 });
  const side = [beside(request(4, [marker(1), marker(3)], 2_000)), beside(billed(0, 110))];
  expect(fold([created, ...events, ...side]).streams['main']?.pauses).toEqual(pauses);
});

test('a pause after which entries had expired is recorded by its length', () => {
  const again: TestEvent = [
    'answer.received',
    {
      step: 1,
      stream: 'main',
      provider: 'anthropic',
      model: 'm',
      parts: [{ type: 'text', text: 'done' }],
      stop: 'end',
      truncated: 'no',
      usage: { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: 110 }], answer: 1 },
      miss: { cause: 'expired', tokens: 100 },
    },
  ];
  const state = fold([created, request(2, [marker(1)], 1), billed(0, 100), request(3, [marker(1)], 901), again]);
  expect(state.streams['main']?.pauses).toMatchObject({ bins: [0, 0, 100, 0, 0, 0, 0, 0, 0], broken: 0 });
});

describe('entries that the provider keeps by itself', () => {
  const place = (block: number): KeptPlace => ({ block, prefix: named(`prefix ${block}`) });
  const grid = { first: 1_024, step: 128 };

  function kept(places: readonly KeptPlace[], at: number, more: Partial<KeptRecord> = {}): TestEvent {
    const event = request(9, [], at);
    if (event[0] !== 'request.prepared') throw new Error('not a request');
    return [event[0], { ...event[1], kept: { idle: 30, ...more, places } }, event[2]];
  }
  const used = (read: number, write: number, fresh = 0): TestEvent =>
    answer([{ type: 'text', text: 'done' }], { fresh, read, writes: [{ ttl: '30m', tokens: write }], answer: 1 });
  const entries = (events: readonly TestEvent[]): State['cache']['entries'] => fold([created, ...events]).cache.entries;

  test('keep the time at which they were written, and are refreshed when they are read', () => {
    const events = [kept([place(8)], 1), used(0, 2_000), kept([{ ...place(8), found: true }], 60), used(2_000, 0)];
    expect(entries(events)).toEqual([
      expect.objectContaining({ block: 8, at: second(60), ttl: { idleMs: 1_800_000, born: second(1) } }),
    ]);
  });

  test('are not refreshed if they were expected but not read, and are new at the places where the request leaves an entry', () => {
    const events = [
      kept([place(3)], 1),
      used(0, 2_000),
      kept([{ ...place(3), found: true }, place(8)], 60),
      used(0, 3_000),
    ];
    const [, left] = entries(events);
    expect(left).toMatchObject({ block: 8, ttl: { born: second(60) } });
    expect(entries(events).filter(({ at }) => at === second(60))).toHaveLength(1);
  });

  test('contain the tokens up to the last grid point if writes are free and not reported', () => {
    const state = fold([created, kept([place(8)], 1, { grid }), answer([], { fresh: 2_000, read: 0, writes: [] })]);
    expect(state.streams['main']?.accepted).toMatchObject({ cached: 1_920, input: 2_000, left: { block: 8 } });
    expect(entries([kept([place(8)], 1, { grid }), answer([], { fresh: 1_000, read: 0, writes: [] })])).toEqual([]);
  });

  test('have the cache key that was sent', () => {
    expect(entries([kept([place(8)], 1, { key: 'tm1.a' }), used(0, 2_000)])).toMatchObject([{ key: 'tm1.a' }]);
  });
});
