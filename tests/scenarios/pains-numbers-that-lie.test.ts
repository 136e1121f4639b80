// Issues about wrong numbers in other projects. Each test is named after its issues, and compares what a session
// reports with what the simulator billed.

import { verifySession } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { defaultCatalog, findModel, priceAt } from '@tidemark/model';
import { defineTool } from '@tidemark/kit';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Billed, Stage } from './billed-stage.ts';
import { encoders, expectOnlyGrowth, held, openStage, recordsOf } from './billed-stage.ts';

const MINUTE = 60_000;
const done: AnswerPlan = { answer: { text: 'Done.' } };

const look = defineTool({
  name: 'look',
  description: 'Looks at the orders of the shop.',
  input: z.object({ bytes: z.number() }),
  effect: 'read',
  run: ({ bytes }) => 'an order '.repeat(Math.ceil(bytes / 9)),
});

function looking(bytes: number): AnswerPlan {
  return { answer: { text: 'I look.', calls: [{ name: 'look', arguments: { bytes } }] } };
}

type Received = Extract<Recorded, { readonly kind: 'answer.received' }>;

async function answersOf(stage: Stage, id: string): Promise<readonly Received[]> {
  return (await recordsOf(stage, id)).filter((one): one is Received => one.kind === 'answer.received');
}

/**
 * Returns the cost of the calls at published prices, in millionths of a US dollar. It is computed from the tokens of
 * each bucket with the test's own arithmetic, independent of the engine's.
 */
function priceOf(model: string, calls: readonly (Billed & { readonly output: number })[]): number {
  const row = findModel(defaultCatalog(), model);
  const price = row && priceAt(row, '2026-11-20', 0);
  if (price === undefined) throw new Error(`no price of ${model}`);
  const short = Number(price.writes['5m'] ?? price.writes['30m'] ?? 0);
  const long = Number(price.writes['1h'] ?? price.writes['12h'] ?? 0);
  return calls.reduce((sum, call) => {
    const written = (call.written - call.long) * short + call.long * long;
    const read = call.read * Number(price.read);
    return sum + call.fresh * Number(price.input) + read + written + call.output * Number(price.output);
  }, 0);
}

function outputOf(stage: Stage): readonly number[] {
  return stage.simulator.calls.map(({ usage, counts }) => usage?.output_tokens ?? counts?.output ?? 0);
}

describe('langfuse#12306, BerriAI/litellm#14849, dust#20989', () => {
  test.each(['claude-sonnet-4-6', 'claude-opus-5-5', 'gpt-5.6-sol', 'gpt-5.4', 'gpt-4.1'])(
    'the recorded cost on %s equals the billed cost, and no token is in two buckets, whether or not the provider counts cached tokens as input',
    async (model) => {
      const stage = await openStage({ model, tools: [look] });
      const live = await stage.open();
      for (let turn = 0; turn < 4; turn += 1) await stage.turn(live, `Question ${turn}.`, looking(8_000), done);
      const answers = await answersOf(stage, live.id);
      const shown = answers.map(({ data: { usage } }) => {
        const written = (usage.writes ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
        return [usage.fresh, usage.read, written];
      });
      const billed = stage.billed();
      expect(shown).toEqual(billed.map(({ fresh, read, written }) => [fresh, read, written]));
      expect(billed.some(({ read }) => read > 1_000)).toBe(true);
      const outputs = outputOf(stage);
      const due = priceOf(
        model,
        billed.map((call, index) => ({ ...call, output: outputs[index] ?? 0 })),
      );
      const recorded = answers.reduce((sum, { data }) => sum + Number(data.cost), 0);
      expect(recorded * 1e6).toBeCloseTo(due, 3);
      const twice = priceOf(
        model,
        billed.map((call, index) => ({ ...call, fresh: call.input, output: outputs[index] ?? 0 })),
      );
      expect(twice).toBeGreaterThan(1.5 * due);
    },
  );
});

describe('FerroxLabs/wayland#1166', () => {
  test('a miss after a change far back in the history is recorded within 20% of the tokens paid again, and `verifySession` names its request', async () => {
    const stage = await openStage({ tools: [look] });
    const live = await stage.open();
    for (let turn = 0; turn < 3; turn += 1) await stage.turn(live, `Question ${turn}.`, looking(8_000), done);
    await live.close();
    const before = stage.billed().at(-1) ?? expect.unreachable();
    const edited = await stage.open({ id: live.id, provider: rewording(stage) });
    await stage.turn(edited, 'And now?', done);
    const after = stage.billed().at(-1) ?? expect.unreachable();
    expect(after.read).toBeLessThan(0.5 * held(before));
    const [last] = (await answersOf(stage, live.id)).slice(-1);
    const paidAgain = held(before) - after.read;
    expect(last?.data.miss?.tokens).toBeGreaterThan(0.8 * paidAgain);
    expect(last?.data.miss?.tokens).toBeLessThan(1.2 * paidAgain);
    const { differences } = await verifySession(stage.log(), sessionId(live.id), { encoders });
    expect(differences.map((one) => one.position)).toEqual([last?.data.request]);
  });

  test('a cache that loses every entry is reported on each call, with all tokens paid again', async () => {
    const stage = await openStage({ tools: [look] });
    const live = await stage.open();
    await stage.turn(live, 'Look.', done);
    for (let turn = 0; turn < 5; turn += 1) await stage.turn(live, 'Again.', { ...done, fault: { kind: 'evicted' } });
    const calls = stage.billed();
    expect(calls.slice(1).map(({ read }) => read)).toEqual([0, 0, 0, 0, 0]);
    const missed = (await answersOf(stage, live.id)).map(({ data }) => data.miss?.tokens);
    expect(missed).toEqual([undefined, ...calls.slice(0, -1).map(held)]);
  });
});

/** Creates a provider that encodes the user's first prompt differently, as another version of the software might. */
function rewording(stage: Stage): Provider {
  const { provider } = stage;
  const { encoder } = provider;
  return {
    ...provider,
    encoder: {
      ...encoder,
      lowerSpan: (span, lowering) =>
        encoder
          .lowerSpan(span, lowering)
          .map((block) => ({ ...block, head: block.head.replace('Question 0', 'Question O') })),
    },
  };
}

test('rajbos/ai-engineering-fluency#2024: of more than 20 calls that look like breaks, only the two real misses are recorded', async () => {
  const stage = await openStage({ tools: [look] });
  const live = await stage.open();
  for (let turn = 0; turn < 12; turn += 1) {
    if (turn === 5) stage.clock.pass(6 * MINUTE);
    const lost = turn === 9 ? [{ ...looking(30_000), fault: { kind: 'evicted' as const } }] : [looking(30_000)];
    await stage.turn(live, `Question ${turn}.`, ...lost, done);
    await live.side({ purpose: 'title', prompt: `A title for question ${turn}.` });
    stage.clock.pass(MINUTE);
  }
  const calls = stage.billed();
  const suspects = calls.filter(({ read, written, fresh }, index) => {
    const before = calls[index - 1];
    return before !== undefined && (read < held(before) || written + fresh > 0.1 * read);
  });
  expect(suspects.length).toBeGreaterThan(20);
  const main = calls.filter((_, index) => index % 3 !== 2);
  const paidAgain = main.flatMap((call, index) => {
    const tokens = held(main[index - 1] ?? call) - call.read;
    return index > 0 && tokens > 0 ? [tokens] : [];
  });
  const misses = (await answersOf(stage, live.id)).flatMap(({ data: { miss } }) => (miss === undefined ? [] : [miss]));
  expect(misses.map(({ tokens }) => tokens)).toEqual(paidAgain);
  expect(paidAgain).toHaveLength(2);
  expect(misses[0]?.cause).toBe('expired');
});

test('liaohch3/claude-tap#437: a cold start and an expired entry both read no tokens, but only the expired entry is recorded as a miss', async () => {
  const stage = await openStage();
  const live = await stage.open();
  await stage.turn(live, 'Begin.', done);
  await stage.turn(live, 'Go on.', done);
  stage.clock.pass(6 * MINUTE);
  const other = await stage.open();
  await stage.turn(other, 'Another conversation.', done);
  stage.clock.pass(6 * MINUTE);
  await stage.turn(live, 'Where were we?', done);
  const [first, second, cold, expired] = stage.billed();
  if (first === undefined || second === undefined) throw new Error('four calls');
  expectOnlyGrowth([first, second]);
  expect([first, cold, expired].map((call) => call?.read)).toEqual([0, 0, 0]);
  const misses = (await answersOf(stage, live.id)).map(({ data }) => data.miss);
  expect(misses).toEqual([undefined, undefined, expect.objectContaining({ cause: 'expired', tokens: held(second) })]);
  expect((await answersOf(stage, other.id)).map(({ data }) => data.miss)).toEqual([undefined]);
});
