import { callId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { inShort } from '../../tests/in-short.ts';
import { second } from '../../tests/small-session.ts';
import { beginWork, gate, made, watched } from '../../tests/small-work.ts';
import { commit } from '../session/session.ts';
import { runCalls } from './run-calls.ts';

const look = (id: string): { readonly id: string; readonly name: string } => ({ id, name: 'look' });
const change = (id: string): { readonly id: string; readonly name: string } => ({ id, name: 'change' });

describe('`runCalls`', () => {
  test("closes each call once with its tool's output, and returns the effects of the calls that ran", async () => {
    const tool = made('look', () => ({ text: 'seen' }), { touches: ['content'] });
    const { work, records } = await beginWork({ calls: [look('c1')], tools: [tool] });
    const effects = await runCalls(work);
    expect(effects).toEqual([{ tool: 'look', effect: 'read', touches: ['content'] }]);
    expect(await records()).toMatchObject([
      { kind: 'permission.decided', turn: 't1', data: { decision: 'allowed', by: 'rule', rule: 'auto/read' } },
      { kind: 'tool.started', turn: 't1', data: { call: 'c1', name: 'look', effect: 'read' } },
      {
        kind: 'tool.returned',
        turn: 't1',
        data: { call: 'c1', parts: [{ type: 'text', text: 'seen' }], durationMs: 0 },
      },
    ]);
    expect(work.session.state.history.batch).toBeUndefined();
  });

  test('runs calls that only read at the same time', async () => {
    const all = gate();
    let running = 0;
    const tool = made('look', async () => {
      running += 1;
      if (running === 3) all.open();
      await all.opened;
      return {};
    });
    const { work } = await beginWork({ calls: ['c1', 'c2', 'c3'].map(look), tools: [tool] });
    await runCalls(work);
    expect(running).toBe(3);
  });

  test('runs a call that changes something alone, after the calls before it and before the calls after it', async () => {
    const seen: string[] = [];
    const run = async ({ call }: { readonly call: string }): Promise<object> => {
      seen.push(`begin ${call}`);
      await new Promise(setImmediate);
      seen.push(`end ${call}`);
      return {};
    };
    const tools = [made('look', run), made('change', run, { effect: 'write' })];
    const calls = [look('r1'), look('r2'), change('w1'), change('w2'), look('r3')];
    const { work, records } = await beginWork({ calls, tools });
    const effects = await runCalls(work);
    expect(seen).toEqual([
      'begin r1',
      'begin r2',
      'end r1',
      'end r2',
      'begin w1',
      'end w1',
      'begin w2',
      'end w2',
      'begin r3',
      'end r3',
    ]);
    expect(effects.map(({ tool }) => tool)).toEqual(['look', 'look', 'change', 'change', 'look']);
    // A call that changes something starts in the log only after all calls before it are closed there.
    const short = inShort(await records());
    expect(short.indexOf('tool.started w1')).toBeGreaterThan(short.indexOf('tool.returned r2'));
    expect(short.indexOf('tool.started w2')).toBeGreaterThan(short.indexOf('tool.returned w1'));
  });

  test('follows a tool that declares if it runs alone', async () => {
    const both = gate();
    let running = 0;
    const tool = made(
      'change',
      async () => {
        running += 1;
        if (running === 2) both.open();
        await both.opened;
        return {};
      },
      { effect: 'execute', alone: false },
    );
    const { work } = await beginWork({ calls: [change('c1'), change('c2')], tools: [tool] });
    await runCalls(work);
    expect(running).toBe(2);
  });

  test('appends the start of every call of a group at once and flushes it before a tool runs', async () => {
    const seen: string[] = [];
    const log = watched(createMemoryStore(), (what, kinds) => seen.push([what, ...kinds].join(' ')));
    const tool = made('look', ({ call }) => {
      seen.push(`runs ${call}`);
      return {};
    });
    const { work } = await beginWork({ calls: [look('c1'), look('c2')], tools: [tool], log });
    seen.length = 0;
    await runCalls(work);
    expect(seen).toEqual([
      'append permission.decided tool.started permission.decided tool.started',
      'sync',
      'runs c1',
      'runs c2',
      'append tool.returned',
      'append tool.returned',
    ]);
  });

  test('commits each result as soon as it arrives, in any order', async () => {
    const first = gate();
    const { work, records, session } = await beginWork({
      calls: [look('c1'), { id: 'c2', name: 'quick' }],
      tools: [made('look', () => first.opened.then(() => ({}))), made('quick', () => ({}))],
    });
    session.watchers.add((record) => {
      if (record.kind === 'tool.returned' && record.data.call === 'c2') first.open();
    });
    await runCalls(work);
    expect(inShort(await records()).slice(-2)).toEqual(['tool.returned c2', 'tool.returned c1']);
  });

  test('runs open calls again on a resume if they only read, and never runs a call that returned', async () => {
    const ran: string[] = [];
    const tool = made('look', ({ call }) => {
      ran.push(call);
      return {};
    });
    const { work, session, records } = await beginWork({ calls: ['c1', 'c2', 'c3'].map(look), tools: [tool] });
    const [c1, c2] = [callId('c1'), callId('c2')];
    await commit(session, [
      { kind: 'tool.started', at: second(1), data: { call: c1, name: 'look', effect: 'read' } },
      { kind: 'tool.started', at: second(1), data: { call: c2, name: 'look', effect: 'read' } },
      { kind: 'tool.returned', at: second(1), data: { call: c1, parts: [] } },
    ]);
    expect((await runCalls(work)).length).toBe(2);
    expect(ran).toEqual(['c2', 'c3']);
    expect(inShort(await records()).filter((one) => one.startsWith('tool.returned'))).toEqual([
      'tool.returned c1',
      'tool.returned c2',
      'tool.returned c3',
    ]);
    expect(session.state.problems.length).toBe(0);
  });

  test('does nothing if no call is open', async () => {
    const { work, records } = await beginWork({ calls: [look('c1')], tools: [made('look', () => ({}))] });
    await runCalls(work);
    const before = await records();
    expect(await runCalls(work)).toEqual([]);
    expect(await records()).toEqual(before);
  });
});

describe('an interrupt', () => {
  test('before any call abandons all calls and runs none', async () => {
    const tool = made('look', () => Promise.reject(new Error('ran')));
    const { work, interrupt, records } = await beginWork({ calls: [look('c1'), look('c2')], tools: [tool] });
    interrupt();
    expect(await runCalls(work)).toEqual([]);
    expect(inShort(await records())).toEqual(['tool.abandoned c1 unstarted', 'tool.abandoned c2 unstarted']);
  });

  test('at the barrier abandons a call that was started in the log but did not run', async () => {
    const log = watched(createMemoryStore(), (what) => what === 'sync' && small.interrupt());
    const tool = made('look', () => Promise.reject(new Error('ran')));
    const small = await beginWork({ calls: [look('c1')], tools: [tool], log });
    expect(await runCalls(small.work)).toEqual([]);
    expect(inShort(await small.records()).slice(1)).toEqual(['tool.started c1', 'tool.abandoned c1 interrupted']);
  });

  test('stops running tools, keeps results that still return, and abandons calls that throw or have not begun', async () => {
    const heeds = made('look', ({ signal }) => {
      setImmediate(small.interrupt);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ text: 'half of it' }));
      });
    });
    const throws = made(
      'throws',
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    );
    const calls = [look('c1'), { id: 'c2', name: 'throws' }, change('c3')];
    const small = await beginWork({ calls, tools: [heeds, throws, made('change', () => ({}), { effect: 'write' })] });
    const effects = await runCalls(small.work);
    expect(effects.map(({ tool }) => tool)).toEqual(['look', 'throws']);
    const closings = inShort(await small.records()).slice(4);
    expect(closings.at(-1)).toBe('tool.abandoned c3 unstarted');
    expect(closings.toSorted()).toEqual([
      'tool.abandoned c2 interrupted',
      'tool.abandoned c3 unstarted',
      'tool.returned c1',
    ]);
    expect(small.session.state.history.batch).toBeUndefined();
  });

  test('waits five seconds for a tool that ignores it, then abandons the call and ignores its later result', async () => {
    const late = gate();
    const running = gate();
    const after: unknown[] = [];
    const tool = made('look', async ({ write, progress }) => {
      running.open();
      await late.opened;
      progress('still here');
      after.push(await write('late').catch((error: unknown) => error));
      return { text: 'late' };
    });
    const small = await beginWork({ calls: [look('c1')], tools: [tool] });
    const done = runCalls(small.work);
    await running.opened;
    small.interrupt();
    await new Promise(setImmediate);
    small.pass(4_999);
    await new Promise(setImmediate);
    expect(inShort(await small.records())).not.toContain('tool.abandoned c1 interrupted');
    small.pass(1);
    await done;
    late.open();
    await new Promise(setImmediate);
    expect(inShort(await small.records()).slice(1)).toEqual(['tool.started c1', 'tool.abandoned c1 interrupted']);
    expect(after).toMatchObject([{ code: 'agent/call-ended' }]);
    expect(small.told).toEqual([]);
  });

  test('while the user is asked ends the question and abandons the call, even if an answer comes later', async () => {
    const hangs = new Promise<'allowed'>(() => {});
    const fails = (signal: AbortSignal): Promise<'allowed'> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('question withdrawn')));
      });
    for (const answer of [() => hangs, fails, async () => 'allowed' as const]) {
      const ask = (_: unknown, signal: AbortSignal): Promise<'allowed'> => {
        const asked = answer(signal);
        small.interrupt();
        return asked;
      };
      const tool = made('change', () => Promise.reject(new Error('ran')), { effect: 'write' });
      const small = await beginWork({ calls: [change('c1')], tools: [tool], mode: 'ask', runtime: { ask } });
      await runCalls(small.work);
      expect(inShort(await small.records()).at(-1)).toMatch(/^tool\.abandoned c1 (unstarted|interrupted)$/);
      expect(inShort(await small.records())).not.toContain('tool.failed c1');
    }
  });

  test('while arguments are read does not wait for a reader that hangs', async () => {
    const hangs = made('look', () => ({}), {
      read: () => {
        small.interrupt();
        return new Promise(() => {});
      },
    });
    const small = await beginWork({ calls: [look('c1')], tools: [hangs] });
    await runCalls(small.work);
    expect(inShort(await small.records())).toEqual(['tool.abandoned c1 unstarted']);
  });
});

describe('a log that cannot be written', () => {
  test('stops the other tools, leaves every call open, and makes `runCalls` reject with the original error', async () => {
    const broken = new Error('no space left');
    const stopped = gate();
    const log = watched(createMemoryStore(), (what, kinds) => {
      if (what === 'append' && kinds.includes('tool.returned')) throw broken;
    });
    const waits = made('waits', ({ signal }) => {
      signal.addEventListener('abort', stopped.open);
      return stopped.opened.then(() => Promise.reject(new Error('stopped')));
    });
    const calls = [look('c1'), { id: 'c2', name: 'waits' }];
    const { work, records, session } = await beginWork({ calls, tools: [made('look', () => ({})), waits], log });
    await expect(runCalls(work)).rejects.toBe(broken);
    await stopped.opened;
    expect(inShort(await records()).filter((one) => one.startsWith('tool.'))).toEqual([
      'tool.started c1',
      'tool.started c2',
    ]);
    expect(session.state.history.batch?.closed.size).toBe(0);
  });
});
