// L7 where the provider caches by itself: what was forecast is what the simulator's own account of these caches says, by
// rules that it does not share with the engine.

import { describe, expect, it } from 'vitest';
import { verifySession } from '@tidemark/agent';
import { costOf, priceAt } from '@tidemark/model';
import type { SentCall } from './driver.ts';
import { encoders, isAnswered } from './server.ts';
import { tryStories } from './try-stories.ts';

const WORLD = { store: 'memory', provider: 'openai' } as const;

describe('where the provider caches by itself', () => {
  it('L7: what was forecast is what is billed, bucket by bucket and in money', async () => {
    let read = 0;
    await tryStories({ world: WORLD, runs: 30, knowable: true }, async ({ calls }) => {
      for (const call of calls.filter(({ served }) => isAnswered(served))) {
        const told = forecastOf(call);
        const billed = billedOf(call);
        // A grid's steps fall inside blocks: where an epoch cut one short, its beginning may be read all the same.
        if (isCutOnGrid(call)) expect(billed.read).toBeGreaterThanOrEqual(told.read);
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

function isCutOnGrid({ prepared: { record, capabilities } }: SentCall): boolean {
  return record.data.relation === 'opens' && capabilities.implicit?.at === 'grid';
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
