// Pruning in made-up sessions of several shapes. The tests compare the simulator's bill with and without pruning, and
// check the number of calls between pruning epochs.

import type { Tool } from '@tidemark/agent';
import type { AgentSession } from '@tidemark/kit';
import { defineTool } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stage } from './billed-stage.ts';
import { openStage, recordsOf } from './billed-stage.ts';

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

/**
 * Numbers of words in the tool results of a session, in the order of the calls. If `fork` is set, a fork of the session
 * continues with these further results.
 */
interface Shape {
  readonly session: readonly number[];
  readonly fork?: readonly number[];
}

const every = (count: number, words: (index: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, index) => words(index));

/**
 * Expected number of pruning epochs, and the smallest number of calls before one of them, counted from the pruning
 * epoch before it.
 */
interface Seen {
  readonly epochs: number;
  readonly apart: number;
}

const LARGE_EARLY = every(34, (index) => (index % 8 === 0 ? 2_500 : 60));
const SHAPES: readonly (readonly [model: string, name: string, shape: Shape, seen: Seen])[] = [
  ['claude-opus-5-5', 'many small results', { session: every(160, () => 300) }, { epochs: 1, apart: 106 }],
  [
    'claude-opus-5-5',
    'few large ones',
    { session: every(50, (i) => (i % 15 === 0 ? 4_000 : 5)) },
    { epochs: 1, apart: 16 },
  ],
  [
    'claude-opus-5-5',
    'large ones at the end',
    { session: every(30, (i) => (i < 22 ? 5 : 3_000)) },
    { epochs: 0, apart: Infinity },
  ],
  [
    'claude-opus-5-5',
    'a fork that goes on',
    { session: LARGE_EARLY, fork: every(24, (i) => (i % 9 === 0 ? 1_800 : 300)) },
    { epochs: 1, apart: 26 },
  ],
  [
    'gpt-6.1-sol',
    'a fork that goes on',
    { session: LARGE_EARLY, fork: every(24, (i) => (i % 9 === 0 ? 1_800 : 300)) },
    { epochs: 1, apart: 26 },
  ],
  [
    'claude-opus-5-5',
    'a fork that soon ends',
    { session: LARGE_EARLY, fork: every(6, () => 400) },
    { epochs: 1, apart: 26 },
  ],
];

function looking(words: number): AnswerPlan {
  return { answer: { text: 'I look.', calls: [{ name: 'bash', arguments: { command: `${words}` } }] } };
}

async function play(stage: Stage, live: AgentSession, words: readonly number[]): Promise<void> {
  for (let from = 0; from < words.length; from += 20) {
    const answers = words.slice(from, from + 20).map(looking);
    await stage.turn(live, 'Look.', ...answers, done);
  }
}

/**
 * Returns the cost of all calls in units of the base input price of a token. For every model, a read costs 0.1, a write
 * 1.25 and fresh input 1.
 */
function billOf(stage: Stage): number {
  return stage.billed().reduce((sum, { read, written, fresh }) => sum + 0.1 * read + 1.25 * written + fresh, 0);
}

/** Returns the number of main-stream calls before each pruning epoch, counted from the previous pruning epoch. */
function gapsOf(records: readonly Recorded[]): readonly number[] {
  const gaps: number[] = [];
  let since = 0;
  for (const record of records) {
    if (record.kind === 'request.prepared' && record.data.stream === 'main') since += 1;
    if (record.kind !== 'epoch.opened' || record.data.cause !== 'pruning') continue;
    gaps.push(since);
    since = 0;
  }
  return gaps;
}

async function run(
  model: string,
  { session, fork }: Shape,
  pruning: 'auto' | 'never',
): Promise<Stage & { id: string }> {
  const stage = await openStage({ model, tools: TOOLS, compaction: { pruning } });
  const live = await stage.open();
  await play(stage, live, session);
  await live.close();
  const child = fork && (await stage.fork(live.id));
  if (child) await play(stage, child, fork);
  return { ...stage, id: child?.id ?? live.id };
}

describe('a session with pruning costs at most as much as without, and its batches are far apart', () => {
  test.each(SHAPES)('on %s: %s', async (model, _name, shape, seen) => {
    const pruned = await run(model, shape, 'auto');
    const gaps = gapsOf(await recordsOf(pruned, pruned.id));
    expect({ epochs: gaps.length, apart: Math.min(...gaps) }).toEqual(seen);
    const whole = await run(model, shape, 'never');
    expect(billOf(pruned)).toBeLessThanOrEqual(billOf(whole));
  });
});
