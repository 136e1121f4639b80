import { scriptedEncoder } from '@tidemark/provider-scripted';
import { describe, expect, test } from 'vitest';
import { answering, calls, failure, goLive, hanging, heldBy, inTurn, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { gate, made } from '../../tests/small-work.ts';
import { ticks } from '../../tests/ticks.ts';
import { verifySession } from '../audit/rebuild.ts';

const USED = { fresh: 10, read: 0, writes: [], answer: 3 };

describe('a side call', () => {
  test('is sent during a running turn, on its own stream, and can be verified from the log', async () => {
    const inside = gate();
    const go = gate();
    const slow = made('look', async () => {
      inside.open();
      await go.opened;
      return { text: 'seen' };
    });
    const provider = answering(calls(['c1', 'look']), says('A title', { usage: USED }), says('done'));
    const { live, log, records } = await goLive({ provider, runtime: { tools: [slow] } });
    const turn = live.prompt('go');
    await inside.opened;
    const side = await live.side({ purpose: 'title', prompt: 'Name this.', history: 'main' });
    expect(side).toMatchObject({ outcome: 'completed', text: 'A title', cost: expect.stringMatching(/^0\.0/) });
    expect(side).toMatchObject({ usage: USED, error: undefined });
    go.open();
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'done', totals: { steps: 2 } });
    expect(heldBy(provider.sent[1]?.body ?? new Uint8Array())).toEqual(expect.arrayContaining(['go', 'Name this.']));
    expect(heldBy(provider.sent[2]?.body ?? new Uint8Array())).not.toContain('Name this.');
    const streams = (await records()).flatMap((one) => (one.kind === 'request.prepared' ? [one.data.stream] : []));
    expect(streams).toEqual(['main', expect.stringMatching(/^side\//), 'main']);
    const contracts = (await records()).flatMap((one) => (one.kind === 'answer.received' ? [one.data.contract] : []));
    expect(contracts).toEqual(['tm3', 'tm3', 'tm3']);
    const verified = await verifySession(log, ID, { encoders: () => scriptedEncoder });
    expect(verified).toMatchObject({ requests: 3, differences: [], breaks: [] });
  });

  test("is retried according to the policy, and then fails with the provider's error", async () => {
    const bad = says('', { fault: { after: 0, error: failure({ afterMs: 0 }) } });
    const { live, pass, records } = await goLive({ provider: answering(bad, says('A title'), bad, bad, bad) });
    const first = live.side({ purpose: 'title', prompt: 'Name this.' });
    await ticks();
    pass(0);
    expect(await first).toMatchObject({ text: 'A title', cost: undefined });
    const second = live.side({ purpose: 'title', prompt: 'Name that.' });
    const next = 'Wait 0 s, as the provider asks, then make the side call again.';
    const error = { code: 'provider/overloaded', message: 'it failed as provider/overloaded', next };
    const settled = expect(second).resolves.toMatchObject({ outcome: 'failed', error, text: '', parts: [] });
    for (let pause = 0; pause < 2; pause += 1) {
      await ticks();
      pass(0);
    }
    await settled;
    const retried = (await records()).flatMap((one) => (one.kind === 'answer.failed' ? [one.data.retry] : []));
    expect(retried).toEqual([true, true, true, false]);
  });

  test('ends when its caller aborts it or the session closes', async () => {
    const { live, kinds } = await goLive({ provider: inTurn(hanging([])) });
    const stop = new AbortController();
    const one = live.side({ purpose: 'title', prompt: 'Name this.', signal: stop.signal });
    const other = live.side({ purpose: 'title', prompt: 'Name that.' });
    const settled = Promise.all([
      expect(one).resolves.toMatchObject({ outcome: 'interrupted', error: { code: 'agent/stopped' } }),
      expect(other).resolves.toMatchObject({ outcome: 'interrupted', error: { code: 'agent/stopped' } }),
    ]);
    await ticks();
    stop.abort();
    await live.close();
    await settled;
    expect((await kinds()).filter((kind) => kind === 'answer.interrupted')).toHaveLength(2);
  });

  test.each([
    ['refusal', 'failed', 'turn/refused'],
    ['length', 'limited', 'turn/output-limit'],
  ] as const)('whose answer stops with %s is %s with %s', async (stop, outcome, code) => {
    const { live } = await goLive({ provider: answering(says('A ti', { stop })) });
    const side = await live.side({ purpose: 'title', prompt: 'Name this.' });
    expect(side).toMatchObject({ outcome, error: { code }, text: 'A ti' });
  });

  test('reports its input with the names that the totals of a turn have', async () => {
    const { live } = await goLive({
      provider: answering(says('A title', { usage: USED }), says('A turn', { usage: USED })),
    });
    const { inputBuckets, input, output } = await live.side({ purpose: 'title', prompt: 'Name this.' });
    expect(Object.keys(inputBuckets ?? {})).toEqual(['fresh', 'read', 'written']);
    const sum = Object.values(inputBuckets ?? {}).reduce((all, tokens) => all + tokens, 0);
    expect([input, output]).toEqual([sum, USED.answer]);
    const { totals } = await live.prompt('Now a turn.');
    expect(Object.keys(totals)).toEqual(expect.arrayContaining(['input', 'output', 'inputBuckets']));
    expect(Object.keys(totals.inputBuckets ?? {})).toEqual(Object.keys(inputBuckets ?? {}));
  });

  test('refuses the option `model`, and the error explains how to ask another model', async () => {
    const { live } = await goLive({ provider: answering() });
    const given = { purpose: 'title', prompt: 'Name this.', model: 'm' };
    await expect(live.side(given)).rejects.toMatchObject({
      message: 'side has no option model: a side call uses the model of the session; use session.fork({ model })',
    });
  });

  test('is not sent if its forecast exceeds the cost limit', async () => {
    const provider = answering(says('A title'));
    const { live } = await goLive({ provider, runtime: { limits: { cost: '0.0000001' } } });
    const side = await live.side({ purpose: 'title', prompt: 'Name this.' });
    expect(side).toMatchObject({ outcome: 'limited', error: { code: 'agent/limited' }, request: undefined });
    expect(provider.sent).toEqual([]);
  });
});
