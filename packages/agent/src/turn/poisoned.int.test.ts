// Threads in which an interrupt or a cut left a session that answered 400 for ever, played with the real loop against the
// simulator over HTTP: it validates as strictly as the vendor's own API.

import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { Fault, Listening, Scenario, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { cutShelf, goLive } from '../../tests/small-live.ts';
import { gate, made } from '../../tests/small-work.ts';
import { THIS_MACHINE } from '../surroundings.ts';
import type { Tool } from '../tools/tool.ts';

const look = made('look', () => ({ text: 'seen' }));
const CALLS = {
  text: 'I look.',
  calls: [
    { name: 'look', arguments: {} },
    { name: 'look', arguments: { at: 2 } },
  ],
};
const open: Listening[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Played extends Live {
  readonly simulator: Simulator;
}

/** A session against a simulator that plays this scenario, with pauses of a millisecond. */
async function play(scenario: Scenario, tools: readonly Tool[] = [look]): Promise<Played> {
  const simulator = createSimulator({ scenario });
  const listening = await simulator.listen();
  open.push(listening);
  const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: listening.url, idleMs: 200 });
  const retry = { attempts: 3, firstMs: 1, mostMs: 1 };
  return { ...(await goLive({ provider, runtime: { tools, surroundings: THIS_MACHINE, retry } })), simulator };
}

function refusals({ simulator }: Played): readonly number[] {
  return simulator.calls.flatMap(({ status }) => (status === 400 ? [status] : []));
}

describe('sessions that others poisoned', () => {
  it('anthropics/claude-code#3639, #1894, #5989: an interrupt while tools run leaves each call with its result', async () => {
    const inside = gate();
    const stuck = made('look', ({ signal }) => {
      inside.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
      );
    });
    const played = await play({ steps: [{ answer: CALLS }, { answer: { text: 'fine' } }] }, [stuck]);
    const turn = played.live.prompt('go');
    await inside.opened;
    await played.live.interrupt();
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
    expect(await played.live.prompt('and now?')).toMatchObject({ outcome: 'completed', text: 'fine' });
    expect(refusals(played)).toEqual([]);
  });

  it('anthropics/claude-code#3639, #1894, #5989: a process killed behind any record leaves a session that goes on', async () => {
    const whole = await play({ steps: [{ answer: CALLS }, { answer: { text: 'fine' } }] });
    await whole.live.prompt('go');
    const { length } = await whole.records();
    for (let cut = 5; cut <= length; cut += 1) {
      const simulator = createSimulator({ scenario: { steps: [], otherwise: { text: 'I go on.' } } });
      const listening = await simulator.listen();
      open.push(listening);
      const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: listening.url });
      const shelf = cutShelf(whole.shelf, cut);
      const again = await goLive({ provider, shelf, runtime: { tools: [look] } });
      expect([cut, await again.live.prompt('and now?')]).toMatchObject([
        cut,
        { outcome: 'completed', text: 'I go on.' },
      ]);
      expect(simulator.calls.map(({ status }) => status)).toEqual([200]);
    }
  });

  it.each<readonly [string, Fault]>([
    ['a cut before the first byte', { kind: 'cut', afterEvents: 0 }],
    ['a cut in mid-stream', { kind: 'cut', afterEvents: 4 }],
    ['an event that is no JSON', { kind: 'malformed-event', afterEvents: 3 }],
    ['an error event', { kind: 'error-event', afterEvents: 4 }],
    ['silence', { kind: 'silence', afterEvents: 3 }],
    ['an overload', { kind: 'overloaded' }],
    ['a rate limit', { kind: 'rate-limited', retryAfter: 0 }],
    ['a server error', { kind: 'server-error' }],
  ])('%s at any step of a turn ends in the same answer', async (_name, fault) => {
    for (const at of [0, 1]) {
      const steps = [{ answer: CALLS }, { expect: { toolResult: 'seen' }, answer: { text: 'fine' } }];
      const played = await play({
        steps: steps.flatMap((step, index) => (index === at ? [{ ...step, fault }, step] : [step])),
      });
      const finished = await played.live.prompt('go');
      expect([at, finished.outcome, finished.text, finished.error]).toEqual([at, 'completed', 'fine', undefined]);
      expect(refusals(played)).toEqual([]);
      await played.live.close();
    }
  });
});
