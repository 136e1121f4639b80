// Tests compactions that a user starts, against the simulator. The bills come from the simulator's accounts, and every
// request is rebuilt from the log.

import { timestamp } from '@tidemark/log';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';

import type { Played } from '../../tests/small-window.ts';
import { expectRebuilt, playWindow, refusedBy, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';
import { THIS_MACHINE } from '../concurrency.ts';
import type { CompactionReport } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';

/** System text that is longer than the floor of the cache, so that the model caches it. */
const ROLE = 'Look at everything before you speak, and say what you saw. '.repeat(150);
const look = made('look', () => ({ text: 'seen '.repeat(600) }));
const believed = small('claude-sonnet-4-5', 200_000);

/**
 * Returns the answers of the simulator. `then` is asked first. If it returns `undefined`, the answer is a call of
 * `look` the first ten times, and `Done.` after that.
 */
function looks(
  then: (sent: ReceivedRequest) => AnswerPlan | undefined = () => undefined,
): (sent: ReceivedRequest) => AnswerPlan {
  let step = 0;
  return (sent) => {
    const said = then(sent);
    if (said !== undefined) return said;
    step += 1;
    return { answer: step > 10 ? { text: 'Done.' } : { calls: [{ name: 'look', arguments: { step } }] } };
  };
}

async function worked(
  then?: (sent: ReceivedRequest) => AnswerPlan | undefined,
  runtime?: Partial<Runtime>,
): Promise<Played> {
  const played = await playWindow({
    believed,
    answer: looks(then),
    runtime: { tools: [look], role: ROLE, ...runtime },
  });
  expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed' });
  return played;
}

const isAsked = ({ lastUserText }: ReceivedRequest): boolean => lastUserText.includes('replaced by a checkpoint');

const FIELDS = {
  objective: 'Look at everything twice.',
  decisions: [{ what: 'Look in order', why: 'it is safer', status: 'settled' }],
  work: [],
  tasks: [{ task: 'Look again', status: 'open' }],
  questions: [],
  risks: [],
  limitations: [],
};

describe('`compact`', () => {
  it('replaces older history by a checkpoint from the next request on, and the front is read from the cache', async () => {
    const played = await worked();
    const report = await played.live.compact({ tailTokens: 2_000 });
    expect(report).toMatchObject({ outcome: 'compacted', trigger: 'manual', strategy: 'deterministic', keeps: [] });
    expect(await played.live.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const after = played.simulator.calls.at(-1);
    expect(played.bodies.at(-1)).toContain('<checkpoint>');
    expect(played.bodies.at(-1)?.length).toBeLessThan((played.bodies.at(-2)?.length ?? 0) / 2);
    const kinds = await played.kinds();
    expect(kinds.slice(report.position)).toEqual([
      'history.compacted',
      'turn.started',
      'prompt.given',
      'epoch.opened',
      'request.prepared',
      'answer.received',
      'turn.ended',
    ]);
    expect(after?.usage?.cache_read_input_tokens).toBeGreaterThan(1_500);
    expect(after?.usage?.cache_creation_input_tokens).toBeLessThan(4_000);
    await expectRebuilt(played);
  });

  it('records nothing in a dry run and returns the sizes and the price', async () => {
    const played = await worked();
    const before = await played.records();
    const report = await played.live.compact({ tailTokens: 2_000, dryRun: true });
    expect(report).toMatchObject({ outcome: 'planned', rewrite: { cost: expect.any(String) } });
    expect(report.sizes.after).toBeLessThan(0.8 * report.sizes.before);
    expect(await played.records()).toEqual(before);
  });

  it('keeps the checkpoint within the given tokens', async () => {
    const played = await worked();
    const own = await played.live.compact({ tailTokens: 2_000, dryRun: true });
    const less = await played.live.compact({ tailTokens: 2_000, checkpointTokens: 600 });
    expect(less).toMatchObject({ outcome: 'compacted' });
    expect(less.sizes.parts.checkpoint).toBeLessThan(own.sizes.parts.checkpoint);
  });

  it('returns a refusal with its sizes if too little would become free', async () => {
    const played = await worked();
    expect(await played.live.compact({ tailTokens: 100_000 })).toMatchObject({ outcome: 'refused' });
    expect((await played.records()).at(-1)).toMatchObject({ kind: 'compaction.refused', data: { trigger: 'manual' } });
  });
});

describe('the price of `compact`', () => {
  const planned = (played: Played): Promise<CompactionReport> =>
    played.live.compact({ tailTokens: 2_000, dryRun: true });

  it('compares the forecasts of the next call with and without the compaction, and the call is billed as forecast', async () => {
    const played = await worked();
    const { next, rewrite } = await planned(played);
    const { tokens, cost } = (await played.live.forecast('.')) ?? {};
    expect(next?.uncompacted).toEqual({ tokens, cost });
    expect(rewrite?.tokens).toBeGreaterThan(1_000);
    await played.live.compact({ tailTokens: 2_000 });
    expect((await played.live.forecast('.'))?.tokens).toEqual(next?.compacted.tokens);
    await played.live.prompt('.');
    const usage = played.simulator.calls.at(-1)?.usage;
    const billed = (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
    const { read = 0, written = 0 } = next?.compacted.tokens ?? {};
    expect(Math.abs(read + written - billed)).toBeLessThan(0.1 * billed);
  });

  it('has no tokens that are paid again if the model was changed before', async () => {
    const played = await worked();
    const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: played.url });
    await played.live.setModel({ provider, capabilities: small('claude-opus-4-5', 200_000) });
    const { next, rewrite } = await planned(played);
    expect([rewrite, next?.uncompacted.tokens.read]).toEqual([undefined, 0]);
    expect(Number(next?.compacted.cost)).toBeLessThan(Number(next?.uncompacted.cost));
  });

  it('has no tokens that are paid again if the cache entries have expired', async () => {
    let pause = 0;
    const now = (): ReturnType<typeof THIS_MACHINE.now> =>
      timestamp(new Date(Date.parse(THIS_MACHINE.now()) + pause).toISOString());
    const played = await worked(undefined, { surroundings: { ...THIS_MACHINE, now } });
    expect((await planned(played)).rewrite?.tokens).toBeGreaterThan(1_000);
    pause = 24 * 3_600_000;
    const { next, rewrite } = await planned(played);
    expect([rewrite, next?.uncompacted.tokens.read]).toEqual([undefined, 0]);
  });
});

describe('`compact` twice with nothing in between', () => {
  it('refuses the second call if a waiting checkpoint already covers the same range', async () => {
    const played = await worked();
    for (const tail of [{}, { tailTokens: 2_000 }]) {
      await played.live.compact({ tailTokens: 2_000 });
      const records = await played.records();
      expect(await played.live.compact({ ...tail, dryRun: true })).toMatchObject({ refused: 'nothing-new' });
      expect(await played.records()).toEqual(records);
      expect(await played.live.compact(tail)).toMatchObject({ outcome: 'refused', refused: 'nothing-new' });
      const refused = { kind: 'compaction.refused', data: { trigger: 'manual', reason: 'nothing-new' } };
      expect((await played.records()).slice(records.length)).toMatchObject([refused]);
    }
    await played.live.prompt('And now?');
    expect((await played.kinds()).filter((kind) => kind === 'history.compacted')).toHaveLength(1);
    await expectRebuilt(played);
  });

  it('accepts a second call that covers more history, and one further call in which a model writes the checkpoint', async () => {
    const played = await worked((sent) => (isAsked(sent) ? { answer: { text: JSON.stringify(FIELDS) } } : undefined));
    const order = { tailTokens: 2_000, by: 'model' } as const;
    expect(await played.live.compact({ tailTokens: 4_000 })).toMatchObject({ outcome: 'compacted' });
    expect(await played.live.compact({ tailTokens: 2_000 })).toMatchObject({ outcome: 'compacted' });
    expect(await played.live.compact(order)).toMatchObject({ outcome: 'compacted', strategy: 'model-assisted' });
    expect(await played.live.compact(order)).toMatchObject({ outcome: 'refused', refused: 'nothing-new' });
    await played.live.prompt('And now?');
    expect(played.bodies.at(-1)).toContain('Look in order');
    await expectRebuilt(played);
  });
});

describe('`compact` with a model', () => {
  it("places the question after the live prefix, which is read from the cache, and adds the model's answer to the checkpoint", async () => {
    const played = await worked((sent) => (isAsked(sent) ? { answer: { text: JSON.stringify(FIELDS) } } : undefined));
    const report = await played.live.compact({ tailTokens: 2_000, by: 'model' });
    expect(report).toMatchObject({ outcome: 'compacted', strategy: 'model-assisted' });
    const [last, asked] = played.simulator.calls.slice(-2).map(({ usage }) => usage);
    const held = (last?.cache_read_input_tokens ?? 0) + (last?.cache_creation_input_tokens ?? 0);
    expect(asked?.cache_read_input_tokens).toBe(held);
    await played.live.prompt('And now?');
    expect(played.bodies.at(-1)).toContain('Look in order');
    await expectRebuilt(played);
  });

  it('asks once more after an unusable answer and names the error, and then builds the checkpoint from the log alone', async () => {
    const asked: string[] = [];
    const played = await worked((sent) => {
      if (!isAsked(sent)) return undefined;
      asked.push(sent.lastUserText);
      return { answer: { calls: [{ name: 'look', arguments: {} }] } };
    });
    const report = await played.live.compact({ tailTokens: 2_000, by: 'model' });
    expect(report).toMatchObject({ outcome: 'compacted', strategy: 'deterministic' });
    expect(report.fallback).toContain('called tools (look)');
    expect(asked.map((words) => words.includes('That answer cannot be used: it called tools (look)'))).toEqual([
      false,
      true,
    ]);
    expect(refusedBy(played)).toEqual([]);
  });

  it('asks in chunks if the live prefix leaves no room for the question', async () => {
    const asked: boolean[] = [];
    const tight = small('claude-sonnet-4-5', 6_000);
    const answer = looks((sent) => {
      if (!isAsked(sent)) return undefined;
      asked.push(sent.lastUserText.includes('<history>'));
      return { answer: { text: JSON.stringify(FIELDS) } };
    });
    const played = await playWindow({
      believed: tight,
      answer,
      runtime: { tools: [look], compactionBy: 'model' },
    });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed' });
    expect([...new Set(asked)]).toEqual([true]);
    expect(refusedBy(played)).toEqual([]);
    await expectRebuilt(played);
  });
});
