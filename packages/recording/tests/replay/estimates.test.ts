// How far the size of the next request is known before it is sent: on the recording that the project holds, and on the real
// sessions that lie beside the repository. Where those are absent the test says so and is skipped. The first call of a session
// is left out: its front is in no transcript, so that its size is taken from the recording.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayRows } from './replay-rows.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts beside the repository');

/** How far off each estimate was, as a share of what was counted; 1 where there was none. */
async function offOf(path: string): Promise<readonly number[]> {
  const { calls } = await replayRows(path);
  return calls.slice(1).map(({ prepared: { record }, recorded: { input } }) => {
    const { size } = record.data;
    return size === undefined ? 1 : Math.abs(size.input - input) / input;
  });
}

const shared = (name: string): string => join(folder, `${name}.jsonl`);
const within = (off: readonly number[], most: number): number => off.filter((one) => one <= most).length;

// Its texts were counted by our own estimate when it was made: it judges what is added up, through pauses, a change of the
// reasoning level and a compaction. Estimates against another count are judged in tests/laws/pains-gauge.test.ts.
it('the estimate of the next request is within 5% for 95% of the calls of the recording that the project holds', async () => {
  const off = await offOf(join(root, 'apps/cli/demo/recording.jsonl'));
  expect([within(off, 0.05), off.length]).toEqual([13, 13]);
});

describe.skipIf(!there)('the estimate of the next request', () => {
  it('is within 5% for 95% of the calls of the recorded sessions', async () => {
    const pi = await offOf(shared('pi-coding-session-sonnet'));
    const code = await offOf(shared('claude-code-session-opus'));
    const agent = await offOf(shared('claude-code-subagent-sonnet'));
    const all = [...pi, ...code, ...agent].toSorted((a, b) => a - b);
    const share = within(all, 0.05) / all.length;
    const middle = all[Math.floor(all.length / 2)] ?? 1;
    console.info(
      `within 5%: ${within(all, 0.05)} of ${all.length} calls (${(100 * share).toFixed(1)}%), off by ${(100 * middle).toFixed(2)}% in the middle`,
    );
    expect([pi, code, agent].map((off) => [within(off, 0.05), off.length])).toEqual([
      [437, 438],
      [149, 151],
      [1, 2],
    ]);
    expect(share).toBeGreaterThan(0.95);
  }, 240_000);
});
