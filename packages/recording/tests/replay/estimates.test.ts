// Tests for the accuracy of the size that the runtime estimates before it sends a request. They use the demo recording
// of the project and the real sessions in the `shared/transcripts` folder next to the repository. Without that folder
// the tests with real sessions print a message and are skipped. The first call of a session is not judged: no
// transcript contains its front, so the size of this call is taken from the recording.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayRows } from './replay-rows.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts beside the repository');

/**
 * Returns the relative error of the estimate for each call except the first one. The error is 1 for a call without an
 * estimate.
 */
async function offOf(path: string): Promise<readonly number[]> {
  const { calls } = await replayRows(path);
  return calls.slice(1).map(({ prepared: { record }, recorded: { input } }) => {
    const { size } = record.data;
    return size === undefined ? 1 : Math.abs(size.input - input) / input;
  });
}

const shared = (name: string): string => join(folder, `${name}.jsonl`);
const within = (off: readonly number[], most: number): number => off.filter((one) => one <= most).length;

// The token counts of this recording were made with our own estimate of text sizes. So this test only judges how sizes
// are added up over pauses, a change of the reasoning level and a compaction. tests/laws/pains-gauge.test.ts compares
// the estimates with another count.
it('the estimate of the next request is within 5% of the recorded size for all calls of the demo recording', async () => {
  const off = await offOf(join(root, 'apps/cli/demo/recording.jsonl'));
  expect([within(off, 0.05), off.length]).toEqual([13, 13]);
});

describe.skipIf(!there)('the estimate of the next request', () => {
  it('is within 5% of the recorded size for more than 95% of the calls of the recorded sessions', async () => {
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
