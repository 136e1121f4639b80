// Tests that the work of a step depends only on the new text and not on the length of the session. The tests count how
// often one step reads the history.

import type { CallId, Event } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { READ, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { recordAnswer } from './answer.ts';

const READER = { name: 'history_read', description: 'Reads the log.', schema: { type: 'object' } };
/**
 * Catalog values without prices and with a window that never becomes full. Without prices, pruning is never known to
 * lower the cost. Each step therefore searches the whole history for a pruning again.
 */
const ROOM = {
  inputLimit: 1e9,
  requestBytes: 1e12,
  window: { tokens: 1e9, sharedWithOutput: 'no' },
  prices: [],
} as const;
const CHANGE = { model: 'claude-opus-5-5', tools: [READ, READER], row: ROOM };

interface Reads {
  count: number;
}

function counting<T>(items: T[], reads: Reads): T[] {
  return new Proxy(items, {
    get(target, key, receiver): unknown {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads.count += 1;
      return Reflect.get(target, key, receiver);
    },
  });
}

class CountingMap<K, V> extends Map<K, V> {
  readonly reads: Reads;
  constructor(reads: Reads) {
    super();
    this.reads = reads;
  }
  override *[Symbol.iterator](): MapIterator<[K, V]> {
    for (const entry of super[Symbol.iterator]()) {
      this.reads.count += 1;
      yield entry;
    }
  }
}

async function beginCounted(reads: Reads): Promise<Small> {
  const small = await begin();
  const { state } = small.session;
  const packed = { buffer: counting<Span>([], reads), length: 0 };
  small.session.state = { ...state, history: { ...state.history, packed, calls: new CountingMap(reads) } };
  return small;
}

/** A result long enough to be shortened. */
const RESULT = 'word '.repeat(260);
const WORDS = 'and so on '.repeat(50);

function closing(call: CallId): Event {
  return { kind: 'tool.returned', at: second(0), data: { call, parts: [{ type: 'text', text: RESULT }] } };
}

async function step(small: Small): Promise<void> {
  const prepared = await prepare(small, 0, CHANGE, { pruning: 'auto' });
  const { read, write, fresh } = prepared.outlook.forecast;
  const call = `c${prepared.record.data.step}`;
  const parts = [
    { type: 'text', text: WORDS } as const,
    { type: 'call', call, name: 'read', arguments: '{}' } as const,
  ];
  const usage = { read, fresh, writes: [{ ttl: '5m', tokens: write } as const], answer: 2_000 };
  await recordAnswer(small.session, prepared, { parts, stop: 'calls', truncated: 'no', usage }, second(0));
  await commit(small.session, [closing(callId(call))]);
}

/** Appends the records of earlier steps to the log. Their bodies are not built, to save time. */
async function grow(small: Small, steps: number): Promise<void> {
  const { data } = (await prepare(small, 0, CHANGE)).record;
  for (let count = 0; count < steps; count += 1) {
    const call = callId(`before${count}`);
    const at = second(0);
    const said = {
      step: count,
      stream: 'main',
      provider: 'scripted',
      model: 'm',
      stop: 'calls',
      truncated: 'no',
    } as const;
    const parts = [
      { type: 'text', text: WORDS } as const,
      { type: 'call', call, name: 'read', arguments: '{}' } as const,
    ];
    const usage = { read: 10, fresh: 0, writes: [{ ttl: '5m', tokens: 10 } as const], answer: 2_000 };
    await commit(small.session, [
      { kind: 'request.prepared', at, data: { ...data, step: count } },
      { kind: 'answer.received', at, data: { ...said, parts, usage, request: position(small.session.state.length) } },
      closing(call),
    ]);
  }
}

async function readsOfStep(steps: number): Promise<number> {
  const reads: Reads = { count: 0 };
  const small = await beginCounted(reads);
  await commit(small.session, [prompt('go')]);
  await grow(small, steps);
  await step(small);
  await step(small);
  reads.count = 0;
  await step(small);
  return reads.count;
}

/** The run with 10,000 steps is slow, so it runs only with `TIDEMARK_FULL=1`. */
const LONGEST = process.env['TIDEMARK_FULL'] === '1' ? 10_000 : 3_000;

test(`a step after 300 steps and after ${LONGEST} steps reads as many items of the history as one after 20 steps`, async () => {
  const [few, more, most] = [await readsOfStep(20), await readsOfStep(300), await readsOfStep(LONGEST)];
  expect(few).toBeGreaterThan(0);
  expect([more, most]).toEqual([few, few]);
});
