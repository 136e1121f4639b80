import { describe, expect, test } from 'vitest';
import { answering, calls, failure, goLive, hanging, heldBy, inTurn, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { ticks } from '../../tests/ticks.ts';
import type { ContextSource } from '../ports/context-source.ts';
import type { SessionEvent } from '../ports/session-event.ts';

const look = made('look', () => ({ text: 'seen' }));
const NOW = { fresh: 100, read: 0, writes: [], answer: 50 };

describe('a turn', () => {
  test('asks the model, runs the calls, asks again, and ends with the text of the last answer', async () => {
    const { live, records } = await goLive({
      provider: answering(calls(['c1', 'look'], ['c2', 'look']), says('done')),
      runtime: { tools: [look] },
    });
    const finished = await live.prompt('go');
    expect(finished).toMatchObject({
      outcome: 'completed',
      text: 'done',
      error: undefined,
      totals: { steps: 2, calls: 2 },
    });
    const all = await records();
    expect(all.map(({ kind }) => kind)).toEqual([
      'session.created',
      'mode.changed',
      'turn.started',
      'prompt.given',
      'epoch.opened',
      'request.prepared',
      'answer.received',
      'permission.decided',
      'tool.started',
      'permission.decided',
      'tool.started',
      'tool.returned',
      'tool.returned',
      'request.prepared',
      'answer.received',
      'turn.ended',
    ]);
    const turns = all.slice(2).map(({ turn }) => turn);
    expect(new Set(turns).size).toBe(1);
    expect(turns[0]).toBeDefined();
    expect(finished.position).toBe(all.length - 1);
    expect(live.running).toBe(false);
  });

  test('puts the notes of its sources before the prompt', async () => {
    const source: ContextSource = {
      name: 'place',
      revision: () => 'r1',
      render: () => 'here',
      affectedBy: () => false,
    };
    const provider = answering(says('done'));
    const { live, kinds } = await goLive({ provider, runtime: { sources: [source] } });
    await live.prompt('go');
    expect((await kinds()).slice(2, 5)).toEqual(['context.noted', 'turn.started', 'prompt.given']);
    const [body] = provider.sent.map((sent) => heldBy(sent.body));
    expect(body?.findIndex((text) => text.includes('here'))).toBeLessThan(body?.indexOf('go') ?? 0);
  });

  test('passes a copy of each body to `onRequest` before it is sent, and continues if `onRequest` throws', async () => {
    const provider = answering(says('done'));
    const shown: number[] = [];
    const { live } = await goLive({
      provider,
      runtime: {
        onRequest: (body) => {
          shown.push(body.length);
          body.fill(0);
          throw new Error('no');
        },
      },
    });
    const turn = live.prompt('go');
    const told = Array.fromAsync(turn);
    expect(await turn).toMatchObject({ outcome: 'completed' });
    expect(shown).toEqual([provider.sent[0]?.body.length]);
    expect(provider.sent[0]?.body.some((byte) => byte !== 0)).toBe(true);
    expect(notices(await told)).toEqual(['turn/on-request-failed']);
  });

  test('refuses a blank prompt before anything is recorded', async () => {
    const { live, kinds } = await goLive({ provider: answering() });
    expect(() => live.prompt(' \n')).toThrow(expect.objectContaining({ code: 'agent/nothing-to-send' }));
    expect(await kinds()).toEqual(['session.created', 'mode.changed']);
  });
});

describe('a call that fails', () => {
  test('is sent again after a pause as the next attempt, and a notice reports the pause', async () => {
    const { live, records, pass } = await goLive({
      provider: answering(says('', { fault: { after: 0, error: failure() } }), says('done')),
    });
    const turn = live.prompt('go');
    const told = listening(turn, ({ type }) => type === 'notice.raised' && pass(1_000));
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'done' });
    const all = await records();
    expect(all.flatMap((one) => (one.kind === 'answer.failed' ? [one.data] : []))).toMatchObject([
      { step: 0, class: 'retryable', code: 'provider/overloaded', retry: true },
    ]);
    expect(all.flatMap((one) => (one.kind === 'request.prepared' ? [[one.data.step, one.data.attempt]] : []))).toEqual([
      [0, 0],
      [0, 1],
    ]);
    const events = await told;
    expect(notices(events)).toEqual(['turn/retrying']);
    const [failed] = all.filter(({ kind }) => kind === 'answer.failed');
    const [notice] = events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : []));
    expect(notice?.retry).toMatchObject({ attempt: 2, of: 3 });
    const pause = Date.parse(notice?.retry?.at ?? '') - Date.parse(failed?.at ?? '');
    expect(notice?.next).toContain(`in ${Math.ceil(pause / 1000)} s`);
  });

  test('ends the turn as failed after the last attempt, and resume begins again with the first attempt', async () => {
    const bad = says('', { fault: { after: 0, error: failure() } });
    const { live, pass, records } = await goLive({ provider: answering(bad, bad, bad, bad, says('done')) });
    const turn = live.prompt('go');
    void listening(turn, ({ type }) => type === 'notice.raised' && pass(60_000));
    expect(await turn).toMatchObject({
      outcome: 'failed',
      error: { code: 'provider/overloaded', next: expect.stringContaining('resume') },
    });
    const again = live.resume();
    void listening(again, ({ type }) => type === 'notice.raised' && pass(60_000));
    expect(await again).toMatchObject({ outcome: 'completed', text: 'done' });
    const all = await records();
    expect(all.flatMap((one) => (one.kind === 'answer.failed' ? [one.data.retry] : []))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test('counts as a call with estimated usage if its answer began but could not be read', async () => {
    const error = failure({ code: 'provider/malformed' });
    const { live, pass, records } = await goLive({
      provider: answering(says('', { fault: { after: 0, error } }), says('done')),
    });
    const turn = live.prompt('go');
    void listening(turn, ({ type }) => type === 'notice.raised' && pass(60_000));
    const { outcome, totals } = await turn;
    expect(outcome).toBe('completed');
    const all = await records();
    expect(all.filter(({ kind }) => kind === 'answer.failed')).toEqual([]);
    const cut = all.find((one) => one.kind === 'answer.interrupted');
    expect(cut?.data).toMatchObject({ by: 'transport', usage: {}, message: error.message });
    const { input = 0, output, cost } = cut?.kind === 'answer.interrupted' ? (cut.data.estimated ?? {}) : {};
    expect([input > 0, output, Number(cost) > 0]).toEqual([true, 0, true]);
    expect(totals.taken?.tokens).toBeGreaterThanOrEqual(input);
  });

  test("waits as long as the provider's response asks for", async () => {
    const { live, pass } = await goLive({
      provider: answering(says('', { fault: { after: 0, error: failure({ afterMs: 5_000 }) } }), says('done')),
    });
    const turn = live.prompt('go');
    let over = false;
    const told = listening(turn, async ({ type }) => {
      if (type !== 'notice.raised') return;
      pass(4_999);
      await ticks();
      expect(over).toBe(false);
      pass(1);
    });
    await turn;
    over = true;
    await told;
  });

  test('in mid-stream keeps the received parts and usage in the log, packs none of them, and sends the same request again', async () => {
    const cut = says('half of', { fault: { after: 2, error: failure({ code: 'provider/cut' }) } });
    const provider = answering(cut, says('done'));
    const { live, pass, records } = await goLive({ provider });
    const turn = live.prompt('go');
    void listening(turn, ({ type }) => type === 'notice.raised' && pass(1_000));
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'done' });
    const interrupted = (await records()).find(({ kind }) => kind === 'answer.interrupted');
    expect(interrupted?.data).toMatchObject({
      by: 'transport',
      parts: [{ type: 'text', text: 'half of' }],
      usage: {},
      message: expect.stringContaining('provider/cut'),
    });
    expect(provider.sent[1]?.body).toEqual(provider.sent[0]?.body);
  });

  test.each([
    ['compaction', 'provider/too-long', 'Compact'],
    ['refused', 'provider/invalid', 'Fix the problem'],
    ['stop', 'provider/authentication', 'API key'],
  ] as const)('of class %s ends the turn as failed, and the next prompt continues', async (sort, code, next) => {
    const bad = says('', { fault: { after: 0, error: failure({ class: sort, code }) } });
    const { live } = await goLive({ provider: answering(bad, says('done')), runtime: { compaction: 'manual' } });
    expect(await live.prompt('go')).toMatchObject({
      outcome: 'failed',
      error: { code, next: expect.stringContaining(next) },
    });
    expect(await live.prompt('again')).toMatchObject({ outcome: 'completed', text: 'done' });
  });

  test('because the provider sends nothing is cut after the idle time, even if the provider ignores the signal, and is sent again', async () => {
    const silent = hanging([{ type: 'began', usage: {} }], { deaf: true });
    const { live, pass, records } = await goLive({
      provider: inTurn(silent, answering(says('done'))),
      runtime: { idleMs: 30_000 },
    });
    const turn = live.prompt('go');
    void listening(turn, ({ type }) => type === 'notice.raised' && pass(1_000));
    await silent.reached;
    await ticks();
    pass(29_999);
    await ticks();
    expect((await records()).at(-1)?.kind).toBe('request.prepared');
    pass(1);
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'done' });
    const cut = (await records()).find(({ kind }) => kind === 'answer.interrupted');
    expect(cut?.data).toMatchObject({ by: 'transport', message: expect.stringContaining('30000 ms') });
  });

  test('with an error other than a provider error rejects the turn and every later command with that error', async () => {
    const broken = hanging([]);
    const provider = {
      ...broken,
      send: (): never => {
        throw new TypeError('not a provider error');
      },
    };
    const { live, kinds } = await goLive({ provider });
    await expect(live.prompt('go')).rejects.toMatchObject({ code: 'agent/broken' });
    expect(() => live.prompt('again')).toThrow(expect.objectContaining({ code: 'agent/broken' }));
    await live.close();
    expect((await kinds()).at(-1)).toBe('request.prepared');
  });
});

describe('an answer that stopped early', () => {
  const half = says('half', { stop: 'length', truncated: 'yes' });

  test('at the output limit is continued, and the log contains the reason (L1)', async () => {
    const provider = answering(half, says('whole'));
    const { live, records } = await goLive({ provider });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'whole' });
    const told = (await records()).find(({ kind }) => kind === 'notification.received');
    expect(told?.data).toMatchObject({ source: 'runtime', body: expect.stringContaining('output limit') });
    expect(heldBy(provider.sent[1]?.body ?? new Uint8Array()).join()).toContain('cut off at the output limit');
  });

  test('at the output limit four times in a row ends the turn, and resume allows three more', async () => {
    const { live } = await goLive({ provider: answering(half, half, half, half, half, says('whole')) });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'failed', error: { code: 'turn/output-limit' } });
    expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'whole' });
  });

  test('inside the arguments of a call runs the complete calls before it, skips the incomplete call, and reports this to the model', async () => {
    const ran: string[] = [];
    const tool = made('look', ({ call }) => {
      ran.push(call);
      return {};
    });
    const cut = { ...calls(['c1', 'look'], ['c2', 'look', '{"path": "a']), stop: 'length', truncated: 'yes' } as const;
    const provider = answering(cut, says('done'));
    const { live, records } = await goLive({ provider, runtime: { tools: [tool] } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed' });
    expect(ran).toEqual(['c1']);
    expect((await records()).find(({ kind }) => kind === 'tool.abandoned')?.data).toEqual({
      call: 'c2',
      reason: 'cut',
    });
    expect(heldBy(provider.sent[1]?.body ?? new Uint8Array()).join()).toContain(
      'make the call again, in smaller parts',
    );
  });

  test('because the provider paused it is continued with the same history', async () => {
    const provider = answering(says('wait', { stop: 'pause' }), says('done'));
    const { live, kinds } = await goLive({ provider });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    expect(await kinds()).not.toContain('notification.received');
  });

  test.each([
    ['with a refusal', 'refusal', 'preflight', 'turn/refused'],
    ['at the end of the window, if only the user may compact,', 'window', 'manual', 'turn/window-full'],
    ['at the end of the window, if a compaction can free nothing,', 'window', 'preflight', 'turn/context-unfit'],
  ] as const)('%s ends the turn as failed', async (_how, stop, compaction, code) => {
    const { live } = await goLive({ provider: answering(says('no', { stop }), says('yes')), runtime: { compaction } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'failed', error: { code } });
    expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'yes' });
  });
});

describe('a limit', () => {
  const step = { ...calls(['c1', 'look']), usage: { ...NOW, fresh: 600 } };

  test.each([
    [{ steps: 1 }, 'turn/limit-steps'],
    [{ tokens: 800 }, 'turn/limit-tokens'],
    [{ cost: '0.0001' }, 'turn/limit-cost'],
  ])('of %o ends the turn before the next call, and resume continues', async (limits, code) => {
    const provider = answering(step, { ...says('done'), usage: NOW });
    const { live, kinds } = await goLive({ provider, runtime: { tools: [look], limits: { ...limits } } });
    const limited = await live.prompt('go');
    expect(limited).toMatchObject({ outcome: 'limited', error: { code } });
    if (code === 'turn/limit-cost') return;
    expect(provider.sent).toHaveLength(1);
    expect((await kinds()).filter((kind) => kind === 'tool.returned')).toHaveLength(1);
    expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'done' });
  });

  test('of cost is not exceeded by a call with a known forecast, and no part of the call is recorded', async () => {
    const provider = answering(says('done'));
    const { live, kinds } = await goLive({ provider, runtime: { limits: { cost: '0.000001' } } });
    expect(await live.prompt('word '.repeat(100))).toMatchObject({
      outcome: 'limited',
      error: { code: 'turn/limit-cost' },
    });
    expect(provider.sent).toEqual([]);
    expect(await kinds()).toEqual(['session.created', 'mode.changed', 'turn.started', 'prompt.given', 'turn.ended']);
  });

  test('of tokens is not exceeded by the input of a call, and no part of the call is sent or recorded', async () => {
    const provider = answering(says('done'));
    const { live, kinds } = await goLive({ provider, runtime: { limits: { tokens: 100 } } });
    const ended = await live.prompt('word '.repeat(400));
    expect(ended).toMatchObject({ outcome: 'limited', error: { code: 'turn/limit-tokens' } });
    expect(ended.error?.message).toMatch(/0 of 100 tokens, and the next call would use about 1\d{3} before its answer/);
    expect(provider.sent).toEqual([]);
    expect(await kinds()).toEqual(['session.created', 'mode.changed', 'turn.started', 'prompt.given', 'turn.ended']);
  });

  test('of cost is refused when the session opens if the model has no price', async () => {
    const capabilities = { ...row('claude-sonnet-4-5'), prices: [] };
    const opening = goLive({ provider: answering(), runtime: { capabilities, limits: { cost: '1' } } });
    await expect(opening).rejects.toMatchObject({ code: 'agent/unknown-price', sort: 'refused' });
  });

  test('of time counts the work in this process, including pauses', async () => {
    const bad = says('', { fault: { after: 0, error: failure({ afterMs: 10_000 }) } });
    const { live } = await goLive({ provider: answering(bad, says('done')), runtime: { limits: { ms: 9_000 } } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'limited', error: { code: 'turn/limit-time' } });
  });
});

async function listening(
  turn: AsyncIterable<SessionEvent>,
  hear: (event: SessionEvent) => unknown,
): Promise<readonly SessionEvent[]> {
  const told: SessionEvent[] = [];
  for await (const event of turn) {
    told.push(event);
    // The pause begins one tick after its notice.
    if (event.type === 'notice.raised') await ticks();
    await hear(event);
  }
  return told;
}

function notices(told: readonly SessionEvent[]): readonly string[] {
  return told.flatMap((event) => (event.type === 'notice.raised' ? [event.notice.code] : []));
}
