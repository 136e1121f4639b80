// L7: the forecast of the next call equals the bill of that call. The bill is the one of the simulator.

import type { NextCall, AgentSession } from '@tidemark/kit';
import type { RecordedOf } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import type { Stage } from './billed-stage.ts';
import { expectSound, openStage, recordsOf } from './billed-stage.ts';

const MODELS = ['claude-sonnet-4-6', 'claude-opus-5-5', 'gpt-5.6-sol', 'gpt-5.4'] as const;
const LONG = Array.from({ length: 900 }, (_, line) => `Order ${line} is packed and waits for its truck.`).join('\n');
const WORDS = 'What follows from that?';
const done: AnswerPlan = { answer: { text: 'Done.' } };

async function worked(stage: Stage): Promise<AgentSession> {
  const live = await stage.open();
  await stage.turn(live, `Look at the orders.\n${LONG}`, done);
  await stage.turn(live, 'Count the trucks.', done);
  return live;
}

async function foreseen(live: AgentSession): Promise<NextCall> {
  const next = await live.forecast(WORDS);
  if (next === undefined) throw new Error('a turn runs');
  return next;
}

/** Sends the prompt of the forecast, and compares the forecast with the bill and with the record of the request. */
async function expectBilled(
  stage: Stage,
  live: AgentSession,
  { tokens, cost }: Pick<NextCall, 'tokens' | 'cost'>,
  within = 0.01,
): Promise<void> {
  await stage.turn(live, WORDS, done);
  const bill = stage.billed().at(-1);
  const request = (await recordsOf(stage, live.id)).findLast(isRequest);
  const { read, write: written, fresh, cost: recorded } = request?.data.forecast ?? {};
  expect({ tokens, cost }).toEqual({ tokens: { read, written, fresh }, cost: recorded });
  if (bill === undefined) throw new Error('the simulator billed no call');
  // Only the new words are estimated. Everything else was counted by an earlier call.
  expect(Math.abs(tokens.read - bill.read)).toBeLessThanOrEqual(within * bill.input);
  expect(Math.abs(sum(tokens) - bill.input)).toBeLessThanOrEqual(within * bill.input);
}

const isRequest = (one: { readonly kind: string }): one is RecordedOf<'request.prepared'> =>
  one.kind === 'request.prepared';
const sum = ({ read, written, fresh }: NextCall['tokens']): number => read + written + fresh;

describe.each(MODELS)('the forecast of the next call on %s', (model) => {
  test('equals the bill while the cache entry is alive', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    const next = await foreseen(live);
    expect(next).toMatchObject({ model, reported: false });
    expect(next.tokens.read).toBeGreaterThan(0.9 * sum(next.tokens));
    expect(next.rewrite).toBeUndefined();
    await expectBilled(stage, live, next);
  });

  test('equals the bill after the entry has expired, at the time that it names', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    const { expires, expired, cost } = await foreseen(live);
    if (expires === undefined || expired === undefined) throw new Error('the entry has no time of expiry');
    stage.clock.pass(milliseconds(expires) - stage.clock.now - 1);
    expect((await foreseen(live)).cost).toBe(cost);
    stage.clock.pass(1);
    const late = await foreseen(live);
    expect(late).toMatchObject({ tokens: expired.tokens, cost: expired.cost, rewrite: { cause: 'expired' } });
    expect(Number(late.cost)).toBeGreaterThan(Number(cost));
    await expectBilled(stage, live, expired);
  });

  test('equals the bill after the reasoning changed', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    live.setReasoning({ effort: 'low' });
    const next = await foreseen(live);
    await expectBilled(stage, live, next);
  });

  test('equals the bill after a compaction', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    const before = await foreseen(live);
    expect(await live.compact({ tailTokens: 500 })).toMatchObject({ outcome: 'compacted' });
    const next = await foreseen(live);
    expect(sum(next.tokens)).toBeLessThan(0.5 * sum(before.tokens));
    // No call has counted the tokens of the checkpoint yet.
    await expectBilled(stage, live, next, 0.05);
  });

  test('is the same in a process that opens the session later', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    const here = await foreseen(live);
    await live.close();
    const there = await stage.open({ id: live.id });
    expect(await foreseen(there)).toEqual(here);
    await expectBilled(stage, there, here);
  });

  test('records nothing and sends nothing, and the session stays sound', async () => {
    const stage = await openStage({ model });
    const live = await worked(stage);
    const before = [await recordsOf(stage, live.id), stage.billed().length] as const;
    await foreseen(live);
    await foreseen(live);
    expect([await recordsOf(stage, live.id), stage.billed().length]).toEqual(before);
    await stage.turn(live, WORDS, done);
    await foreseen(live);
    await stage.turn(live, 'And now?', done);
    await expectSound(stage, live.id);
  });
});

test('the forecast after a change of the model is within 20% of the bill', async () => {
  const stage = await openStage({ model: 'claude-sonnet-4-6' });
  const live = await worked(stage);
  await live.setModel('claude-opus-5-5', { provider: stage.reach('claude-opus-5-5') });
  const next = await foreseen(live);
  expect(next).toMatchObject({ model: 'claude-opus-5-5', tokens: { read: 0 }, rewrite: { cause: 'model' } });
  // The new model counts other tokens, and it has counted none of this text yet.
  await expectBilled(stage, live, next, 0.2);
});

test('the forecast of the first call of a session has no entry that could expire', async () => {
  const stage = await openStage({ model: 'claude-sonnet-4-6' });
  const live = await stage.open();
  const next = await foreseen(live);
  expect(next).toMatchObject({ tokens: { read: 0 } });
  expect([next.expires, next.expired, next.rewrite]).toEqual([undefined, undefined, undefined]);
  expect(await recordsOf(stage, live.id)).toHaveLength(2);
});

test('there is no forecast while a turn runs', async () => {
  const stage = await openStage({ model: 'claude-sonnet-4-6' });
  const live = await stage.open();
  stage.simulator.next(done);
  const turn = live.prompt('Begin.');
  expect(await live.forecast()).toBeUndefined();
  await turn;
  expect(await live.forecast()).toBeDefined();
});
