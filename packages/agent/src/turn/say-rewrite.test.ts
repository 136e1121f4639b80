// Tests a step that is billed again for tokens sent before. The step is reported before it is sent. In mode `ask` it
// also needs the user's answer.

import { describe, expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, calls, failure, goLive, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { Question } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Notice } from '../ports/session-event.ts';

const USAGE = { fresh: 0, read: 0, writes: [{ ttl: '5m' as const, tokens: 8_000 }], answer: 5 };
const LONG = 'word '.repeat(8_000);
const EARLY = { tokens: 1_000 };
const look = made('look', () => ({ text: 'seen' }));

/** Returns a session with an answered long first prompt, and all later notices. */
async function behindLong(
  runtime: Partial<Runtime>,
  mode: 'auto' | 'ask' = 'ask',
  provider = answering(says('read', { usage: USAGE }), says('more'), says('and more')),
): Promise<Live & { readonly notices: readonly Notice[]; readonly sent: () => number }> {
  const held = await goLive({ provider, runtime: { rewriteNotice: EARLY, ...runtime }, open: { mode } });
  await held.live.prompt(LONG);
  const notices: Notice[] = [];
  const listen = async (): Promise<void> => {
    for await (const event of held.live.events()) if (event.type === 'notice.raised') notices.push(event.notice);
  };
  void listen();
  return { ...held, notices, sent: () => provider.sent.length };
}

/**
 * Returns a user who gives these answers in order and then always answers yes. Also returns the list of questions
 * asked.
 */
function person(...answers: readonly ('allowed' | 'denied')[]): {
  readonly asked: Question[];
  readonly ask: NonNullable<Runtime['ask']>;
} {
  const asked: Question[] = [];
  return { asked, ask: async (question) => answers[asked.push(question) - 1] ?? 'allowed' };
}

describe('a step that writes more tokens again than the threshold', () => {
  test('is reported with its cause, tokens and cost, and is sent without a question outside of mode `ask`', async () => {
    const { live, notices, sent } = await behindLong({}, 'auto');
    live.setTools([look]);
    expect(await live.prompt('go on')).toMatchObject({ outcome: 'completed' });
    expect(sent()).toBe(2);
    expect(notices).toEqual([
      {
        code: 'turn/rewrite',
        message: expect.stringMatching(/^the tool list changed: \d,\d{3} tokens are written again, \$0\.0\d{3}$/),
        next: 'Interrupt to stop before the answer.',
      },
    ]);
  });

  test('is reported with the cause `expired` after an expiry, and not reported if it reads everything from the cache', async () => {
    const { live, notices, pass } = await behindLong({}, 'auto');
    pass(299_000);
    await live.prompt('in time');
    expect(notices).toEqual([]);
    pass(301_000);
    await live.prompt('too late');
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the cache entry had expired: \d,\d{3} tokens/),
    ]);
  });

  test('becomes a question with the same text in mode ask', async () => {
    const { ask, asked } = person('allowed');
    const { live, notices, sent } = await behindLong({ ask });
    live.setTools([look]);
    await live.prompt('go on');
    expect(asked).toEqual([
      {
        about: 'rewrite',
        step: 1,
        rewrite: { cause: 'tools', tokens: expect.any(Number), cost: expect.stringMatching(/^0\.0/) },
        title: expect.stringMatching(/^the tool list changed: /),
        rule: 'ask/rewrite',
      },
    ]);
    expect({ notices, sent: sent() }).toEqual({ notices: [], sent: 2 });
  });

  test('is reported once for all its attempts, and a yes applies to that step only', async () => {
    const bad = says('', { fault: { after: 0, error: failure() } });
    const provider = answering(says('read', { usage: USAGE }), bad, says('more', { usage: USAGE }), says('yet more'));
    const { ask, asked } = person();
    const { live, pass } = await behindLong({ ask }, 'ask', provider);
    live.setTools([look]);
    const turn = live.prompt('go on');
    for await (const event of turn) if (event.type === 'notice.raised') pass(60_000);
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'more' });
    expect(asked).toHaveLength(1);
    pass(301_000);
    await live.prompt('once more');
    expect(asked.map((one) => one.about === 'rewrite' && [one.step, one.rewrite.cause])).toEqual([
      [1, 'tools'],
      [2, 'expired'],
    ]);
  });

  test('is not sent after a no: the turn ends before the request is recorded, and resume asks again', async () => {
    const { ask, asked } = person('denied', 'allowed');
    const { live, kinds, sent } = await behindLong({ ask });
    live.setTools([look]);
    const before = (await kinds()).length;
    expect(await live.prompt('go on')).toMatchObject({
      outcome: 'limited',
      error: {
        code: 'turn/rewrite-declined',
        message: expect.stringMatching(/^step 1 was not sent: the user declined \(the tool list changed: /),
      },
    });
    expect((await kinds()).slice(before)).toEqual(['turn.started', 'prompt.given', 'turn.ended']);
    expect(sent()).toBe(1);
    expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'more' });
    expect(asked).toHaveLength(2);
  });

  test('is sent without a question if the cause is undone after a no', async () => {
    const { ask, asked } = person('denied');
    const { live, records } = await behindLong({ ask });
    live.setTools([look]);
    await live.prompt('go on');
    live.setTools([]);
    expect(await live.resume()).toMatchObject({ outcome: 'completed' });
    expect(asked).toHaveLength(1);
    expect((await records()).filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
  });

  test('is not sent if asking fails, and the error reports this', async () => {
    const { live, sent } = await behindLong({ ask: () => Promise.reject(new Error('the terminal is gone')) });
    live.setTools([look]);
    expect(await live.prompt('go on')).toMatchObject({
      outcome: 'limited',
      error: { message: expect.stringContaining('asking the user failed: the terminal is gone') },
    });
    expect(sent()).toBe(1);
  });

  test('blocks nothing while it is asked about: steered text is sent with it, and an interrupt ends the turn', async () => {
    const questions: PromiseWithResolvers<'allowed'>[] = [];
    const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const ask: Runtime['ask'] = () => {
      const question = Promise.withResolvers<'allowed'>();
      reached[questions.push(question) === 1 ? 0 : 1].resolve();
      return question.promise;
    };
    const { live, records, pass, sent } = await behindLong({ ask });
    live.setTools([look]);
    const turn = live.prompt('go on');
    await reached[0].promise;
    await live.steer('and mind the step');
    questions[0]?.resolve('allowed');
    expect(await turn).toMatchObject({ outcome: 'completed' });
    const order = (await records()).map(({ kind }) => kind);
    expect(order.lastIndexOf('prompt.given')).toBeLessThan(order.lastIndexOf('request.prepared'));

    pass(301_000);
    const second = live.prompt('later');
    await reached[1].promise;
    await live.interrupt();
    expect(await second).toMatchObject({ outcome: 'interrupted' });
    expect(sent()).toBe(2);
  });
});

test('no rewrite is reported below the threshold, for a first request, or if no threshold is set', async () => {
  const { notices, live } = await behindLong({ rewriteNotice: { tokens: 100_000, cost: '1' } }, 'auto');
  live.setTools([look]);
  await live.prompt('go on');
  const never = await behindLong({ rewriteNotice: {} }, 'auto');
  never.live.setTools([look]);
  await never.live.prompt('go on');
  const provider = answering(calls(['c1', 'look']), says('done'));
  const fresh = await goLive({ provider, runtime: { rewriteNotice: { tokens: 1 }, tools: [look] } });
  const told: string[] = [];
  const turn = fresh.live.prompt(LONG);
  for await (const event of turn) told.push(event.type);
  expect([...notices, ...never.notices]).toEqual([]);
  expect(told).not.toContain('notice.raised');
});

test('a rewrite is reported if it reaches only the cost threshold', async () => {
  const { live, notices } = await behindLong({ rewriteNotice: { cost: '0.01' } }, 'auto');
  live.setTools([look]);
  await live.prompt('go on');
  expect(notices).toHaveLength(1);
});
