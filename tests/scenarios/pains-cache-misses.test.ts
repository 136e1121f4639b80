// Issues about cache misses in other projects. Each test is named after its issues. It plays the session in which users
// of that project paid for the same tokens again, and checks that Tidemark does not pay for them again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContextSource, Tool } from '@tidemark/agent';
import { commit, openSession } from '@tidemark/agent';
import { defineTool } from '@tidemark/kit';
import { position, sessionId } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  epochsOf,
  expectOnlyAppended,
  expectOnlyGrowth,
  expectSound,
  frontOf,
  held,
  historyOf,
  missesOf,
  openStage,
  recordsOf,
  ROLE,
} from './billed-stage.ts';
import type { Billed, Stage } from './billed-stage.ts';

const MINUTE = 60_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tidemark-pain-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function tools(...names: readonly string[]): readonly Tool[] {
  return names.map((name) =>
    defineTool({
      name,
      description: `Looks into the ${name} of the shop. ${ROLE.slice(0, 200)}`,
      input: z.object({ bytes: z.number() }),
      effect: 'read',
      run: ({ bytes }) => `${name} `.repeat(Math.ceil(bytes / (name.length + 1))),
    }),
  );
}

function calling(name: string, bytes: number): AnswerPlan {
  return { answer: { text: 'I look.', calls: [{ name, arguments: { bytes } }] } };
}

const done: AnswerPlan = { answer: { text: 'Done.' } };

/**
 * Creates a context source whose note contains the current time and the number of calls so far. The note is new at
 * every prompt.
 */
function clockSource(stage: () => Stage): ContextSource {
  return {
    name: 'clock',
    revision: ({ now }) => now,
    render: ({ now }) => `It is ${now}; ${stage().simulator.calls.length} calls were made.`,
    affectedBy: () => true,
  };
}

test('goruck/home-generative-agent#617, adolfousier/opencrabs#657, NousResearch/hermes-agent#15866: the front stays the same when midnight passes', async () => {
  const stage = await openStage({ workspace: { folder: folder(), tools: false } });
  stage.clock.pass(14 * 60 * MINUTE + 50 * MINUTE);
  const live = await stage.open();
  for (let turn = 0; turn < 8; turn += 1) {
    await stage.turn(live, `Question ${turn}.`, done);
    stage.clock.pass(2 * MINUTE);
  }
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  const last = stage.bodies.at(-1) ?? '';
  expect(frontOf(last)).not.toMatch(/2026|Friday|Saturday|\d\d:\d\d/);
  expect(
    [
      ...historyOf(last)
        .join()
        .matchAll(/Date: ([\d-]+)/g),
    ].map(([, day]) => day),
  ).toEqual(['2026-11-20', '2026-11-21']);
});

test('Mintplex-Labs/anything-llm#6398, #6399: a time noted with a prompt stays in its place in every later request and in the next process', async () => {
  const stage: Stage = await openStage({ context: { sources: [clockSource(() => stage)] } });
  let live = await stage.open();
  for (let turn = 0; turn < 6; turn += 1) {
    await stage.turn(live, `Question ${turn}.`, done);
    stage.clock.pass(MINUTE);
    if (turn !== 2) continue;
    await live.close();
    live = await stage.open({ id: live.id });
  }
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  expect(historyOf(stage.bodies.at(-1) ?? '').filter((block) => block.includes('It is 2026-'))).toHaveLength(6);
});

test('ranxianglei/billion-context#1: a counter that is noted at every step is in the tail, and the system text stays unchanged', async () => {
  const stage: Stage = await openStage({
    context: { sources: [{ ...clockSource(() => stage), name: 'budget' }] },
    tools: tools('orders'),
  });
  const live = await stage.open();
  await stage.turn(live, 'Look four times.', ...Array.from({ length: 4 }, () => calling('orders', 800)), done);
  await stage.turn(live, 'And now?', done);
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  expect(frontOf(stage.bodies[0] ?? '')).not.toContain('calls were made');
  expect(historyOf(stage.bodies.at(-1) ?? '').join()).toContain('5 calls were made');
});

describe('anthropics/claude-code#65917, can1357/oh-my-pi#890, shabaraba/vibing.nvim#808', () => {
  const all = tools('orders', 'stock', 'mail');

  test('a server whose tools disappear and return in another order before the next request costs nothing', async () => {
    const stage = await openStage({ tools: all });
    const live = await stage.open();
    for (let turn = 0; turn < 4; turn += 1) {
      await stage.turn(live, `Question ${turn}.`, calling('stock', 4_000), done);
      live.setTools(tools('orders'));
      live.setTools(tools('mail', 'stock', 'orders'));
    }
    expectOnlyGrowth(stage.billed());
    expectOnlyAppended(stage.bodies);
    expect(await epochsOf(stage, live.id)).toEqual(['initial']);
  });

  test.each(['claude-sonnet-4-6', 'claude-opus-5-5'])(
    'a server that disconnects and reconnects for ten turns costs nothing if its tool changes may wait for the next epoch: %s',
    async (model) => {
      const stage = await openStage({ model, tools: all });
      const live = await stage.open();
      for (let turn = 0; turn < 10; turn += 1) {
        live.setTools(turn % 2 === 0 ? tools('mail', 'orders') : tools('stock', 'orders', 'mail'), {
          when: 'next-epoch',
        });
        await stage.turn(live, `Question ${turn}.`, calling('orders', 4_000), done);
      }
      expectOnlyGrowth(stage.billed());
      expectOnlyAppended(stage.bodies);
      expect(await epochsOf(stage, live.id)).toEqual(['initial']);
      await expectSound(stage, live.id);
    },
  );

  test('a server that is away for one request opens two labelled and priced epochs, and the request after its return reads the earlier cache', async () => {
    const stage = await openStage({ tools: all });
    const live = await stage.open();
    await stage.turn(live, 'One.', calling('stock', 4_000), done);
    live.setTools(tools('orders', 'mail'));
    await stage.turn(live, 'Two.', done);
    live.setTools(tools('mail', 'stock', 'orders'));
    await stage.turn(live, 'Three.', done);
    const [first, second, without, back] = stage.billed();
    if (first === undefined || second === undefined || without === undefined || back === undefined)
      throw new Error('four calls');
    expect([second.read, without.read, back.read]).toEqual([held(first), 0, held(second)]);
    expect(await epochsOf(stage, live.id)).toEqual(['initial', 'tools', 'tools']);
    const opened = (await recordsOf(stage, live.id)).flatMap((one) =>
      one.kind === 'epoch.opened' ? [one.data.forecast] : [],
    );
    expect(opened.map(({ rewrite }) => rewrite > 0)).toEqual([false, true, true]);
    expect(opened.slice(1).every(({ cost }) => Number(cost) > 0)).toBe(true);
    await expectSound(stage, live.id);
  });
});

test('anomalyco/opencode#23571, librefang#3765: after a restart with the tools in another order, nothing is written again', async () => {
  const stage = await openStage();
  const orders = [
    ['orders', 'stock', 'mail'],
    ['mail', 'orders', 'stock'],
    ['stock', 'mail', 'orders'],
  ];
  let id: string | undefined;
  for (const names of orders) {
    const live = await stage.open({ tools: tools(...names), ...(id !== undefined && { id }) });
    ({ id } = live);
    await stage.turn(live, 'Look.', calling('stock', 3_000), done);
    await live.close();
  }
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
});

test('can1357/oh-my-pi#5992: switching the mode changes no tool list, and each later turn writes fewer than 200 tokens', async () => {
  const stage = await openStage({ workspace: folder() });
  const live = await stage.open();
  for (const mode of ['read-only', 'auto', 'read-only', 'auto'] as const) {
    await live.setMode(mode);
    await stage.turn(live, 'Go on.', done);
    stage.clock.pass(MINUTE);
  }
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  const written = stage
    .billed()
    .slice(1)
    .map((call) => call.written);
  expect(Math.max(...written)).toBeLessThan(200);
});

test('anthropics/claude-code#34629: a session resumed by another presenter in another process reads its whole history from the cache', async () => {
  const stage = await openStage({ tools: tools('orders') });
  const live = await stage.open({ host: { client: 'terminal' } });
  for (let turn = 0; turn < 3; turn += 1) await stage.turn(live, `Question ${turn}.`, calling('orders', 6_000), done);
  await live.close();
  const before = stage.billed().length;
  const printing = await stage.open({ id: live.id, host: { client: 'print' }, limits: { maxSteps: 5 } });
  await stage.turn(printing, 'Go on.', done);
  const calls = stage.billed();
  expect(calls[before]?.read).toBe(held(calls[before - 1] ?? expect.unreachable()));
  expectOnlyGrowth(calls);
  expectOnlyAppended(stage.bodies);
});

test('openclaw#132008: a long result is cut once, when it is recorded, and has the same bytes in every request', async () => {
  const stage = await openStage({ tools: tools('orders') });
  const live = await stage.open();
  const steps = Array.from({ length: 12 }, (_, step) => calling('orders', step % 3 === 0 ? 200_000 : 9_000));
  await stage.turn(live, 'Read all of it.', ...steps, done);
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  const results = historyOf(stage.bodies.at(-1) ?? '').filter((block) => block.includes('tool_result'));
  expect(results).toHaveLength(12);
  expect(Math.max(...results.map((result) => result.length))).toBeLessThan(70_000);
});

test('langchain-ai/langchain#37815: an edit of the context is applied once and remains in later requests and in the next process', async () => {
  const stage = await openStage({ tools: tools('orders') });
  const first = await stage.open();
  for (let turn = 0; turn < 3; turn += 1) await stage.turn(first, `Question ${turn}.`, calling('orders', 9_000), done);
  await first.close();
  await recordCompaction(stage, first.id);
  const calls = stage.billed().length;
  for (let process = 0; process < 3; process += 1) {
    const live = await stage.open({ id: first.id });
    for (let turn = 0; turn < 3; turn += 1) await stage.turn(live, 'Go on.', done);
    await live.close();
  }
  expect(await epochsOf(stage, first.id)).toEqual(['initial', 'compaction']);
  const front = stage.billed()[0]?.input ?? 0;
  const after = stage.billed().slice(calls);
  expect(after[0]?.read).toBeGreaterThan(0.9 * front - 100);
  expectOnlyGrowth(after, after[0]?.read);
  expectOnlyAppended(stage.bodies.slice(calls));
  for (const body of stage.bodies.slice(calls)) expect(body.split('Three questions were answered.')).toHaveLength(2);
});

/** Commits a compaction of the whole session to its log. */
async function recordCompaction(stage: Stage, id: string): Promise<void> {
  const session = await openSession(stage.log(), sessionId(id));
  const range = { from: position(0), to: position(session.state.length - 1) };
  const checkpoint = 'Three questions were answered.';
  const data = { range, strategy: 'deterministic', trigger: 'test', checkpoint, limitations: [] } as const;
  await commit(session, [{ kind: 'history.compacted', at: stage.clock.surroundings.now(), data }]);
  await session.writer.close();
}

test('memodb-io/Acontext#130: all tool results stay in the context without a sliding window, and each is written once', async () => {
  const stage = await openStage({ tools: tools('orders') });
  const live = await stage.open();
  for (let turn = 0; turn < 8; turn += 1) await stage.turn(live, `Question ${turn}.`, calling('orders', 5_000), done);
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  expect(historyOf(stage.bodies.at(-1) ?? '').filter((block) => block.includes('tool_result'))).toHaveLength(8);
});

describe('anthropics/claude-code#50213, #74318', () => {
  test('side calls read the whole conversation, and write only their own prompt, with the short TTL', async () => {
    const stage = await openStage({ tools: tools('orders') });
    const live = await stage.open();
    await stage.turn(live, 'Look.', calling('orders', 9_000), done);
    const main = stage.billed().at(-1) ?? expect.unreachable();
    for (let call = 0; call < 4; call += 1) {
      await live.side({ purpose: 'task', prompt: `Task ${call}: count the orders.`, history: 'main' });
      const side = stage.billed().at(-1) ?? expect.unreachable();
      expect(side.read).toBeGreaterThanOrEqual(held(main));
      expect(side.written).toBeLessThan(40);
      expect(side.long).toBe(0);
    }
    await stage.turn(live, 'And now?', done);
    // The next call also reads the answer `Done.`. The first side call had already written it to the cache, before a
    // call of the conversation could.
    const answerTokens = Math.ceil(Buffer.byteLength('Done.') / 4);
    expect(stage.billed().at(-1)?.read).toBe(held(main) + answerTokens);
  });

  test('a second session on the same front reads the front to its last token', async () => {
    const stage = await openStage({ tools: tools('orders') });
    const sessions = [await stage.open(), await stage.open(), await stage.open()];
    for (const [index, live] of sessions.entries()) await stage.turn(live, `Task ${index}.`, done);
    const [first, ...others] = stage.billed();
    const own = historyTokens(stage.bodies[0] ?? '');
    expect(others.map(({ read }) => read)).toEqual(others.map(() => (first?.input ?? 0) - own));
    expect(others.map(({ written }) => written)).toEqual(others.map(() => own));
  });
});

/** Returns the number of tokens of a body's messages. The simulator counts four bytes of text as one token. */
function historyTokens(body: string): number {
  const texts = historyOf(body).map((block): string => JSON.parse(block)[1].text);
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);
}

test('anthropics/claude-code#46829: after long pauses the conversation uses the one-hour TTL, and its side calls use the five-minute TTL', async () => {
  const stage = await openStage({ tools: tools('orders') });
  const live = await stage.open();
  for (let turn = 0; turn < 4; turn += 1) {
    await stage.turn(live, `Question ${turn}.`, calling('orders', 20_000), done);
    await live.side({ purpose: 'task', prompt: `Task ${turn}.`, history: 'main' });
    stage.clock.pass(20 * MINUTE);
  }
  const [before = expect.unreachable(), aside = expect.unreachable()] = stage.billed().slice(-2);
  await stage.turn(live, 'And now?', done);
  const [last] = stage.billed().slice(-1);
  expect(before.long).toBeGreaterThan(0);
  // The side call writes two things to the cache: the conversation's last answer with the TTL of the conversation, and
  // its own prompt with the short TTL. The next call of the conversation reads the answer.
  expect(last?.read).toBe(held(before) + aside.long);
  const beside = stage.billed().filter((_, index) => index % 3 === 2 && index < 12);
  expect(beside.every(({ long, written }) => long <= 2 && written > long)).toBe(true);
  expect((await missesOf(stage, live.id)).every(([, cause]) => cause === 'expired')).toBe(true);
});

describe('anthropics/claude-code#77306, openai/codex#44716', () => {
  const models = ['claude-sonnet-4-6', 'claude-opus-5-5', 'gpt-5.1', 'gpt-5.6-sol', 'gpt-6.1-sol'];

  test.each(models)(
    'a fork in another process reads everything that its parent cached, by the cache key of its family: %s',
    async (model) => {
      const stage = await openStage({ model, tools: tools('orders') });
      const parent = await stage.open({ workspace: { folder: folder(), tools: false } });
      await stage.turn(parent, 'Look.', calling('orders', 9_000), done);
      await parent.close();
      const child = await stage.fork(parent.id);
      await stage.turn(child, 'Try another way.', done);
      const [, before, first] = stage.billed();
      expect(first?.read).toBe(keptOf(before ?? expect.unreachable()));
      expect(new Set(stage.bodies.map(routeOf)).size).toBe(1);
      expect(await epochsOf(stage, child.id)).toEqual(['initial']);
      expect(await relationsOf(stage, child.id)).toEqual(['opens', 'extends', 'inherits']);
      await expectSound(stage, child.id);
    },
  );

  test.each(models)(
    "a fork of a compacted session reads the parent's cache with the checkpoint, and a fork one prompt back also gets a summary of the dropped branch: %s",
    async (model) => {
      const stage = await openStage({ model, tools: tools('orders') });
      const first = await stage.open();
      for (let turn = 0; turn < 3; turn += 1)
        await stage.turn(first, `Question ${turn}.`, calling('orders', 9_000), done);
      await first.close();
      await recordCompaction(stage, first.id);
      const parent = await stage.open({ id: first.id });
      await stage.turn(parent, 'Go on.', calling('orders', 9_000), done);
      const child = await parent.fork();
      await stage.turn(child, 'Another way.', done);
      const [before, forked] = stage.billed().slice(-2);
      expect(forked?.read).toBe(keptOf(before ?? expect.unreachable()));
      expect(stage.bodies.at(-1)).toContain('Three questions were answered.');
      const rewound = await child.fork({ beforePrompt: -1, summarize: true });
      await stage.turn(rewound, 'A third way.', done);
      expect(stage.billed().at(-1)?.read).toBeGreaterThanOrEqual(keptOf(before ?? expect.unreachable()));
      const body = stage.bodies.at(-1) ?? '';
      const summary = body.slice(body.lastIndexOf('<branch>')).slice(0, 2_000);
      expect(summary.includes('Prompts:\\n- Another way.') && summary.includes('A third way.')).toBe(true);
      for (const live of [child, rewound]) {
        expect(await epochsOf(stage, live.id)).toEqual(['initial', 'compaction']);
        expect((await relationsOf(stage, live.id)).at(-1)).toBe('inherits');
        await expectSound(stage, live.id);
      }
    },
  );
});

/** Returns the cache key of a body, by which the provider routes the request. */
function routeOf(body: string): unknown {
  return JSON.parse(body)['prompt_cache_key'];
}

/**
 * Returns the number of tokens that a provider keeps in its cache after a call. If writing is free and not reported,
 * the provider keeps the input rounded down to a multiple of 128 tokens.
 */
function keptOf(call: Billed): number {
  return call.written > 0 ? held(call) : call.input - (call.input % 128);
}

async function relationsOf(stage: Stage, id: string): Promise<readonly string[]> {
  return (await recordsOf(stage, id)).flatMap((one) => (one.kind === 'request.prepared' ? [one.data.relation] : []));
}
