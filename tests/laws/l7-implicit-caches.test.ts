// L7 where the provider caches by itself: what was forecast is what the simulator's own account of these caches says, by
// rules that it does not share with the engine.

import { describe, expect, it } from 'vitest';
import { verifySession } from '@tidemark/agent';
import { costOf, priceAt } from '@tidemark/model';
import { sharedBlocks, shownBlocks, sum, wasTaken } from './billed.ts';
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
        const parting = isOnGrid(call) ? partsInside(call, calls.slice(0, index)) : undefined;
        if (parting !== undefined && billed.read > told.read) expectLuck(told, billed, parting);
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

/**
 * The block at which this request parts from the earlier one that it shares most with, where that one goes on from there: its
 * end is no place that was recorded. `undefined` where it holds all of that one, as every request does that only extends.
 */
function partsInside(call: SentCall, earlier: readonly SentCall[]): Extent | undefined {
  const shared = earlier.filter(wasTaken).map((one) => ({ one, blocks: sharedBlocks(call, one) }));
  const most = Math.max(0, ...shared.map(({ blocks }) => blocks));
  const inside = shared.some(({ one, blocks }) => blocks === most && blocks < one.prepared.sequence.blocks.length);
  if (!inside) return undefined;
  const blocks = shownBlocks(call);
  return { from: sum(blocks.slice(0, most)), to: sum(blocks.slice(0, most + 1)) };
}

/**
 * On a grid the ends of tools, of system texts and of requests are places by which a read is forecast. A request that parts from
 * an earlier one inside of its history (behind an epoch) may read more, up to the last point before they differ: so the
 * decision on implicit caches has it. Never less than was said, and never beyond the block that differs.
 */
function expectLuck(told: Told, billed: Told, { from, to }: Extent): void {
  expect(told.read).toBeLessThanOrEqual(from);
  expect(billed.read).toBeLessThanOrEqual(to);
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
