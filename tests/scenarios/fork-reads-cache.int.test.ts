// Forks and the parent's cache: a fork reads what its parent cached, even after a compaction or a pruning. The tests
// check the simulator's bill.

import type { Tool } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { defineTool } from '@tidemark/kit';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stage } from './billed-stage.ts';
import { epochsOf, expectSound, held, openStage } from './billed-stage.ts';

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
const MINUTE = 60_000;

function looks(count: number, words: number): readonly AnswerPlan[] {
  return Array.from({ length: count }, () => ({
    answer: { text: 'I look.', calls: [{ name: 'bash', arguments: { command: `${words}` } }] },
  }));
}

async function compacted(stage: Stage): Promise<AgentSession> {
  const live = await stage.open();
  await stage.turn(live, 'Look at everything.', ...looks(10, 600), done);
  expect(await live.compact({ tailTokens: 6_000 })).toMatchObject({ outcome: 'compacted' });
  await stage.turn(live, 'And now?', done);
  expect(await epochsOf(stage, live.id)).toEqual(['initial', 'compaction']);
  return live;
}

async function pruned(stage: Stage): Promise<AgentSession> {
  const live = await stage.open();
  await stage.turn(live, 'Look at everything.', ...looks(8, 1_500), ...looks(60, 5), done);
  expect(await epochsOf(stage, live.id)).toContain('pruning');
  return live;
}

const MADE = { compacted, pruned };

/**
 * Checks that the fork's first call reads everything that the parent's last call left in the cache, and opens no epoch.
 */
async function expectReads(stage: Stage, fork: AgentSession): Promise<void> {
  const [before, epochs] = [stage.billed().at(-1), await epochsOf(stage, fork.id)];
  await stage.turn(fork, 'And what of this?', done);
  const first = stage.billed().at(-1);
  expect(first?.read).toBe(before && held(before));
  expect(first?.read).toBeGreaterThan(4_000);
  expect(await epochsOf(stage, fork.id)).toEqual(epochs);
  await expectSound(stage, fork.id);
}

describe.each(['claude-opus-5-5', 'claude-sonnet-4-5', 'gpt-6.1-sol'])('on %s', (model) => {
  describe.each(['compacted', 'pruned'] as const)('a fork of a %s session', (how) => {
    test("reads its parent's cache on its first call within the TTL of the entry", async () => {
      const stage = await openStage({ model, tools: TOOLS });
      const live = await MADE[how](stage);
      stage.clock.pass(4 * MINUTE);
      await expectReads(stage, await live.fork());
    });

    test("reads its parent's cache on its first call after a restart", async () => {
      const stage = await openStage({ model, tools: TOOLS });
      const live = await MADE[how](stage);
      await live.close();
      await expectReads(stage, await stage.fork(live.id));
    });
  });

  test('a fork created after the entry has expired does not read it', async () => {
    const stage = await openStage({ model, tools: TOOLS });
    const live = await compacted(stage);
    const before = stage.billed().at(-1);
    await live.close();
    stage.clock.pass(120 * MINUTE);
    await stage.turn(await stage.fork(live.id), 'And what of this?', done);
    expect(stage.billed().at(-1)?.read).toBeLessThan((before && held(before)) ?? 0);
  });
});
