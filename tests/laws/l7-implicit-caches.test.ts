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
        const most = mostRead(call, calls.slice(0, index));
        if (most === undefined) expect(told).toEqual(billed);
        else expectBetween(told, billed, most);
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

/**
 * Where more may be read than was said: all up to the end of this block. A grid's points stand inside blocks, and a result that
 * is sent shortened for the first time begins as the whole one did; its common beginning is read by luck, of which an engine that
 * knows the ends of blocks says nothing. `undefined` for every other request: epochs that part between blocks are exact.
 */
function mostRead(call: SentCall, earlier: readonly SentCall[]): number | undefined {
  const rest = fromFirstUnsent(call, earlier);
  const [parts] = rest;
  const { implicit } = call.prepared.capabilities;
  if (implicit?.at !== 'grid' || parts?.holds !== 'result' || !parts.head.includes('[Shortened here: '))
    return undefined;
  return sum(shownBlocks(call)) - sum(rest.slice(1));
}

function expectBetween(told: Told, billed: Told, most: number): void {
  expect(billed.read).toBeGreaterThanOrEqual(told.read);
  expect(billed.read).toBeLessThan(most);
  expect({ ...told, read: 0, fresh: told.fresh + told.read, cost: '' }).toEqual({
    ...billed,
    read: 0,
    fresh: billed.fresh + billed.read,
    cost: '',
  });
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
