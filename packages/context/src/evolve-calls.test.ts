import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Told } from '../tests/log-of.ts';
import { answer, call, created, fold, logOf, named, note, prompt, request, returned, second } from '../tests/log-of.ts';
import { evolve } from './evolve.ts';
import type { State } from './state.ts';

const marker = (block: number): { block: number; ttl: '5m'; prefix: ReturnType<typeof named> } => ({
  block,
  ttl: '5m',
  prefix: named(`prefix ${block}`),
});

/** The same record on a side stream. */
function beside(told: Told): Told {
  const [kind, data, at] = told;
  switch (kind) {
    case 'request.prepared':
      return [kind, { ...data, stream: 'side/1', extra: [{ type: 'text', text: 'Name this.' }] }, at];
    case 'answer.received':
      return [kind, { ...data, stream: 'side/1' }, at];
    default:
      return told;
  }
}

const SIDE: readonly Told[] = [
  beside(request(3, [marker(1), marker(2)])),
  beside(answer([call('c1'), call('c9')], { fresh: 1, read: 1, writes: [], answer: 1 })),
  ['answer.failed', { step: 0, stream: 'side/1', class: 'retryable', code: 'x', message: 'x' }],
  [
    'answer.interrupted',
    { step: 0, stream: 'side/1', by: 'user', provider: 'p', model: 'm', parts: [{ type: 'text', text: 'half' }] },
  ],
];

const MAIN: readonly Told[] = [
  prompt('go'),
  note('clock'),
  note('branch', true),
  request(2, [marker(1)]),
  answer([call('c1'), call('c2')]),
  answer([{ type: 'text', text: 'done' }]),
  returned('c1'),
  returned('c2'),
];

/** All but what is known of streams and the cache. */
function conversation({ streams: { main }, cache: _cache, length: _length, ...rest }: State): unknown {
  return { ...rest, main };
}

test('a side call moves nothing of the main stream, wherever it is sent, answered, cut or lost', () => {
  const sides = new Set<unknown>(SIDE.map(([, data]) => data));
  const any = fc.oneof(fc.constantFrom(...MAIN), fc.constantFrom(...SIDE));
  fc.assert(
    fc.property(fc.array(any, { maxLength: 40 }), (told) => {
      let state = fold([created]);
      for (const record of logOf(told, 1)) {
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

test('a side call keeps alive what it marked of the history; on its own words it leaves nothing that is kept', () => {
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

test('a side call that failed, or that cached nothing, keeps nothing alive, and no stream stays behind it', () => {
  const sent = fold([created, beside(request(4, [marker(1), marker(3)]))]);
  expect(Object.keys(sent.streams)).toEqual(['side/1']);
  for (const end of [
    beside(answer([], { fresh: 9, read: 0, writes: [], answer: 1 })),
    ['answer.failed', { step: 0, stream: 'side/1', class: 'retryable', code: 'x', message: 'x' }],
  ] satisfies readonly Told[]) {
    const state = fold([end], sent);
    expect(state.cache.entries).toEqual([]);
    expect(state.streams).toEqual({});
  }
});
