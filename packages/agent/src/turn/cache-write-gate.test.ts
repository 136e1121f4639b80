import { describe, expect, test } from 'vitest';
import { goWarm } from '../../tests/small-warm.ts';
import { ticks } from '../../tests/ticks.ts';
import { createCacheWriteGate } from './send-request.ts';

const LONG = 'Some words to remember. '.repeat(4_000);
const never = new AbortController().signal;

/** Creates a gate. `go` sends a call to the gate, and `through` lists the calls that passed it, in order. */
function callsAt(now = { ms: 0 }) {
  const gate = createCacheWriteGate(() => now.ms);
  const through: string[] = [];
  const go = async (name: string, entries: readonly string[], signal = never) => {
    const passage = await gate.enter(entries, signal);
    through.push(name);
    return passage;
  };
  return { through, go };
}

describe('the cache write gate', () => {
  test('holds a call back while another call writes the same entry, until the answer of that call begins', async () => {
    const { through, go } = callsAt();
    const first = await go('first', ['front', 'a']);
    void go('second', ['front', 'b']);
    void go('third', ['front', 'c']);
    void go('other', ['other front']);
    await ticks();
    expect(through).toEqual(['first', 'other']);
    first.begun();
    await ticks();
    expect(through).toEqual(['first', 'other', 'second', 'third']);
  });

  test('lets only the next call write if the first call failed', async () => {
    const { through, go } = callsAt();
    const first = await go('first', ['front']);
    const second = go('second', ['front']);
    void go('third', ['front']);
    first.over();
    await ticks();
    expect(through).toEqual(['first', 'second']);
    (await second).begun();
    await ticks();
    expect(through).toHaveLength(3);
  });

  test('lets calls pass for five minutes after an entry was written, and then holds calls back again', async () => {
    const now = { ms: 0 };
    const { through, go } = callsAt(now);
    (await go('first', ['front'])).begun();
    now.ms = 299_999;
    await go('second', ['front']);
    await go('third', ['front']);
    now.ms = 300_000;
    await go('fourth', ['front']);
    void go('fifth', ['front']);
    await ticks();
    expect(through).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('lets a call pass if it is stopped while it waits', async () => {
    const { through, go } = callsAt();
    const stop = new AbortController();
    await go('first', ['front']);
    void go('second', ['front'], stop.signal);
    stop.abort();
    await ticks();
    expect(through).toEqual(['first', 'second']);
  });

  test('keeps holding calls back for the call that writes after a waiting call was stopped', async () => {
    const { through, go } = callsAt();
    const stop = new AbortController();
    const first = await go('first', ['front']);
    const second = go('second', ['front'], stop.signal);
    stop.abort();
    (await second).over();
    void go('third', ['front']);
    await ticks();
    expect(through).toEqual(['first', 'second']);
    first.begun();
    await ticks();
    expect(through).toEqual(['first', 'second', 'third']);
  });
});

test('five parallel side calls with the same history write the history to the cache once', async () => {
  const now = { ms: 0 };
  for (const gate of [undefined, createCacheWriteGate(() => now.ms)]) {
    const warm = await goWarm({ runtime: { warm: 'off', ...(gate && { gate }) } });
    await warm.live.prompt(LONG);
    await warm.later(10);
    warm.provider.slow = true;
    const sides = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      warm.live.side({ purpose: 'question', prompt: `Question ${name}?`, history: 'main' }),
    );
    await warm.later(0.1);
    await Promise.all(sides);
    const written = warm
      .billed()
      .slice(1)
      .map(({ usage }) => usage?.cache_creation_input_tokens ?? 0);
    expect(written.filter((tokens) => tokens > 24_000)).toHaveLength(gate === undefined ? 5 : 1);
    await warm.live.close();
  }
});
