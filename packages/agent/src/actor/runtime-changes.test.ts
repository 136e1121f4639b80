import type { Recorded, RecordedOf } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { answering, calls, cutShelf, failure, goLive, heldBy, inTurn, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { made, watched } from '../../tests/small-work.ts';

const look = made('look', () => ({ text: 'seen' }));
const other = made('other', () => ({ text: 'done otherwise' }));
const APPENDS = row('claude-opus-5-5');

function of<K extends Recorded['kind']>(
  records: readonly Recorded[],
  kind: K,
): readonly Extract<Recorded, { kind: K }>[] {
  return records.filter((one): one is Extract<Recorded, { kind: K }> => one.kind === kind);
}

const causes = (records: readonly Recorded[]): readonly string[] =>
  of(records, 'epoch.opened').map(({ data }: RecordedOf<'epoch.opened'>) => data.cause);
const bodies = ({ sent }: ReturnType<typeof answering>): readonly string[] =>
  sent.map(({ body }) => new TextDecoder().decode(body));
const offers = (body: string | undefined, name: string): boolean =>
  body?.includes(`{"tool":{"description":"Does ${name}."`) ?? false;

describe('other tools', () => {
  test('set with `next-epoch` wait until an epoch opens if the model accepts no appended tools', async () => {
    const provider = answering(says('a'), calls(['c1', 'look'], ['c2', 'other']), says('b'), says('c'));
    const { live, records } = await goLive({ provider, runtime: { tools: [look] } });
    await live.prompt('go');
    live.setTools([other], { when: 'next-epoch' });
    await live.prompt('go');
    const waiting = await records();
    expect(causes(waiting)).toEqual(['initial']);
    expect(of(waiting, 'tools.changed').map(({ data }) => [data.added[0]?.name, data.removed, data.as])).toEqual([
      ['other', ['look'], 'queued'],
    ]);
    expect(bodies(provider).map((body) => [offers(body, 'look'), offers(body, 'other')])).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect(of(waiting, 'tool.abandoned').map(({ data }) => [data.call, data.reason])).toEqual([['c1', 'unavailable']]);
    live.setReasoning({ effort: 'low' });
    await live.prompt('go');
    expect(causes(await records())).toEqual(['initial', 'reasoning']);
    expect([offers(bodies(provider)[3], 'look'), offers(bodies(provider)[3], 'other')]).toEqual([false, true]);
  });

  test('that are waiting for an epoch keep waiting in another process', async () => {
    const { live, shelf } = await goLive({ provider: answering(says('a'), says('b')), runtime: { tools: [look] } });
    await live.prompt('go');
    live.setTools([other], { when: 'next-epoch' });
    await live.prompt('go');
    await live.close();
    const again = await goLive({ provider: answering(says('c'), says('d')), shelf, runtime: { tools: [other] } });
    await again.live.prompt('go');
    expect(causes(await again.records())).toEqual(['initial']);
    again.live.setTools([other]);
    await again.live.prompt('go');
    expect(causes(await again.records())).toEqual(['initial', 'tools']);
  });

  test('are appended if the model supports it, can be called at once, and are unavailable after their removal', async () => {
    const provider = answering(says('a'), calls(['c1', 'other']), says('b'), calls(['c2', 'other']), says('c'));
    const { live, records } = await goLive({ provider, runtime: { tools: [look], capabilities: APPENDS } });
    await live.prompt('go');
    live.setTools([look, other]);
    await live.prompt('go');
    live.setTools([look]);
    await live.prompt('go');
    const found = await records();
    expect(causes(found)).toEqual(['initial']);
    expect(heldBy(provider.sent[2]?.body ?? new Uint8Array())).toContain('done otherwise');
    expect(of(found, 'tool.abandoned').map(({ data }) => [data.call, data.reason])).toEqual([['c2', 'unavailable']]);
    expect(bodies(provider).every((body, index, all) => index === 0 || grows(all[index - 1], body))).toBe(true);
  });

  test('are appended once, before a request that fails, and the next request continues after them', async () => {
    const failing = answering(says('a'));
    const broken = { ...failing, send: () => rejected() };
    const next = answering(says('b'));
    const { live, records } = await goLive({
      provider: inTurn(failing, broken, next),
      runtime: { tools: [look], capabilities: APPENDS },
    });
    await live.prompt('go');
    live.setTools([look, other]);
    expect(await live.prompt('and?')).toMatchObject({ outcome: 'failed' });
    expect(await live.prompt('once more')).toMatchObject({ outcome: 'completed', text: 'b' });
    expect(of(await records(), 'tools.changed')).toHaveLength(1);
    const held = heldBy(next.sent[0]?.body ?? new Uint8Array());
    expect(held.slice(-3)).toEqual(['and?', '[No answer came.]', 'once more']);
  });
});

async function* rejected(): AsyncGenerator<never> {
  yield* [];
  throw failure({ code: 'provider/authentication', class: 'stop' });
}

/**
 * Compares two bodies line by line. Returns true if `after` is longer and begins with all lines of `before` except its
 * last line, the envelope. Markers are ignored, because they move.
 */
function grows(before = '', after = ''): boolean {
  const lines = (body: string): readonly string[] =>
    body
      .replaceAll(/,"marker":"\w+"/g, '')
      .split('\n')
      .slice(0, -2);
  const [old, young] = [lines(before), lines(after)];
  return old.length < young.length && old.every((line, index) => line === young[index]);
}

describe('a change of reasoning', () => {
  test('is appended if the model supports it, and opens an epoch otherwise', async () => {
    for (const [capabilities, expected] of [
      [APPENDS, ['initial']],
      [row('claude-sonnet-4-5'), ['initial', 'reasoning']],
    ] as const) {
      const provider = answering(says('a'), says('b'));
      const { live, records } = await goLive({ provider, runtime: { capabilities, parameters: { effort: 'high' } } });
      await live.prompt('go');
      live.setReasoning({ effort: 'low' });
      await live.prompt('go');
      expect(causes(await records())).toEqual(expected);
    }
  });

  test('is recorded under the parameter name of its model, even if the author used the name of another provider', async () => {
    const { live, records } = await goLive({ provider: answering(says('a')) });
    live.setReasoning({ reasoning: { effort: 'low' } });
    await live.prompt('go');
    expect(of(await records(), 'reasoning.set').map(({ data }) => data.parameters)).toEqual([{ effort: 'low' }]);
    expect(of(await records(), 'epoch.opened').map(({ data }) => data.parameters)).toEqual([{ effort: 'low' }]);
  });

  test('is refused for a parameter that the model does not have', async () => {
    const { live } = await goLive({ provider: answering() });
    expect(() => live.setReasoning({ efort: 'low' })).toThrow(
      expect.objectContaining({ code: 'agent/unknown-parameter', message: expect.stringContaining('effort') }),
    );
  });
});

describe('another model', () => {
  test('answers from the next request on, in an epoch of its own, after the current step ended with the old model', async () => {
    const first = answering(calls(['c1', 'look']));
    const second = answering(says('done'));
    const open = watched(createMemoryStore(), (what, kinds) => {
      if (what === 'append' && kinds.includes('request.prepared') && second.sent.length + first.sent.length === 0)
        void live.setModel({ provider: second, capabilities: APPENDS });
    });
    const { live, log } = await goLive({ provider: first, runtime: { tools: [look] }, open: { log: open } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    const records = await Array.fromAsync(log.read(live.id));
    expect([first.sent.length, second.sent.length]).toEqual([1, 1]);
    expect(causes(records)).toEqual(['initial', 'model']);
    expect(of(records, 'answer.received').map(({ data }) => data.model)).toEqual([
      row('claude-sonnet-4-5').model,
      'claude-opus-5-5',
    ]);
  });

  test("of another provider does not get the first provider's envelope and betas, and the first provider gets them again after a switch back", async () => {
    const first = answering(says('a'), says('c'));
    const second = { ...answering(says('b')), name: 'another' };
    const { live, records } = await goLive({ provider: first, runtime: { envelope: { user: 'u' }, betas: ['b-1'] } });
    await live.prompt('go');
    await live.setModel({ provider: second, capabilities: APPENDS });
    await live.prompt('go');
    await live.setModel({ provider: first, capabilities: row('claude-sonnet-4-5') });
    await live.prompt('go');
    const said = of(await records(), 'request.prepared').map(({ data }) => [data.envelope['user'], data.betas]);
    expect(said).toEqual([
      ['u', ['b-1']],
      [undefined, undefined],
      ['u', ['b-1']],
    ]);
  });

  test('gets no setting that it does not know, and a change of such a setting opens no epoch while that model is used', async () => {
    const plain = { ...row('claude-sonnet-4-5'), model: 'plain-1', renderParameters: { model: 'tools' } } as const;
    const [first, second] = [answering(says('a'), says('d')), answering(says('b'), says('c'))];
    const { live, records } = await goLive({ provider: first, runtime: { parameters: { effort: 'high' } } });
    await live.prompt('go');
    await live.setModel({ provider: second, capabilities: plain });
    await live.prompt('go');
    await live.setModel({ provider: second, capabilities: plain, parameters: { effort: 'low', banana: 1 } });
    await live.prompt('go');
    await live.setModel({ provider: first, capabilities: row('claude-sonnet-4-5') });
    await live.prompt('go');
    const opened = of(await records(), 'epoch.opened').map(({ data }) => [data.cause, data.parameters]);
    expect(opened).toEqual([
      ['initial', { effort: 'high' }],
      ['model', {}],
      ['model', { effort: 'low' }],
    ]);
  });

  test('is refused if a cost limit is set and its price is unknown', async () => {
    const { live } = await goLive({ provider: answering(), runtime: { limits: { cost: '1' } } });
    await expect(
      live.setModel({ provider: answering(), capabilities: { ...APPENDS, prices: [] } }),
    ).rejects.toMatchObject({ code: 'agent/unknown-price' });
  });

  test('is used in the session itself by `setModel`, and in a fork by `fork`', async () => {
    const [first, second, third] = [answering(), answering(says('a'), says('c')), answering(says('b'))];
    const { live, log } = await goLive({ provider: first });
    await live.setModel({ provider: second, capabilities: APPENDS });
    await live.prompt('go');
    const child = await live.fork({ model: { provider: third, capabilities: row('claude-sonnet-4-5') } });
    expect(child.id).not.toBe(live.id);
    await child.prompt('go on');
    await live.prompt('and here?');
    expect([first.sent.length, second.sent.length, third.sent.length]).toEqual([0, 2, 1]);
    expect(causes(await Array.fromAsync(log.read(live.id)))).toEqual(['initial']);
    expect(causes(await Array.fromAsync(log.read(child.id)))).toEqual(['initial', 'model']);
  });

  test('is refused for a fork if calls at the end of the session are open, unless the author chose the record', async () => {
    const provider = answering(calls(['c1', 'look']), says('a'), says('b'));
    const { live, shelf, records } = await goLive({ provider, runtime: { tools: [look] } });
    await live.prompt('go');
    await live.close();
    const started = (await records()).findIndex(({ kind }) => kind === 'tool.started');
    const cut = await goLive({ provider, shelf: cutShelf(shelf, started + 1), runtime: { tools: [look] } });
    const opus = { provider: answering(), capabilities: APPENDS };
    await expect(cut.live.fork({ model: opus })).rejects.toMatchObject({
      code: 'agent/not-closed',
      data: { open: 'calls', at: started },
    });
    expect((await cut.live.fork({ model: opus, at: 1 })).id).not.toBe(cut.live.id);
    await expect(cut.live.setModel(opus)).resolves.toBeUndefined();
  });
});
