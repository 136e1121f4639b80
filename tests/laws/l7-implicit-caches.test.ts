// L7 where the provider caches by itself: what was forecast is what the simulator's own account of these caches says, by
// rules that it does not share with the engine.

import { describe, expect, it } from 'vitest';
import { verifySession } from '@tidemark/agent';
import { costOf, priceAt } from '@tidemark/model';
import { fromFirstUnsent, shownBlocks, sum } from './billed.ts';
import type { SentCall } from './driver.ts';
import { encoders, isAnswered } from './server.ts';
import { tryStories } from './try-stories.ts';

const WORLD = { store: 'memory', provider: 'openai' } as const;

describe('where the provider caches by itself', () => {
  it('L7: what was forecast is what is billed, bucket by bucket and in money', async () => {
    let read = 0;
    await tryStories({ world: WORLD, runs: 30, knowable: true }, async ({ calls }) => {
      for (const [index, call] of calls.entries()) {
        if (!isAnswered(call.served)) continue;
        const told = forecastOf(call);
        const billed = billedOf(call);
        const parting = partingBlock(call, calls.slice(0, index));
        if (billed.read > parting.from && isOnGrid(call)) expectLuck(told, billed, parting);
        else expect(told).toEqual(billed);
        read += told.read;
      }
    });
    expect(read).toBeGreaterThan(0);
  });

  it('L2, L3: keys and marks are made again from the log, and break nothing that no epoch names', async () => {
    await tryStories({ world: WORLD, runs: 8 }, async ({ log, session }) => {
      const { differences, breaks } = await verifySession(log, session.writer.session, { encoders, full: true });
      expect(differences).toEqual([]);
      expect(breaks.filter(({ cause }) => cause === undefined)).toEqual([]);
    });
  });
});

/** A call's input in buckets, and what it costs. */
interface Told {
  readonly position: number;
  readonly model: string;
  readonly read: number;
  readonly write: number;
  readonly fresh: number;
  readonly cost: string | undefined;
}

function isOnGrid({ prepared: { capabilities } }: SentCall): boolean {
  return capabilities.implicit?.at === 'grid';
}

/** Where a block begins and ends, in tokens of the request. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The first block that no request held before; none is beyond all. */
function partingBlock(call: SentCall, earlier: readonly SentCall[]): Extent {
  const rest = fromFirstUnsent(call, earlier);
  const from = sum(shownBlocks(call)) - sum(rest);
  return { from, to: from + (rest[0]?.tokens ?? 0) };
}

/**
 * A grid's points stand inside blocks. Where one that was never sent begins as another one that stood at its place did (a result
 * that is now shortened, two items of one type), a point in their common beginning is read by luck. An engine that knows the
 * ends of blocks does not count on it; it ends inside that block, and only there is what was forecast less than what is read.
 */
function expectLuck(told: Told, billed: Told, { from, to }: Extent): void {
  expect(told.read).toBeLessThanOrEqual(from);
  expect(billed.read).toBeLessThan(to);
  const whole = ({ fresh, read, ...rest }: Told): object => ({ ...rest, input: fresh + read, cost: undefined });
  expect(whole(told)).toEqual(whole(billed));
}

function forecastOf({ prepared: { record, epoch } }: SentCall): Told {
  const { read, write, fresh, cost } = record.data.forecast;
  return { position: record.position, model: epoch.model, read, write, fresh, cost };
}

function billedOf({ prepared: { record, epoch, capabilities }, served }: SentCall): Told {
  const counts = isAnswered(served) ? served.counts : undefined;
  if (counts === undefined) throw new Error('the call was not accounted');
  const { input, read, writtenShort: write, writtenLong } = counts;
  expect(writtenLong).toBe(0);
  const fresh = input - read - write;
  const price = priceAt(capabilities, record.at.slice(0, 10), input);
  const usage = { fresh, read, writes: [{ ttl: '30m' as const, tokens: write }], answer: 0 };
  const cost = price === undefined ? undefined : costOf(price, usage)?.total;
  return { position: record.position, model: epoch.model, read, write, fresh, cost };
}
