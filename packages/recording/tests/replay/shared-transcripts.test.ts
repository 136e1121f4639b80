// Tests for the figures of the replays of recorded sessions: the sessions in the `shared/transcripts` folder next to
// the repository, and the demo recording. Without that folder the tests with its sessions print a message and are
// skipped.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './must-hold.ts';
import type { Replayed } from './replay-rows.ts';
import { replayRows, verifyAll } from './replay-rows.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts next to the repository');

function causesOf(misses: readonly { readonly cause: string }[]): Readonly<Record<string, number>> {
  const causes: Record<string, number> = {};
  for (const { cause } of misses) causes[cause] = (causes[cause] ?? 0) + 1;
  return causes;
}

async function sound(path: string): Promise<Replayed['result']> {
  const replayed = await replayRows(path);
  expect(await faultsOf(replayed)).toEqual([]);
  return replayed.result;
}

describe.skipIf(!there)('the recorded session of', () => {
  it('pi cost 1.95 times its ideal cost, and the replay costs as much as a cache with five-minute entries, apart from the forced cost', async () => {
    const result = await sound(join(folder, 'pi-coding-session-sonnet.jsonl'));
    expect(result).toMatchObject({
      calls: 439,
      tokens: 47_526_750,
      recordedRatio: 1.9547,
      expiringRatio: 1,
      standIns: [],
    });
    expect(causesOf(result.recorded.misses)).toEqual({ expired: 4, reasoning: 4, 'front-changed-or-evicted': 29 });
    expect(causesOf(result.misses)).toEqual({ expired: 4, opened: 5 });
    expect(Object.keys(result.forcedBy)).toEqual(['reasoning']);
    expect(result.breaks).toMatchObject({ labelled: 5, unlabelled: 0 });
  });

  it('pi costs less if its pauses are kept warm by reads, and even less by promotions (if promotions work), and every request can be rebuilt', async () => {
    const path = join(folder, 'pi-coding-session-sonnet.jsonl');
    const refreshed = await replayRows(path, '5m', 'refresh');
    const promoted = await replayRows(path, 'auto', 'promotion');
    expect(refreshed.result).toMatchObject({ ratio: 1.0174, warming: { calls: 6 } });
    expect(promoted.result).toMatchObject({ ratio: 1.0065, warming: { calls: 5 } });
    for (const one of [refreshed, promoted]) {
      expect(one.result).toMatchObject({ refused: 0, breaks: { unlabelled: 0 } });
      for (const verified of await verifyAll(one)) expect(verified.differences).toEqual([]);
    }
  });

  it('Claude Code cost 1.23 times its ideal cost, and the replay costs as much as a cache with five-minute entries', async () => {
    const result = await sound(join(folder, 'claude-code-session-opus.jsonl'));
    expect(result).toMatchObject({
      calls: 152,
      tokens: 15_121_271,
      recordedRatio: 1.2344,
      expiringRatio: 1,
      forced: 0,
    });
    expect(causesOf(result.recorded.misses)).toEqual({ compaction: 1, 'history-changed': 2 });
    expect(result.breaks.list).toMatchObject([{ cause: 'compaction' }]);
  });

  it('a subagent cost 1.56 times its ideal cost, and the replay costs as much as an ideal cache', async () => {
    const result = await sound(join(folder, 'claude-code-subagent-sonnet.jsonl'));
    expect(result).toMatchObject({ calls: 3, tokens: 76_350, recordedRatio: 1.5635, ratio: 1, forced: 0 });
  });
});

describe.skipIf(!there)(
  'automatically chosen lifetimes cost no more than the better fixed lifetime, in the session of',
  () => {
    // In each of these sessions, five minutes is the better fixed lifetime. `npm run bench -- lifetime` measures the
    // five-minute and the one-hour lifetime.
    it.each([
      ['pi', 'pi-coding-session-sonnet', 1.0347, 1.0648],
      ['Claude Code', 'claude-code-session-opus', 1.0504, 1.0504],
      ['a subagent', 'claude-code-subagent-sonnet', 1, 1],
    ])('%s', async (_, name, ratio, fixed) => {
      const { result } = await replayRows(join(folder, `${name}.jsonl`), 'auto');
      expect(result.ratio).toBe(ratio);
      expect(ratio).toBeLessThanOrEqual(fixed);
    });
  },
);

it('the demo recording contains a pause, a change of reasoning and a compaction', async () => {
  const result = await sound(join(root, 'apps/cli/demo/recording.jsonl'));
  expect(result.breaks).toMatchObject({
    labelled: 2,
    unlabelled: 0,
    list: [{ cause: 'reasoning' }, { cause: 'compaction' }],
  });
  expect(causesOf(result.misses)).toMatchObject({ expired: 1 });
  expect(result.expiringRatio).toBe(1);
});
