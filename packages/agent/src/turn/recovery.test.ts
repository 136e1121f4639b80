import type { ScriptedProvider } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore } from '@tidemark/store-memory';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { calls, cutShelf, goLive, heldBy, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { moments } from '../../tests/ticks.ts';
import { verifySession } from '../audit/rebuild.ts';
import type { Tool } from '../ports/tool.ts';

const ANSWERS = [
  calls(['r1', 'look'], ['r2', 'look'], ['w1', 'change']),
  calls(['w2', 'change'], ['r3', 'look']),
  says('all done'),
];

/** Creates a provider that finds its own calls in the request and continues after the last one. */
function reading(): ScriptedProvider {
  return createScriptedProvider({
    respond({ body }) {
      const held = heldBy(body);
      if (held.includes('something else')) return says('as you like');
      return ANSWERS[held.includes('r3') ? 2 : held.includes('w1') ? 1 : 0] ?? says('');
    },
  });
}

function remembering(): { readonly tools: readonly Tool[]; readonly ran: string[] } {
  const ran: string[] = [];
  const run = async ({ call }: { readonly call: string }): Promise<object> => {
    ran.push(call);
    return { text: `result of ${call}` };
  };
  return { ran, tools: [made('look', run), made('change', run, { effect: 'write' })] };
}

let whole: Live;
let length = 0;

beforeAll(async () => {
  const { tools } = remembering();
  whole = await goLive({ provider: reading(), runtime: { tools } });
  expect(await whole.live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'all done' });
  length = (await whole.records()).length;
});

/** Opens a copy of the session whose log ends after this number of records, as after a crash. */
async function reopen(
  records: number,
): Promise<Live & { readonly ran: string[]; readonly provider: ScriptedProvider }> {
  const { tools, ran } = remembering();
  const provider = reading();
  const shelf: MemoryBackend = cutShelf(whole.shelf, records);
  return { ...(await goLive({ provider, shelf, runtime: { tools } })), ran, provider };
}

async function expectSound({ shelf, records }: Live): Promise<void> {
  const verified = await verifySession(createMemoryStore(shelf), ID, { encoders: () => scriptedEncoder });
  expect(verified).toMatchObject({ differences: [], breaks: [] });
  const all = await records();
  const called = all.flatMap((one) =>
    one.kind === 'answer.received' ? one.data.parts.flatMap((part) => (part.type === 'call' ? [part.call] : [])) : [],
  );
  const closed = all.flatMap((one) =>
    one.kind === 'tool.returned' || one.kind === 'tool.failed' || one.kind === 'tool.abandoned' ? [one.data.call] : [],
  );
  expect(closed.toSorted()).toEqual(called.toSorted());
}

describe('a process that stopped after any record of a turn (L8)', () => {
  test('resumes to the same answer, repeats no answered step and runs no finished tool again', async () => {
    for (let cut = 4; cut < length; cut += 1) {
      const before = (await whole.records()).slice(0, cut);
      const again = await reopen(cut);
      const finished = await again.live.resume();
      expect([cut, finished.outcome, finished.text]).toEqual([cut, 'completed', 'all done']);
      const answered = before.filter(({ kind }) => kind === 'answer.received').length;
      expect([cut, again.provider.sent.length]).toEqual([cut, ANSWERS.length - answered]);
      const returned = before.flatMap((one) => (one.kind === 'tool.returned' ? [String(one.data.call)] : []));
      const started = before.flatMap((one) => (one.kind === 'tool.started' ? [String(one.data.call)] : []));
      expect(again.ran.filter((call) => returned.includes(call))).toEqual([]);
      // A call that changes something never runs again after it has started. A call that only reads may run again.
      expect(again.ran.filter((call) => call.startsWith('w') && started.includes(call))).toEqual([]);
      expect(again.ran.filter((call) => call.startsWith('r'))).toEqual(
        ['r1', 'r2', 'r3'].filter((call) => !returned.includes(call)),
      );
      await expectSound(again);
    }
  });

  test('takes another prompt: the cut turn ends as interrupted, and all its calls are closed', async () => {
    for (let cut = 1; cut <= length; cut += 1) {
      const again = await reopen(cut);
      const finished = await again.live.prompt('something else');
      expect([cut, finished.outcome, finished.text]).toEqual([cut, 'completed', 'as you like']);
      expect(again.ran).toEqual([]);
      const outcomes = (await again.records()).flatMap((one) => (one.kind === 'turn.ended' ? [one.data.outcome] : []));
      const first = cut < 3 ? [] : cut === length ? ['completed'] : ['interrupted'];
      expect([cut, outcomes]).toEqual([cut, [...first, 'completed']]);
      await expectSound(again);
    }
  });

  test('opens without new records, and cannot be resumed if its turn is complete', async () => {
    const again = await reopen(length);
    expect(await again.records()).toHaveLength(length);
    expect(() => again.live.resume()).toThrow(expect.objectContaining({ code: 'agent/nothing-to-resume' }));
  });

  test('and stopped again after any record of its resumed turn ends in the same way', async () => {
    const once = await reopen(9);
    await once.live.resume();
    const { length: longer } = await once.records();
    for (let cut = 10; cut < longer; cut += 1) {
      const { tools } = remembering();
      const again = await goLive({ provider: reading(), shelf: cutShelf(once.shelf, cut), runtime: { tools } });
      expect([cut, await again.live.resume()]).toMatchObject([cut, { outcome: 'completed', text: 'all done' }]);
      await expectSound(again);
    }
  });
});

describe('an interrupt at any moment', () => {
  test('leaves a session whose next prompt is answered', async () => {
    for (let moment = 0; ; moment += 1) {
      const { tools } = remembering();
      const live = await goLive({ provider: reading(), runtime: { tools } });
      const turn = live.live.prompt('go');
      await moments(moment);
      await live.live.interrupt();
      const { outcome } = await turn;
      const next = await live.live.prompt('something else');
      expect([moment, next.outcome, next.text]).toEqual([moment, 'completed', 'as you like']);
      await expectSound(live);
      await live.live.close();
      if (outcome === 'completed') break;
      expect(outcome).toBe('interrupted');
    }
  });

  test('leaves a turn that `resume` completes', async () => {
    for (let moment = 0; ; moment += 3) {
      const { tools } = remembering();
      const live = await goLive({ provider: reading(), runtime: { tools } });
      const turn = live.live.prompt('go');
      await moments(moment);
      await live.live.interrupt();
      if ((await turn).outcome === 'completed') break;
      expect([moment, (await live.live.resume()).text]).toEqual([moment, 'all done']);
      await expectSound(live);
      await live.live.close();
    }
  });
});
