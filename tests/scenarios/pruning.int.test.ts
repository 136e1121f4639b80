// Pruning of old results: shortens them in batches when this lowers the cost. The tests check the simulator's bill and
// the bytes that arrived.

import type { Tool } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { defineTool } from '@tidemark/kit';
import type { Recorded, RecordedOf } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stage } from './billed-stage.ts';
import { epochsOf, expectOnlyAppended, expectSound, openStage, recordsOf } from './billed-stage.ts';

/**
 * Models with different rules, in order: the first strips thinking when a new turn begins, the second keeps thinking,
 * the third binds thinking to its prefix, and the fourth caches without markers.
 */
const MODELS = ['claude-sonnet-4-5', 'claude-opus-5-5', 'claude-fable-5-1', 'gpt-6.1-sol'] as const;

/**
 * Command tool. Its argument is the number of words in its output. Running the same command again supersedes the
 * earlier output, so pruning may shorten that output.
 */
const bash: Tool = defineTool({
  name: 'bash',
  description: 'Shows so many words.',
  input: z.object({ command: z.string() }),
  effect: 'read',
  run: ({ command }) => Array.from({ length: Number(command) }, (_, index) => `${command}:${index}`).join(' '),
});
const TOOLS = [bash, createHistoryReadTool()];

const done: AnswerPlan = { answer: { text: 'Done.' } };
const thinking = 'What is there, and what of it matters. '.repeat(10);

function looking(words: number): AnswerPlan {
  return { answer: { thinking, text: 'I look.', calls: [{ name: 'bash', arguments: { command: `${words}` } }] } };
}

function times(count: number, words: number): readonly AnswerPlan[] {
  return Array.from({ length: count }, () => looking(words));
}

async function play(stage: Stage, live: AgentSession): Promise<void> {
  await stage.turn(live, 'Look at everything.', ...times(8, 1_500), ...times(60, 5), done);
  await stage.turn(live, 'And now?', looking(5), done);
}

/**
 * Returns the cost of all calls in units of the base input price of a token. For every model, a read costs 0.1, a write
 * 1.25 and fresh input 1.
 */
function billOf(stage: Stage): number {
  return stage.billed().reduce((sum, { read, written, fresh }) => sum + 0.1 * read + 1.25 * written + fresh, 0);
}

function isPruned(record: Recorded): record is RecordedOf<'history.pruned'> {
  return record.kind === 'history.pruned';
}

function untilNextEpoch(records: readonly Recorded[], bodies: readonly string[]): readonly (readonly string[])[] {
  const runs: string[][] = [];
  let sent = 0;
  for (const { kind } of records) {
    if (kind === 'epoch.opened') runs.push([]);
    if (kind === 'request.prepared') runs.at(-1)?.push(bodies[sent++] ?? '');
  }
  return runs;
}

describe.each(MODELS)('on %s', (model) => {
  test('a long turn with large early results shortens them in one batch and costs less than 80% of the turn without pruning', async () => {
    const stage = await openStage({ model, tools: TOOLS });
    const live = await stage.open();
    await play(stage, live);
    const records = await recordsOf(stage, live.id);
    const batches = records.filter(isPruned);
    expect(batches.map(({ data }) => data.tier)).toEqual(['calm']);
    expect(await epochsOf(stage, live.id)).toEqual(['initial', ...batches.map(() => 'pruning')]);
    for (const run of untilNextEpoch(records, stage.bodies)) expectOnlyAppended(run);
    await expectSound(stage, live.id);
    const without = await openStage({ model, tools: TOOLS, compaction: { pruning: 'never' } });
    const other = await without.open();
    await play(without, other);
    expect(await epochsOf(without, other.id)).toEqual(['initial']);
    expect(billOf(stage)).toBeLessThan(0.8 * billOf(without));
  });

  test('a shortened result can be read back by its position, and a fork shows it shortened from its first call on', async () => {
    const stage = await openStage({ model, tools: TOOLS });
    const live = await stage.open();
    await play(stage, live);
    const at = (await recordsOf(stage, live.id)).find(isPruned)?.data.results?.[0]?.position ?? -1;
    const reading: AnswerPlan = { answer: { calls: [{ name: 'history_read', arguments: { position: at } }] } };
    await stage.turn(live, 'What was the first?', reading, done);
    const returned = (await recordsOf(stage, live.id)).findLast((record) => record.kind === 'tool.returned');
    expect(JSON.stringify(returned?.data)).toContain(`1500:1499"`);
    expect(stage.bodies.at(-1)).toContain(`The whole is at position ${at}: read it with history_read.`);
    await live.close();
    const fork = await stage.fork(live.id);
    await stage.turn(fork, 'And here?', done);
    expect(stage.bodies.at(-1)).toContain(`The whole is at position ${at}: read it with history_read.`);
    expect(stage.billed().at(-1)?.read).toBeGreaterThan(0);
    await expectSound(stage, fork.id);
  });
});

describe('the measured cases of issue 14', () => {
  /**
   * Returns the answers of a turn in which each step runs a command. Each number is the number of words in the output
   * of one command.
   */
  const turnOf = (...words: readonly number[]): readonly AnswerPlan[] => [...words.map(looking), done];
  const tiersOf = async (stage: Stage, id: string): Promise<readonly (readonly (string | undefined)[])[]> =>
    (await recordsOf(stage, id)).flatMap((one) => (isPruned(one) ? [[one.data.tier, one.data.cause]] : []));

  test('nothing is shortened on a 1M window after 9 steps (2% full)', async () => {
    const stage = await openStage({ model: 'claude-opus-5-5', tools: TOOLS });
    const live = await stage.open();
    for (const from of [0, 3, 6]) await stage.turn(live, 'Look.', ...turnOf(400 + from, 401 + from, 402 + from));
    await live.close();
    const other = 'claude-sonnet-5-5';
    const again = await stage.open({ id: live.id, model: other, provider: stage.reach(other) });
    await stage.turn(again, 'And now?', done);
    expect(await epochsOf(stage, live.id)).toEqual(['initial', 'model']);
    expect(await tiersOf(stage, live.id)).toEqual([]);
    expect(stage.bodies.at(-1)).not.toContain('[Shortened here');
  });

  test('pruning opens at most one epoch per tier between 80% and 90% of a 200k window, and one at `warning`', async () => {
    const stage = await openStage({ model: 'claude-sonnet-4-5', tools: TOOLS, compaction: { when: 'manual' } });
    const live = await stage.open();
    const fill = Array.from({ length: 31 }, (_, index) => 2_000 + index);
    await stage.turn(live, 'Fill the window.', ...turnOf(...fill));
    expect((stage.billed().at(-1)?.input ?? 0) / 200_000).toBeCloseTo(0.77, 2);
    // Each turn runs one command three times and then makes small steps. The turn is played four times.
    for (const words of ['Again.', 'Once more.', 'And again.', 'For the last time.'])
      await stage.turn(live, words, ...turnOf(2_200, 2_200, 2_200, ...Array.from({ length: 9 }, (_, index) => index)));
    const tiers = await tiersOf(stage, live.id);
    expect(tiers).toEqual([
      ['warning', 'warning'],
      ['advisory', 'pays'],
      ['calm', 'pays'],
    ]);
    expect(Math.max(...stage.billed().map(({ input }) => input)) / 200_000).toBeGreaterThan(0.8);
    for (const { data } of (await recordsOf(stage, live.id)).filter(isPruned))
      expect(data.breakEven).toBeLessThanOrEqual(data.waits ?? -1);
    await expectSound(stage, live.id);
  });
});
