// Measures the pruning of old results in the recorded sessions in the `shared/transcripts` folder next to the
// repository. Without that folder the tests print a message and are skipped.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import { describe, expect, it } from 'vitest';
import type { Replayed } from './replay-rows.ts';
import { replayRows, verifyAll } from './replay-rows.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts beside the repository');

/** Effect of pruning in a replay. All numbers of tokens are estimates. */
interface Shortened {
  readonly calls: number;
  /** Number of epochs that were opened for pruning alone. */
  readonly epochs: number;
  /** Smallest number of calls between two epochs that were opened for pruning. */
  readonly apart: number;
  readonly freed: number;
  /** Number of tokens that the epochs for pruning wrote to the cache again. */
  readonly rewritten: number;
  readonly input: number;
  readonly billed: number;
}

async function recordsOf(log: Log, session: SessionId): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of log.read(session)) records.push(record);
  return records;
}

async function shortenedIn({ result, target }: Replayed): Promise<Shortened> {
  const records = (await Promise.all(result.sessions.map((session) => recordsOf(target, session)))).flat();
  const opened = records.flatMap((one) => (one.kind === 'epoch.opened' ? [one.data] : []));
  const epochs = opened.flatMap(({ cause, forecast }) => (cause === 'pruning' ? [forecast.rewrite] : []));
  const freed = records.flatMap((one) => (one.kind === 'history.pruned' ? [one.data.freed ?? 0] : []));
  const { calls, tokens: input, billed } = result;
  return {
    calls,
    epochs: epochs.length,
    apart: apart(records),
    freed: sum(freed),
    rewritten: sum(epochs),
    input,
    billed,
  };
}

function apart(records: readonly Recorded[]): number {
  const requests = records.filter(({ kind }) => kind === 'request.prepared' || kind === 'epoch.opened');
  let [least, since] = [Infinity, Infinity];
  for (const one of requests) {
    if (one.kind === 'request.prepared') since += 1;
    else if (one.kind === 'epoch.opened' && one.data.cause === 'pruning') [least, since] = [Math.min(least, since), 0];
  }
  return least;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/**
 * Replays a file with pruning and returns its effect. Checks that no request is refused, that every break has an epoch
 * as its cause, and that every request can be rebuilt from the log.
 */
async function sound(path: string): Promise<Shortened> {
  const replayed = await replayRows(path, 'auto', 'off', 'auto');
  expect(replayed.result).toMatchObject({ refused: 0, breaks: { unlabelled: 0 } });
  for (const { differences, breaks, problems } of await verifyAll(replayed)) {
    expect({ differences, problems }).toEqual({ differences: [], problems: [] });
    expect(breaks.filter(({ cause }) => cause === undefined)).toEqual([]);
  }
  return shortenedIn(replayed);
}

/**
 * Timeout for two replays of hundreds of calls. Every request of the first replay is also rebuilt. The timeout is much
 * longer than usually needed, because the machine may be busy.
 */
const LONG = { timeout: 300_000 };

describe.skipIf(!there)('pruning shortens old results and does not raise the cost, in the session of', LONG, () => {
  it.each([
    ['pi', 'pi-coding-session-sonnet', { calls: 439, epochs: 1, apart: Infinity }],
    ['Claude Code', 'claude-code-session-opus', { calls: 152, epochs: 1, apart: Infinity }],
    ['a subagent', 'claude-code-subagent-sonnet', { calls: 3, epochs: 0, apart: Infinity }],
  ])('%s', async (who, name, seen) => {
    const path = join(folder, `${name}.jsonl`);
    const effect = await sound(path);
    const { result: whole } = await replayRows(path, 'auto', 'off', 'never');
    console.info(`${who}: ${JSON.stringify({ ...effect, whole: { input: whole.tokens, billed: whole.billed } })}`);
    expect(effect).toMatchObject(seen);
    expect(effect.billed).toBeLessThanOrEqual(whole.billed);
  });
});
