// L8 for a family: cut before any append of any of its sessions, it goes on or is ended; nobody is an orphan, and nothing that
// may have changed something runs twice.

import type { Recorded, SessionId } from '@tidemark/log';
import type { Shelf } from '@tidemark/store-memory';
import { createMemoryStore, createShelf } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
import type { Family } from '../../tests/small-family.ts';
import { agent, goWithAgents, of, parentAsks } from '../../tests/small-family.ts';
import { calls, says } from '../../tests/small-live.ts';
import { made, testClock, watched } from '../../tests/small-work.ts';

const ASKED = [agent('a1', { role: 'mover', task: 'Move one.' }), agent('a2', { task: 'Move two.' })];

/** What is on a shelf now, as a process finds it that comes after a crash. */
function copyOf({ rooms, artifacts }: Shelf): Shelf {
  const copies = [...rooms].map(([id, room]) => {
    const bytes = room.bytes.slice(0, room.length);
    return [id, { ...room, bytes, held: false, snapshot: undefined, listeners: new Set<() => void>() }] as const;
  });
  return { rooms: new Map(copies), artifacts };
}

/** One life of the family on a shelf; `moves` counts what its tool did. */
async function live(shelf: Shelf, life: string, moves: string[], crash: () => void = () => undefined): Promise<Family> {
  const { surroundings } = testClock();
  let names = 0;
  const move = made('move', ({ call }) => (moves.push(call), { text: 'moved' }), { effect: 'write' });
  const provider = parentAsks(ASKED, (said) => {
    if (said.some((text) => text === 'moved' || text.includes('may or may not'))) return says('Moved.');
    const task = said.find((text) => text.includes('Your task:')) ?? '';
    return calls([task.includes('Move one') ? 'm1' : 'm2', 'move']);
  });
  return goWithAgents(
    provider,
    { tools: [move], surroundings: { ...surroundings, newName: () => `${life}-${(names += 1)}` } },
    { shelf, open: { log: watched(createMemoryStore(shelf), crash) } },
  );
}

/** All the states that a crash of this family can leave. */
async function states(): Promise<readonly { readonly shelf: Shelf; readonly moved: readonly string[] }[]> {
  const shelf = createShelf();
  const found: { readonly shelf: Shelf; readonly moved: readonly string[] }[] = [];
  const moves: string[] = [];
  const family = await live(shelf, 'first', moves, () => void found.push({ shelf: copyOf(shelf), moved: [...moves] }));
  await family.live.prompt('Go.');
  expect(moves).toEqual(['m1', 'm2']);
  return found.filter(({ shelf: { rooms } }) => [...rooms.values()].some(({ length }) => length > 0));
}

const statusOf = (records: readonly Recorded[]) =>
  Object.fromEntries(of(records, 'subagent.ended').map(({ data }) => [data.child, data.status]));

/** Each that was started has ended, once, as its own log says; and each call has one. */
async function expectWhole({ records, log }: Family): Promise<void> {
  const own = await records();
  const started = of(own, 'subagent.started').map(({ data }) => data);
  expect(new Set(started.map(({ call }) => call)).size).toBe(started.length);
  expect(
    of(own, 'subagent.ended')
      .map(({ data }) => data.child)
      .toSorted(),
  ).toEqual(started.map(({ child }) => child).toSorted());
  const ends = await Promise.all(started.map(async ({ child }) => [child, await endOf(log, child)] as const));
  expect(statusOf(own)).toEqual(Object.fromEntries(ends));
}

async function endOf(log: Family['log'], child: SessionId): Promise<string> {
  const { sessions } = await log.sessions();
  if (!sessions.some(({ session }) => session === child)) return 'interrupted';
  const records = await Array.fromAsync(log.read(child));
  const open = of(records, 'turn.started').length > 0;
  return of(records, 'turn.ended').at(-1)?.data.outcome ?? (open ? 'open' : 'interrupted');
}

test('a family that is cut anywhere and resumed does all of its work, once, in the sessions that it began', async () => {
  const all = await states();
  expect(all.length).toBeGreaterThan(40);
  for (const [index, { shelf, moved }] of all.entries()) {
    const moves = [...moved];
    const family = await live(shelf, `second${index}`, moves);
    const begun = of(await family.records(), 'turn.started').length > 0;
    const over = of(await family.records(), 'turn.ended').length > 0;
    if (!over) await (begun ? family.live.resume() : family.live.prompt('Go.'));
    await expectWhole(family);
    expect(moves.length).toBe(new Set(moves).size);
    expect((await family.childrenOf()).map((child) => of(child, 'prompt.given').length)).toEqual([1, 1]);
    expect(Object.values(statusOf(await family.records()))).toEqual(['completed', 'completed']);
    expect(of(await family.records(), 'turn.ended').at(-1)?.data.outcome).toBe('completed');
    await family.live.close();
  }
});

test('a family that is cut anywhere and told something else leaves nobody at work', async () => {
  for (const [index, { shelf, moved }] of (await states()).entries()) {
    const moves = [...moved];
    const family = await live(shelf, `third${index}`, moves);
    await family.live.prompt('Something else.');
    await expectWhole(family);
    expect(moves.length).toBe(new Set(moves).size);
    await family.live.close();
  }
});
