import type { AnswerReceived } from '@tidemark/log';
import type { Usage } from '@tidemark/model';
import { costAtMost, costOf, priceAt } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { ID, answer, begin, prepare, prompt, row, second } from '../../tests/small-session.ts';
import type { Lasting } from '../ports/runtime.ts';
import { commit } from '../session/session.ts';

const LONG = 'word '.repeat(8_000);
const CACHED = { fresh: 10, read: 0, writes: [{ ttl: '1h', tokens: 9_000 }], answer: 5 } as const;

/**
 * Makes two calls and returns the recorded answer of the second. The first call writes its cache entries with a
 * lifetime of one hour.
 */
async function recordedOf(usage: Usage, ttl: Lasting = 'auto'): Promise<AnswerReceived & { readonly lives: unknown }> {
  const small = await begin();
  await commit(small.session, [prompt(LONG)]);
  await answer(small, await prepare(small, 0, {}, { ttl: '1h' }), CACHED);
  await commit(small.session, [prompt('and now?', 60)]);
  const prepared = await prepare(small, 60, {}, { ttl });
  await answer(small, prepared, usage, 60);
  const records = await Array.fromAsync(small.log.read(ID));
  const last = records.at(-1);
  if (last?.kind !== 'answer.received') throw new Error('no answer was recorded');
  return { ...last.data, lives: [...new Set(prepared.record.data.markers.map((marker) => marker.ttl))] };
}

describe('a call whose provider reports its cache writes as one total', () => {
  const price = priceAt(row('claude-sonnet-4-5'), second(60).slice(0, 10), 9_100);
  if (price === undefined) throw new Error('the row has no price');

  test('is recorded with the one lifetime that its markers asked for', async () => {
    const { usage, cost } = await recordedOf({ fresh: 3, read: 9_000, written: 97, answer: 5 }, '1h');
    expect(usage).toEqual({ fresh: 3, read: 9_000, writes: [{ ttl: '1h', tokens: 97 }], answer: 5 });
    expect(cost).toBe(costOf(price, usage)?.total);
  });

  test('is recorded with the lifetime of the markers after the read part, if it read everything in the cache', async () => {
    const told = await recordedOf({ fresh: 3, read: 9_000, written: 97, answer: 5 });
    expect(told.lives).toEqual(['1h', '5m']);
    expect(told.usage.writes).toEqual([{ ttl: '5m', tokens: 97 }]);
    expect(told.cost).toBe(costOf(price, told.usage)?.total);
    expect(told).not.toHaveProperty('costAtMost');
  });

  test('has an upper bound of its cost if it read less, because either of two lifetimes may have been written', async () => {
    const told = await recordedOf({ fresh: 3, read: 4_000, written: 5_097, answer: 5 });
    expect(told.usage).toEqual({ fresh: 3, read: 4_000, written: 5_097, answer: 5 });
    expect(told).not.toHaveProperty('cost');
    expect(told.costAtMost).toBe(costAtMost(price, told.usage, ['1h']));
    expect(told.costAtMost).toBe(
      costOf(price, { fresh: 3, read: 4_000, writes: [{ ttl: '1h', tokens: 5_097 }], answer: 5 })?.total,
    );
  });
});

test('a call that was counted in part has estimates only for the missing counts', async () => {
  const { usage, estimated } = await recordedOf({ answer: 5 });
  expect(usage).toEqual({ answer: 5 });
  expect(estimated?.input).toBeGreaterThan(9_000);
  expect(estimated).not.toHaveProperty('output');
});

test('an estimate of the input is never below the sum of the reported buckets', async () => {
  const read = await recordedOf({ read: 50_000, answer: 5 });
  expect(read.estimated?.input).toBe(50_000);
  const written = await recordedOf({ fresh: 20_000, written: 30_000, answer: 5 });
  expect(written.estimated?.input).toBe(50_000);
  const little = await recordedOf({ read: 50, answer: 5 });
  expect(little.estimated?.input).toBeGreaterThan(9_000);
});
