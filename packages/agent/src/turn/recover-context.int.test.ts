// Tests a turn whose context grows beyond its window, with the real loop against the simulator. The simulator refuses
// requests that are too long and checks every signature.

import type { Capabilities } from '@tidemark/model';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';
import { ID } from '../../tests/small-session.ts';
import type { Played } from '../../tests/small-window.ts';
import { expectRebuilt, playWindow, refusedBy, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';
import type { ContextSource } from '../ports/context-source.ts';

type Thinking = 'none' | 'thinking';

/** Returns a plan that calls `look` the given number of times, with or without thinking, and then ends the turn. */
function steps(count: number, kind: Thinking): (sent: ReceivedRequest) => AnswerPlan {
  let step = 0;
  return () => {
    step += 1;
    if (step > count) return { answer: { text: 'Done.' } };
    const calls = [{ name: 'look', arguments: { step } }];
    return { answer: { ...(kind === 'thinking' && { thinking: `What is in ${step}?` }), calls } };
  };
}

const look = made('look', () => ({ text: 'seen '.repeat(300) }));

async function triggersOf({ records }: Played): Promise<readonly string[]> {
  return (await records()).flatMap(({ kind, data }) =>
    kind === 'history.compacted' || kind === 'compaction.refused' ? [`${kind} ${data.trigger}`] : [],
  );
}

const believed = small('claude-sonnet-4-5', 200_000);
const real = small('claude-sonnet-4-5', 9_000);
const LONG = 'Look at everything. '.repeat(4_000);

describe('a request that the provider refuses as too long', () => {
  it('is sent again with a checkpoint, and a notice reports the freed tokens', async () => {
    const played = await playWindow({ believed, real, answer: steps(30, 'none'), runtime: { tools: [look] } });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([refusedBy(played), await triggersOf(played)]).toEqual([[400], ['history.compacted overflow_recovery']]);
    expect(played.notices).toMatchObject([
      {
        code: 'context/compacted',
        tier: 'recovery',
        message: expect.stringMatching(/^overflow_recovery: .* tokens, which frees \d+$/),
      },
    ]);
    await expectRebuilt(played);
  });

  it('keeps less of the tail with each compaction until the provider accepts it', async () => {
    let refused = 0;
    const shrinking = (): Capabilities => small('claude-sonnet-4-5', refused === 0 ? 9_000 : 4_000);
    const runtime = { tools: [look] };
    const played = await playWindow({ believed, real: shrinking, answer: steps(30, 'none'), runtime });
    void (async () => {
      for await (const event of played.live.events())
        if (event.type === 'recorded' && event.record.kind === 'answer.failed') refused += 1;
    })();
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const kept = (await played.records()).flatMap((one) =>
      one.kind === 'history.compacted' ? [one.data.after ?? 0] : [],
    );
    expect(kept.length).toBeGreaterThan(1);
    expect(kept[1]).toBeLessThan((kept[0] ?? 0) * 0.8);
    await expectRebuilt(played);
  });

  it('fails with instructions if only the user may compact, and the turn continues after a compaction by the user', async () => {
    const runtime = { tools: [look], compaction: 'manual' } as const;
    const played = await playWindow({ believed, real, answer: steps(30, 'none'), runtime });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({
      outcome: 'failed',
      error: { code: 'provider/too-long', next: expect.stringContaining('tidemark compact') },
    });
    expect([await triggersOf(played), played.notices]).toEqual([[], []]);
    await played.live.compact({ tailTokens: 2_000 });
    expect(await played.live.resume()).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(played.bodies.at(-1)).toContain('Look at everything.');
    await expectRebuilt(played);
  });

  it('ends the turn as unfit with the sizes of its parts after at most two compaction attempts, and the next prompt is answered', async () => {
    const played = await playWindow({ believed, real, answer: steps(0, 'none'), runtime: { tools: [look] } });
    const unfit = {
      outcome: 'failed',
      error: { code: 'turn/context-unfit', message: expect.stringContaining('user at 3') },
    };
    expect(await played.live.prompt(LONG)).toMatchObject(unfit);
    expect(await played.live.resume()).toMatchObject(unfit);
    expect(await played.live.resume()).toMatchObject(unfit);
    expect(await triggersOf(played)).toEqual(Array(2).fill('compaction.refused overflow_recovery'));
    expect(await played.live.prompt('In short?')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    await expectRebuilt(played);
  });

  it('shortens the results of the current batch as the last measure, with a notice that names where the whole can be read', async () => {
    const huge = made('look', () => ({ text: 'seen '.repeat(9_000) }));
    const played = await playWindow({ believed, real, answer: steps(3, 'none'), runtime: { tools: [huge] } });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(played.bodies.at(-1)).toMatch(
      /characters are shown\. The whole is at position \d+: read it with history_read\./,
    );
    await expectRebuilt(played);
  });
});

describe('an answer that is cut because the window is full', () => {
  const { window, ...rest } = small('claude-sonnet-4-5', 9_000);
  /** Catalog row whose window of 9,100 tokens includes the output. */
  const tight: Capabilities = { ...rest, window: { ...window, tokens: 9_100, sharedWithOutput: 'stops' } };
  const LAST = 'This is what I saw in the end. '.repeat(40);

  /**
   * Returns a plan that calls `look` 22 times, after which only a short answer fits. The next answer does not fit. The
   * answer after that is short.
   */
  function untilFull(): (sent: ReceivedRequest) => AnswerPlan {
    let step = 0;
    return () => {
      step += 1;
      if (step <= 22) return { answer: { calls: [{ name: 'look', arguments: { step } }] } };
      return { answer: { text: step === 23 ? LAST.repeat(3) : 'That is all.' } };
    };
  }

  it('counts as an overflow: the history is compacted, and the model continues the answer', async () => {
    const played = await playWindow({ believed, real: tight, answer: untilFull(), runtime: { tools: [look] } });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({
      outcome: 'completed',
      text: 'That is all.',
    });
    expect(await triggersOf(played)).toEqual(['history.compacted overflow_recovery']);
    expect(played.notices).toMatchObject([{ code: 'context/compacted', tier: 'recovery' }]);
    const body = played.bodies.at(-1);
    for (const said of [
      '<checkpoint>',
      'This is what I saw',
      'because the context window was full',
      'Continue exactly where',
    ])
      expect(body).toContain(said);
    expect(refusedBy(played)).toEqual([]);
    await expectRebuilt(played);
  });

  it('ends the turn with the command to run if only the user may compact, and the turn continues after that command', async () => {
    const runtime = { tools: [look], compaction: 'manual' } as const;
    const played = await playWindow({ believed, real: tight, answer: untilFull(), runtime });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({
      outcome: 'failed',
      error: { code: 'turn/window-full', next: expect.stringContaining(`tidemark compact ${ID}`) },
    });
    expect([await triggersOf(played), played.notices]).toEqual([[], []]);
    await played.live.compact({ tailTokens: 2_000 });
    expect(await played.live.resume()).toMatchObject({ outcome: 'completed', text: 'That is all.' });
    await expectRebuilt(played);
  });
});

describe('pressure', () => {
  it('compacts nothing automatically if only the user may compact', async () => {
    const runtime = { tools: [look], compaction: 'manual' } as const;
    const played = await playWindow({
      believed: small('claude-sonnet-4-5', 9_000),
      answer: steps(22, 'none'),
      runtime,
    });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed' });
    expect(await triggersOf(played)).toEqual([]);
  });

  it('compacts from the hard budget on under the policy `auto`, before the tier `critical`', async () => {
    const triggers = async (compaction: 'auto' | 'preflight'): Promise<readonly string[]> => {
      const setting = { believed: small('claude-sonnet-4-5', 40_000), answer: steps(65, 'none') };
      const played = await playWindow({ ...setting, runtime: { tools: [look], compaction } });
      await played.live.prompt('Look at everything.');
      return triggersOf(played);
    };
    expect([await triggers('preflight'), await triggers('auto')]).toEqual([[], ['history.compacted auto']]);
  });

  it('repeats the notes of the sources after a checkpoint, during the turn', async () => {
    const place: ContextSource = {
      name: 'place',
      revision: () => 'r1',
      render: (_view, cause) => `You are here (${cause}).`,
      affectedBy: () => false,
    };
    const runtime = { tools: [look], sources: [place] };
    const played = await playWindow({
      believed: small('claude-sonnet-4-5', 12_000),
      answer: steps(40, 'thinking'),
      runtime,
    });
    expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([refusedBy(played), played.bodies.filter((body) => !body.includes('You are here'))]).toEqual([[], []]);
    expect(played.bodies.at(-1)).toContain('You are here (compacted-away).');
    await expectRebuilt(played);
  });
});
