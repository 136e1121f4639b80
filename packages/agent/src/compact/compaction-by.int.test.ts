// Tests which writer an automatic compaction uses for the checkpoint. The model writes it if the model reads the
// history from the cache. Otherwise the log alone is used.

import { compactionContract } from '@tidemark/context';
import { position, timestamp } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it, test } from 'vitest';
import type { Played } from '../../tests/small-window.ts';
import { expectRebuilt, playWindow, refusedBy, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';
import type { AskBeside } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import { THIS_MACHINE } from '../concurrency.ts';
import { askForCheckpoint, askerOf } from './ask-for-checkpoint.ts';

const FIELDS = {
  decisions: [{ what: 'Look in order', why: 'it is safer', status: 'settled' }],
  work: [],
  tasks: [{ task: 'Look again', status: 'open' }],
  questions: [],
  risks: [],
  limitations: [],
};

/** System text that is longer than the floor of the cache, so that the model caches it. */
const ROLE = 'Look at everything before you speak, and say what you saw. '.repeat(150);
const look = made('look', () => ({ text: 'seen '.repeat(600) }));
const TIGHT = small('claude-sonnet-4-5', 20_000);

const isAsked = ({ lastUserText }: ReceivedRequest): boolean => lastUserText.includes('replaced by a checkpoint');

interface Asked extends Played {
  readonly asked: readonly ReceivedRequest[];
}

/**
 * Opens a session whose model answers with forty calls of `look`, in a window that has room for about twenty. The
 * parameter `says` returns the model's answer to each question about a checkpoint.
 */
async function full(
  runtime: Partial<Runtime>,
  says: () => AnswerPlan = () => answered(FIELDS),
  believed = TIGHT,
): Promise<Asked> {
  const asked: ReceivedRequest[] = [];
  let step = 0;
  const answer = (sent: ReceivedRequest): AnswerPlan => {
    if (isAsked(sent)) {
      asked.push(sent);
      return says();
    }
    step += 1;
    return { answer: step > 40 ? { text: 'Done.' } : { calls: [{ name: 'look', arguments: { step } }] } };
  };
  const played = await playWindow({
    believed,
    answer,
    runtime: { tools: [look], role: ROLE, compactionBy: 'auto', pruning: 'never', ...runtime },
  });
  return { ...played, asked };
}

const answered = (fields: object): AnswerPlan => ({ answer: { text: JSON.stringify(fields) } });

async function compactions(played: Played): Promise<readonly (readonly [strategy: string, fallback?: string])[]> {
  return (await played.records()).flatMap((one) =>
    one.kind === 'history.compacted'
      ? [one.data.fallback === undefined ? [one.data.strategy] : [one.data.strategy, one.data.fallback]]
      : [],
  );
}

const writers = async (played: Played): Promise<readonly string[]> => [
  ...new Set((await compactions(played)).map(([strategy]) => strategy)),
];

it("each chunk of the history is sent with the model's answer to the chunk before", async () => {
  const asked: string[] = [];
  const ask: AskBeside = async ({ words: [part] }) => {
    asked.push(part?.type === 'text' ? part.text : '');
    const fields = { ...FIELDS, questions: [{ question: `Which part is ${asked.length}?` }] };
    return { parts: [{ type: 'text', text: JSON.stringify(fields) }], request: undefined };
  };
  const played = await full({});
  await played.live.prompt('Look. '.repeat(4_000));
  const records = await played.records();
  const range = { from: position(0), to: position(records.length - 1) };
  const contract = compactionContract({ records, range, chunk: 4_000 });
  const help = await askForCheckpoint({ ask }, contract, 0);
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.map((words) => /your answer so far.*Which part is (\d+)/.exec(words)?.[1])).toEqual(
    asked.map((_, index) => (index === 0 ? undefined : `${index}`)),
  );
  expect(help).toMatchObject({ fields: { questions: [{ question: `Which part is ${asked.length}?` }] } });
});

it('while a waiting checkpoint covers the history, no model is asked unless the order names the model', async () => {
  const played = await full({ tools: [made('look', () => ({ text: 'seen' }))] });
  await played.live.prompt('Look. '.repeat(2_000));
  expect(await played.live.compact({ tailTokens: 100, by: 'deterministic' })).toMatchObject({ outcome: 'compacted' });
  expect(await played.live.compact({ tailTokens: 100 })).toMatchObject({ refused: 'nothing-new' });
  expect(played.asked).toEqual([]);
  const better = await played.live.compact({ tailTokens: 100, by: 'model' });
  expect(better).toMatchObject({ outcome: 'compacted', strategy: 'model-assisted' });
});

describe('a compaction by `auto`', () => {
  it('asks the model, which reads the live prefix from the cache', async () => {
    const played = await full({});
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    expect(await writers(played)).toEqual(['model-assisted']);
    const answers = (await played.records()).flatMap((one) =>
      one.kind === 'answer.received' && one.data.stream !== 'main' ? [one.data.usage] : [],
    );
    expect(answers).toHaveLength(played.asked.length);
    for (const { read = 0, fresh = 0, writes = [] } of answers) {
      const written = writes.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(read / (read + fresh + written)).toBeGreaterThan(0.75);
    }
    expect(refusedBy(played)).toEqual([]);
    await expectRebuilt(played);
  });

  it('asks no model if the prefix is not in the cache any more, and records this reason', async () => {
    let ms = 0;
    const surroundings = { ...THIS_MACHINE, now: () => timestamp(new Date(Date.UTC(2026, 0, 1) + ms).toISOString()) };
    const slow = made('look', () => {
      ms += 3_700_000;
      return { text: 'seen '.repeat(600) };
    });
    const played = await full({ tools: [slow], surroundings });
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    expect(played.asked).toEqual([]);
    const all = await compactions(played);
    expect(all.length).toBeGreaterThan(0);
    for (const [strategy, fallback] of all)
      expect([strategy, fallback]).toEqual([
        'deterministic',
        expect.stringMatching(/about \d+ of its \d+ tokens are in/),
      ]);
  });

  it('asks no model if the history leaves no room for the question', async () => {
    const played = await full({ role: 'Look.' }, undefined, small('claude-sonnet-4-5', 6_000));
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    expect(played.asked).toEqual([]);
    for (const [strategy, fallback] of await compactions(played))
      expect([strategy, fallback]).toEqual(['deterministic', expect.stringContaining('leaves no room')]);
  });

  it('uses the log alone if the question to the model would exceed the cost limit', async () => {
    const free = await full({});
    await free.live.prompt('Look.');
    const records = await free.records();
    const first = records.findIndex(({ kind, data }) => kind === 'request.prepared' && data.purpose === 'compaction');
    const spent = records
      .slice(0, first)
      .flatMap((one) => (one.kind === 'answer.received' && one.data.cost !== undefined ? [Number(one.data.cost)] : []))
      .reduce((sum, cost) => sum + cost, 0);
    // The limit is rounded up, so that it allows the steps before the question.
    const played = await full({ limits: { cost: (spent + 0.000_001).toFixed(6) } });
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'limited' });
    expect(played.asked).toEqual([]);
    expect(await compactions(played)).toEqual([
      ['deterministic', expect.stringMatching(/"compaction" was not made: .* limit: .* of \$/)],
    ]);
  });

  it('uses and records the second answer if the first one is unusable', async () => {
    let asked = 0;
    const played = await full({}, () => ((asked += 1) === 1 ? { answer: { text: 'All is well.' } } : answered(FIELDS)));
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    const compacted = (await played.records()).find(({ kind }) => kind === 'history.compacted');
    expect(compacted).toMatchObject({
      data: {
        strategy: 'model-assisted',
        made: { validation: 'retry', requests: [expect.any(Number), expect.any(Number)] },
      },
    });
  });

  it('uses the log alone after a second unusable answer', async () => {
    const played = await full({}, () => ({ answer: { text: 'All is well.' } }));
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    const all = await compactions(played);
    expect(played.asked).toHaveLength(2 * all.length);
    for (const [strategy, fallback] of all)
      expect([strategy, fallback]).toEqual(['deterministic', expect.stringContaining('no JSON object')]);
  });

  it('asks only once if the provider refuses the question, and then uses the log alone', async () => {
    const refusal = { kind: 'refused', status: 400, type: 'invalid_request_error', message: 'No.' } as const;
    const played = await full({}, () => ({ fault: refusal }));
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    const all = await compactions(played);
    expect([await writers(played), played.asked.length]).toEqual([['deterministic'], all.length]);
  });

  it('sends the question once without a retry, and after a failure does not ask again in the same turn', async () => {
    const long = made('look', () => ({ text: 'seen '.repeat(2_400) }));
    const busy = { kind: 'rate-limited', retryAfter: 600 } as const;
    const played = await full({ tools: [long] }, () => ({ fault: busy }));
    expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    expect((await compactions(played)).length).toBeGreaterThan(1);
    expect([await writers(played), played.asked.length]).toEqual([['deterministic'], 1]);
  });

  it('is not recorded if the user interrupts the turn while the model is asked', async () => {
    const begun = Promise.withResolvers<void>();
    const played = await full({}, () => {
      begun.resolve();
      return { fault: { kind: 'silence' } };
    });
    const turn = played.live.prompt('Look.');
    await begun.promise;
    await played.live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
    expect(played.asked).toHaveLength(1);
    const kinds = await played.kinds();
    expect(kinds).not.toContain('history.compacted');
    expect(kinds).not.toContain('compaction.refused');
  });
});

test('a scripted provider is asked for a checkpoint only if the order names the model', () => {
  const side = (): never => expect.unreachable();
  const provider = createScriptedProvider({ answers: [] });
  expect(askerOf({ runtime: { provider, compactionBy: 'auto' }, side })).toEqual({});
  expect(askerOf({ runtime: { provider, compactionBy: 'auto' }, side }, 'model')).toEqual({
    ask: expect.any(Function),
  });
  expect(askerOf({ runtime: { provider, compactionBy: 'model' }, side }, 'deterministic')).toEqual({});
});

test('a compaction by `deterministic` asks no model', async () => {
  const played = await full({ compactionBy: 'deterministic' });
  await played.live.prompt('Look.');
  expect([await writers(played), played.asked]).toEqual([['deterministic'], []]);
});
