// Tests that each figure of advice is the difference of two bills for the same calls.

import { rmSync } from 'node:fs';
import { defaultCatalog } from '@tidemark/model';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Advice, AdviseOptions } from '../src/index.ts';
import { advise, isAdvised } from '../src/index.ts';
import type { Machine, MadeCall } from './claude-transcript.ts';
import { claudeRows, createMachine } from './claude-transcript.ts';

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.close());

/** Eight calls, each 20 minutes after the one before it. Each wrote everything again. */
const PAUSES: readonly MadeCall[] = Array.from({ length: 8 }, (_, index) => ({
  written: 50_000 + 100 * index,
  pause: 1_200,
}));

async function advised(since?: string, options: Partial<AdviseOptions> = {}): Promise<Advice | undefined> {
  const found = await machine.audited(since === undefined ? {} : { since });
  const [largest] = found.causes;
  if (largest === undefined) throw new Error('no loss');
  return advise(found, largest.cause, { catalog: defaultCatalog(), createStore: createMemoryStore, ...options });
}

const effect = (advice: Advice | undefined, change: string): unknown =>
  advice?.effects.find((one) => one.change === change);

describe('advice for entries that expired', () => {
  test('is the cost of the same calls with entries of an hour', async () => {
    machine.write('a.jsonl', claudeRows(PAUSES));
    const advice = await advised();
    // Every call writes all: 402,800 tokens at $6.25 a million, with 24 fresh and 80 of output.
    expect(advice).toMatchObject({ cause: 'expired', transcripts: 1, calls: 8, share: 1 });
    expect(Number(advice?.before)).toBeCloseTo((402_800 * 6.25 + 24 * 5 + 80 * 25) / 1e6, 2);
    // With an hour, 50,700 are written at $10, and 352,100 are read at $0.50.
    const cost = (50_700 * 10 + 352_100 * 0.5 + 80 * 25) / 1e6;
    const found = advice?.effects.find((one) => one.change === 'one-hour');
    expect(Number(found?.cost)).toBeCloseTo(cost, 2);
    expect(Number(found?.saving)).toBeCloseTo(Number(advice?.before) - cost, 2);
    expect(advice?.effects[0]?.change).toBe('one-hour');
    expect(effect(advice, 'five-minutes')).toMatchObject({ saving: '0' });
  });

  test('counts a call that two transcripts contain once', async () => {
    machine.write('a.jsonl', claudeRows(PAUSES));
    const alone = await advised();
    machine.write('b.jsonl', [
      ...claudeRows(PAUSES),
      ...claudeRows(PAUSES, { session: 'bbbbbbbb-0000', start: '2026-11-20T20:00:00.000Z' }),
    ]);
    const both = await advised();
    expect([alone?.calls, both?.calls, both?.transcripts]).toEqual([8, 16, 2]);
    expect(Number(both?.before)).toBeCloseTo(2 * Number(alone?.before), 2);
  });

  test('counts only calls since the start of the audit', async () => {
    machine.write('a.jsonl', claudeRows(PAUSES));
    const [whole, part] = [await advised(), await advised('2026-11-20T11:30:00.000Z')];
    expect([whole?.calls, part?.calls]).toEqual([8, 4]);
    expect(Number(part?.before)).toBeLessThan(0.6 * Number(whole?.before));
  });

  test('uses the lifetime with which all sessions of a transcript wrote most', async () => {
    const hourly = PAUSES.map(({ written = 0 }) => ({ writtenForHour: written, pause: 4_000 }));
    machine.write('a.jsonl', [
      ...claudeRows(hourly),
      ...claudeRows([{ written: 9_000 }], { session: 'bbbbbbbb-0000' }),
    ]);
    expect(effect(await advised(), 'one-hour')).toMatchObject({ saving: '0' });
  });
});

describe('no advice', () => {
  test('is given for a model that is not of Anthropic, because the replay would use other prices', async () => {
    machine.write('a.jsonl', claudeRows(PAUSES.map((call) => ({ ...call, model: 'claude-unknown-1' }))));
    machine.write(
      'b.jsonl',
      claudeRows(
        PAUSES.map((call) => ({ ...call, model: 'gpt-5.1' })),
        { session: 'b' },
      ),
    );
    expect(await advised()).toBeUndefined();
  });

  test('is given for a transcript that was removed or replaced after it was read', async () => {
    const path = machine.write('a.jsonl', claudeRows(PAUSES));
    await machine.update();
    rmSync(path);
    expect(await advised()).toBeUndefined();
    machine.write('a.jsonl', 'garbage\n');
    expect(await advised()).toBeUndefined();
  });

  test('is given after the signal aborts, also in a replay', async () => {
    machine.write('a.jsonl', claudeRows(PAUSES));
    expect(await advised(undefined, { signal: AbortSignal.abort() })).toBeUndefined();
    const controller = new AbortController();
    let stores = 0;
    const createStore: AdviseOptions['createStore'] = () => {
      stores += 1;
      // The second store is that of the first replay.
      if (stores === 2) setImmediate(() => controller.abort());
      return createMemoryStore();
    };
    expect(await advised(undefined, { signal: controller.signal, createStore })).toBeUndefined();
    expect(stores).toBe(2);
  });

  test('exists for a cause that no known change concerns', () =>
    expect([isAdvised('expired'), isAdvised('compaction'), isAdvised('below-floor'), isAdvised('unknown')]).toEqual([
      true,
      false,
      false,
      false,
    ]));
});

test('advice with kept rows replays again only after a replayed transcript or the start of the audit changed', async () => {
  let stores = 0;
  const createStore: AdviseOptions['createStore'] = () => {
    stores += 1;
    return createMemoryStore();
  };
  const options = { createStore, rows: machine.projection };
  machine.write('a.jsonl', claudeRows(PAUSES));
  const first = await advised(undefined, options);
  const replayed = stores;
  expect([first?.calls, replayed > 0]).toEqual([8, true]);
  expect(await advised(undefined, options)).toEqual(first);
  expect(stores).toBe(replayed);
  expect(await advised('2026-11-20T11:30:00.000Z', options)).toMatchObject({ calls: 4 });
  // The same rows are written again with another time of change.
  machine.write('a.jsonl', claudeRows(PAUSES));
  expect(await advised(undefined, options)).toEqual(first);
  expect(stores).toBe(3 * replayed);
});

test('advice on a changed front is the recorded bill without the bill of an unchanged prefix', async () => {
  const changing = PAUSES.map(({ written = 0 }) => ({ written, pause: 30 }));
  machine.write('a.jsonl', claudeRows(changing));
  const advice = await advised();
  expect(advice).toMatchObject({ cause: 'front-changed-or-evicted', before: '2.51962' });
  const [same] = advice?.effects ?? [];
  expect(same?.change).toBe('same-prefix');
  // 50,700 tokens are written once at $6.25 a million, and the others are read at $0.50.
  expect(Number(same?.cost)).toBeCloseTo((50_700 * 6.25 + 352_100 * 0.5 + 80 * 25) / 1e6, 2);
});

test('advice on a changed model is the cost of the calls with the first model', async () => {
  const models = ['claude-opus-4-6', 'claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-4-6'];
  machine.write(
    'a.jsonl',
    claudeRows(
      models.map((model, index) => ({
        model,
        ...(index === 1 ? { read: 50_000, written: 100 } : { written: 50_000 + 100 * index }),
      })),
    ),
  );
  const advice = await advised();
  expect(advice).toMatchObject({ cause: 'model', calls: 4 });
  expect(effect(advice, 'same-settings')).toMatchObject({ change: 'same-settings' });
  // Three reads of about 50,000 tokens, and one write of 50,300 tokens, at the prices of Opus 4.6.
  const found = advice?.effects[0];
  expect(Number(found?.cost)).toBeCloseTo((50_300 * 6.25 + 150_300 * 0.5 + 40 * 25) / 1e6, 2);
});
