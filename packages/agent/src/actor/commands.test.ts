import type { Log, LogWriter, Recorded } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { answering, calls, failure, goLive, hanging, heldBy, inTurn, says } from '../../tests/small-live.ts';
import { gate, made } from '../../tests/small-work.ts';
import { moments, ticks } from '../../tests/ticks.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import { permissionModeSource } from '../sources/ask-sources.ts';

const look = made('look', () => ({ text: 'seen' }));

describe('`steer`', () => {
  test('records the message at once, and the model sees it after the step', async () => {
    const inside = gate();
    const go = gate();
    const slow = made('look', async () => {
      inside.open();
      await go.opened;
      return { text: 'seen' };
    });
    const provider = answering(calls(['c1', 'look']), says('done'));
    const { live, records } = await goLive({ provider, runtime: { tools: [slow] } });
    const turn = live.prompt('go');
    await inside.opened;
    await live.steer('not that way');
    expect((await records()).at(-1)).toMatchObject({ kind: 'prompt.given', data: { steer: true } });
    go.open();
    await turn;
    const held = heldBy(provider.sent[1]?.body ?? new Uint8Array());
    expect(held.indexOf('not that way')).toBeGreaterThan(held.indexOf('seen'));
  });

  test('continues the turn if it comes while the last answer arrives', async () => {
    const provider = answering(says('done'), says('done otherwise'));
    const { live, records } = await goLive({ provider });
    const turn = live.prompt('go');
    for await (const event of live.events()) if (isRecorded(event, 'request.prepared')) break;
    await live.steer('otherwise');
    expect(await turn).toMatchObject({ text: 'done otherwise', totals: { steps: 2 } });
    expect((await records()).filter(({ kind }) => kind === 'turn.started')).toHaveLength(1);
  });

  test('is answered or refused at any moment, and its message is never lost', async () => {
    for (let moment = 0; ; moment += 1) {
      const provider = createScriptedProvider({
        respond: ({ body }) => says(heldBy(body).includes('otherwise') ? 'heard' : 'done'),
      });
      const { live, kinds } = await goLive({ provider });
      const turn = live.prompt('go');
      await moments(moment);
      const steered = await live.steer('otherwise').then(
        () => true,
        ({ code }: { readonly code: string }) => code !== 'agent/not-running',
      );
      const { text } = await turn;
      expect([moment, text]).toEqual([moment, steered ? 'heard' : 'done']);
      expect((await kinds()).at(-1)).toBe('turn.ended');
      if (!steered) break;
    }
  });

  test('is refused if no turn is running', async () => {
    const { live } = await goLive({ provider: answering(says('done')) });
    await expect(live.steer('now')).rejects.toMatchObject({ code: 'agent/not-running' });
    await live.prompt('go');
    await expect(live.steer('now')).rejects.toMatchObject({ code: 'agent/not-running' });
  });
});

describe('`interrupt`', () => {
  test('keeps the part of the answer that has arrived, and informs the model that the answer was stopped', async () => {
    const slow = hanging([
      { type: 'began', usage: { fresh: 7, read: 0, writes: [] } },
      { type: 'text.delta', index: 0, text: 'I was about to' },
    ]);
    const next = answering(says('yes'));
    const { live, records } = await goLive({ provider: inTurn(slow, next) });
    const turn = live.prompt('go');
    await slow.reached;
    await live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted', text: 'I was about to' });
    expect((await records()).find(({ kind }) => kind === 'answer.interrupted')?.data).toMatchObject({
      by: 'user',
      parts: [{ type: 'text', text: 'I was about to' }],
      usage: { fresh: 7 },
    });
    await live.prompt('and now?');
    expect(heldBy(next.sent[0]?.body ?? new Uint8Array())).toEqual(
      expect.arrayContaining(['go', 'I was about to', '[The user interrupted this answer here.]', 'and now?']),
    );
  });

  test('records estimated usage for a call that was stopped before its first event', async () => {
    const slow = hanging([]);
    const { live, records } = await goLive({ provider: slow });
    const turn = live.prompt('go');
    await slow.reached;
    await live.interrupt();
    const { totals } = await turn;
    const cut = (await records()).find((one) => one.kind === 'answer.interrupted');
    const { input = 0, output, cost } = cut?.kind === 'answer.interrupted' ? (cut.data.estimated ?? {}) : {};
    expect([input > 0, output, Number(cost) > 0]).toEqual([true, 0, true]);
    expect(cut?.data).not.toHaveProperty('usage');
    expect(totals.taken).toEqual({ tokens: input, cost });
  });

  test('does not wait for a provider that ignores the signal', async () => {
    const deaf = hanging([], { deaf: true });
    const { live } = await goLive({ provider: deaf });
    const turn = live.prompt('go');
    await deaf.reached;
    await live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
    expect((await turn).totals).not.toHaveProperty('input');
  });

  test('stops a running tool, and every call is closed in the history', async () => {
    const inside = gate();
    const stopped = made('look', ({ signal }) => {
      inside.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
      );
    });
    const provider = answering(calls(['c1', 'look'], ['c2', 'look']), says('yes'));
    const { live, records } = await goLive({ provider, runtime: { tools: [stopped] } });
    const turn = live.prompt('go');
    await inside.opened;
    await live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
    const closed = (await records()).filter(({ kind }) => kind === 'tool.abandoned' || kind === 'tool.failed');
    expect(closed).toHaveLength(2);
    expect(await live.prompt('and now?')).toMatchObject({ outcome: 'completed', text: 'yes' });
  });

  test('ends the pause before the next attempt', async () => {
    const bad = says('', { fault: { after: 0, error: failure() } });
    const { live } = await goLive({ provider: answering(bad) });
    const turn = live.prompt('go');
    for await (const event of turn) if (event.type === 'notice.raised') break;
    await live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
  });

  test('does nothing if no turn is running', async () => {
    const { live, kinds } = await goLive({ provider: answering() });
    await live.interrupt();
    expect(await kinds()).toEqual(['session.created', 'mode.changed']);
  });

  test('leaves a turn that `resume` continues, with a history that ends in a message to the model', async () => {
    const slow = hanging([
      { type: 'began', usage: {} },
      { type: 'text.delta', index: 0, text: 'half' },
    ]);
    const next = answering(says('whole'));
    const { live } = await goLive({ provider: inTurn(slow, next) });
    const turn = live.prompt('go');
    await slow.reached;
    await live.interrupt();
    await turn;
    expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'whole' });
    expect(heldBy(next.sent[0]?.body ?? new Uint8Array()).at(-1)).toContain('Continue from where it stopped');
  });
});

describe('a prompt while a turn runs', () => {
  test('waits in the queue and starts a turn of its own', async () => {
    const provider = answering(calls(['c1', 'look']), says('first'), says('second'));
    const { live, records } = await goLive({ provider, runtime: { tools: [look] } });
    const first = live.prompt('one');
    const second = live.prompt('two');
    expect(() => live.resume()).toThrow(expect.objectContaining({ code: 'agent/nothing-to-resume' }));
    const of = (turn: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> => Array.fromAsync(turn);
    const [toldFirst, toldSecond] = await Promise.all([of(first), of(second)]);
    expect(await first).toMatchObject({ text: 'first' });
    expect(await second).toMatchObject({ text: 'second' });
    expect(toldFirst.at(-1)).toMatchObject({ record: { kind: 'turn.ended' } });
    expect(toldSecond[0]).toMatchObject({ record: { kind: 'turn.started' } });
    expect(new Set((await records()).slice(2).map(({ turn }) => turn)).size).toBe(2);
  });
});

describe('the settings of a session', () => {
  test('a mode set while a turn runs reaches the model before its next step', async () => {
    const provider = answering(calls(['c1', 'look']), says('done'));
    const inside = gate();
    const go = gate();
    const slow = made('look', async () => {
      inside.open();
      await go.opened;
      return {};
    });
    const { live } = await goLive({ provider, runtime: { tools: [slow], sources: [permissionModeSource()] } });
    const turn = live.prompt('go');
    await inside.opened;
    await live.setMode('read-only');
    expect(live.mode).toBe('read-only');
    go.open();
    await turn;
    const [before, after] = provider.sent.map(({ body }) => heldBy(body).join());
    expect(before).not.toContain('read-only');
    expect(after).toContain('read-only');
  });

  test('a reopened session has the mode of its log, the option `mode` can only narrow it, and opening writes nothing', async () => {
    const { live, shelf } = await goLive({ provider: answering(), open: { mode: 'ask' } });
    await live.close();
    const wider = await goLive({ provider: answering(), shelf, open: { mode: 'auto' } });
    expect(wider.live.mode).toBe('ask');
    await wider.live.close();
    const narrower = await goLive({ provider: answering(says('done')), shelf, open: { mode: 'read-only' } });
    expect(narrower.live.mode).toBe('read-only');
    expect(await narrower.kinds()).toEqual(['session.created', 'mode.changed']);
    await narrower.live.prompt('go');
    expect((await narrower.kinds()).slice(2, 4)).toEqual(['mode.changed', 'turn.started']);
  });

  test('tools with unchanged definitions and new handlers take effect without an epoch, and changed definitions open one', async () => {
    const provider = answering(calls(['c1', 'look']), says('a'), says('b'));
    const { live, records } = await goLive({ provider, runtime: { tools: [look] } });
    live.setTools([made('look', () => ({ text: 'seen anew' }))]);
    await live.prompt('go');
    expect(heldBy(provider.sent[1]?.body ?? new Uint8Array())).toContain('seen anew');
    live.setTools([look, made('other', () => ({}))]);
    await live.prompt('go');
    const causes = (await records()).flatMap((one) => (one.kind === 'epoch.opened' ? [one.data.cause] : []));
    expect(causes).toEqual(['initial', 'tools']);
  });

  test('a notification is recorded and sent with the next request', async () => {
    const provider = answering(says('done'));
    const { live } = await goLive({ provider });
    await live.notify({ source: 'ci', body: 'the build broke', provenance: 'hook' });
    await live.prompt('go');
    expect(heldBy(provider.sent[0]?.body ?? new Uint8Array()).join()).toContain('the build broke');
  });
});

describe('a listener', () => {
  test('that joins in the middle of a turn gets all records of the turn', async () => {
    const { live } = await goLive({
      provider: answering(calls(['c1', 'look']), says('done')),
      runtime: { tools: [look] },
    });
    const turn = live.prompt('go');
    await turn;
    const told = await Array.fromAsync(turn);
    expect(told[0]).toMatchObject({ record: { kind: 'turn.started' } });
    expect(told.at(-1)).toMatchObject({ record: { kind: 'turn.ended' } });
  });

  test('that leaves or stops reading does not disturb a turn', async () => {
    const { live } = await goLive({ provider: answering(says('a'), says('b')) });
    const idle = live.events()[Symbol.asyncIterator]();
    await Promise.all([idle.next(), live.prompt('go')]);
    const turn = live.prompt('again');
    for await (const event of turn) if (isRecorded(event, 'turn.started')) break;
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'b' });
  });

  test('that is too slow loses ephemeral events but no record, and has a bounded buffer', async () => {
    const many = Array.from({ length: 3_000 }, (_none, index) => ({ type: 'text', text: `${index}` }) as const);
    const { live, records } = await goLive({ provider: answering({ parts: many }, says('b')) });
    const slow = live.events()[Symbol.asyncIterator]();
    await live.prompt('go');
    await live.prompt('again');
    await live.close();
    const told: SessionEvent[] = [];
    for (let next = await slow.next(); next.done !== true; next = await slow.next()) told.push(next.value);
    const recorded = told.flatMap((event) => (event.type === 'recorded' ? [event.record.position] : []));
    expect(recorded).toEqual((await records()).slice(2).map(({ position }) => position));
    expect(told.length).toBeLessThan(1_020);
  });
});

describe('`close`', () => {
  test('ends the running turn as interrupted, rejects the queued turns, and releases the lock', async () => {
    const slow = hanging([]);
    const { live, log, kinds } = await goLive({ provider: slow });
    const running = live.prompt('go');
    const waiting = live.prompt('then');
    await slow.reached;
    await live.close();
    await live.close();
    expect(await running).toMatchObject({ outcome: 'interrupted' });
    await expect(waiting).rejects.toMatchObject({ code: 'agent/closed' });
    expect(() => live.prompt('more')).toThrow(expect.objectContaining({ code: 'agent/closed' }));
    expect((await kinds()).at(-1)).toBe('turn.ended');
    await (await log.open(live.id)).close();
  });

  test('waits for earlier commands to be written, and later commands are refused', async () => {
    const { live, kinds } = await goLive({ provider: answering() });
    const notified = live.notify({ source: 'ci', body: 'the build broke', provenance: 'hook' });
    const moded = live.setMode('read-only');
    const closed = live.close();
    await notified;
    await expect(moded).rejects.toMatchObject({ code: 'agent/closed' });
    await expect(live.notify({ source: 'ci', body: 'again', provenance: 'hook' })).rejects.toMatchObject({
      code: 'agent/closed',
    });
    await closed;
    expect(await kinds()).toEqual(['session.created', 'mode.changed', 'notification.received']);
  });
});

describe('a log that fails', () => {
  test('rejects the turn and every later command with its error, without an unhandled rejection', async () => {
    const { live } = await goLive({
      provider: answering(says('done')),
      open: { log: failingFlush(1) },
    });
    const unawaited = live.prompt('go');
    await ticks();
    expect(live.running).toBe(false);
    await expect(live.steer('now')).rejects.toMatchObject({ code: 'log/flush-failed' });
    expect(() => live.prompt('again')).toThrow(expect.objectContaining({ code: 'log/flush-failed' }));
    await expect(Array.fromAsync(unawaited)).rejects.toMatchObject({ code: 'log/flush-failed' });
    await expect(unawaited).rejects.toMatchObject({ code: 'log/flush-failed' });
  });
});

function failingFlush(nth: number): Log {
  const store = createMemoryStore();
  let count = 0;
  const wrap = (writer: LogWriter): LogWriter => ({
    session: writer.session,
    get length() {
      return writer.length;
    },
    get chain() {
      return writer.chain;
    },
    fence: writer.fence,
    append: (events, expected) => writer.append(events, expected),
    async sync() {
      count += 1;
      if (count === nth) throw new LogError('log/flush-failed', 'the disk refused');
    },
    close: () => writer.close(),
  });
  return { ...store, create: async (id, parent) => wrap(await store.create(id, parent)) };
}

function isRecorded(event: SessionEvent, kind: string): boolean {
  return event.type === 'recorded' && event.record.kind === kind;
}

describe('`refresh`', () => {
  const noted = async (records: () => Promise<readonly Recorded[]>): Promise<readonly string[]> =>
    (await records()).flatMap(({ kind, data }) => (kind === 'context.noted' ? [data.cause] : []));

  test('places the note before the next prompt if no turn is running', async () => {
    const provider = answering(says('done'), says('done'));
    const { live, records } = await goLive({ provider, runtime: { sources: [permissionModeSource()] } });
    await live.prompt('go');
    await live.refresh('permission-mode');
    expect(await noted(records)).toEqual(['initial']);
    await live.prompt('on');
    expect(await noted(records)).toEqual(['initial', 'refreshed']);
  });

  test('places the note before the next step of a running turn', async () => {
    const inside = gate();
    const go = gate();
    const slow = made('look', async () => {
      inside.open();
      await go.opened;
      return { text: 'seen' };
    });
    const provider = answering(calls(['c1', 'look']), says('done'));
    const runtime = { tools: [slow], sources: [permissionModeSource()] };
    const { live, records } = await goLive({ provider, runtime });
    const turn = live.prompt('go');
    await inside.opened;
    await live.refresh('permission-mode');
    expect(await noted(records)).toEqual(['initial', 'refreshed']);
    go.open();
    await turn;
    const held = heldBy(provider.sent[1]?.body ?? new Uint8Array());
    expect(held.findLastIndex((text) => text.includes('Permission mode'))).toBeGreaterThan(held.indexOf('seen'));
  });

  test('refuses an unknown source and suggests the nearest name', async () => {
    const { live } = await goLive({ provider: answering(), runtime: { sources: [permissionModeSource()] } });
    await expect(live.refresh('permision-mode')).rejects.toMatchObject({
      code: 'agent/unknown-source',
      message: expect.stringContaining('did you mean permission-mode?'),
    });
  });
});
