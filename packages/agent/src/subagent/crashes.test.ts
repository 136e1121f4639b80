// Tests L8 for a session and its subagents, which together are called a family. A crash before any append of any of
// these sessions leaves a state that can be resumed or ended. No session becomes an orphan. No call that may have
// changed something runs twice.

import type { Recorded, SessionId } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
import type { Family } from '../../tests/small-family.ts';
import { agent, goWithAgents, of, parentAsks } from '../../tests/small-family.ts';
import { calls, cutShelf, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { made, testClock, watched } from '../../tests/small-work.ts';

const ASKED = [agent('a1', { role: 'mover', task: 'Move one.' }), agent('a2', { task: 'Move two.' })];

/** Returns a copy of the stored sessions, as a new process finds them after a crash. */
function copyOf(shelf: MemoryBackend): MemoryBackend {
  const copies = [...shelf.sessions].map(([id, room]) => {
    const bytes = room.bytes.slice(0, room.length);
    return [id, { ...room, bytes, held: false, snapshot: undefined, listeners: new Set<() => void>() }] as const;
  });
  return { ...shelf, sessions: new Map(copies) };
}

/**
 * Opens the sessions of the family in a store. `moves` collects the ids of calls of the tool `move`. Only calls that
 * ran are included.
 */
async function live(
  shelf: MemoryBackend,
  life: string,
  moves: string[],
  crash: () => void = () => undefined,
): Promise<Family> {
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

/**
 * Runs the family one time. Before each append, takes the store in the state that a crash would leave. Returns each
 * state with the calls of `move` that had run.
 */
async function states(): Promise<readonly { readonly shelf: MemoryBackend; readonly moved: readonly string[] }[]> {
  const shelf = createMemoryBackend();
  const found: { readonly shelf: MemoryBackend; readonly moved: readonly string[] }[] = [];
  const moves: string[] = [];
  const family = await live(shelf, 'first', moves, () => void found.push({ shelf: copyOf(shelf), moved: [...moves] }));
  await family.live.prompt('Go.');
  expect(moves).toEqual(['m1', 'm2']);
  return found.filter(({ shelf: { sessions } }) => [...sessions.values()].some(({ length }) => length > 0));
}

const statusOf = (records: readonly Recorded[]) =>
  Object.fromEntries(of(records, 'subagent.ended').map(({ data }) => [data.child, data.status]));

/**
 * Expects that each started subagent has ended exactly one time, with the outcome in its own log. Also expects that
 * each call started one subagent.
 */
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

test('a session with subagents that crashes before any append and is resumed does all its work once, in the sessions that it began', async () => {
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

test('a session with subagents that crashes before any append and gets another prompt leaves no subagent at work', async () => {
  for (const [index, { shelf, moved }] of (await states()).entries()) {
    const moves = [...moved];
    const family = await live(shelf, `third${index}`, moves);
    await family.live.prompt('Something else.');
    await expectWhole(family);
    expect(moves.length).toBe(new Set(moves).size);
    await family.live.close();
  }
});

test('a parent whose log was cut after its subagents started continues with the same subagents, and none works twice', async () => {
  const shelf = createMemoryBackend();
  const moves: string[] = [];
  const family = await live(shelf, 'first', moves);
  await family.live.prompt('Go.');
  await family.live.close();
  const own = await family.records();
  const behind = own.findLastIndex(({ kind }) => kind === 'subagent.started') + 1;
  for (let length = behind; length < own.length; length += 1) {
    const cut = copyOf(shelf);
    const room = cutShelf(shelf, length).sessions.get(ID) ?? expect.unreachable();
    const again = [...moves];
    const next = await live({ ...cut, sessions: new Map([...cut.sessions, [ID, room]]) }, `next${length}`, again);
    await next.live.resume();
    await expectWhole(next);
    expect(again).toEqual(moves);
    expect(of(await next.records(), 'turn.ended').at(-1)?.data.outcome).toBe('completed');
    await next.live.close();
  }
});

test('a subagent whose session is open elsewhere remains open with a notice, and is ended before a later turn', async () => {
  const text = ({ bytes }: { readonly bytes: Uint8Array }): string => new TextDecoder().decode(bytes);
  const cut = (await states()).findLast(({ shelf: { sessions } }) => {
    const children = [...sessions].filter(([id]) => id !== ID).map(([, room]) => text(room));
    return (
      children.length === 2 && children.every((one) => one.includes('turn.started') && !one.includes('turn.ended'))
    );
  });
  const { shelf, moved } = cut ?? expect.unreachable();
  const family = await live(shelf, 'later', [...moved]);
  const notices: string[] = [];
  void (async () => {
    for await (const event of family.live.events()) if (event.type === 'notice.raised') notices.push(event.notice.code);
  })();
  const [{ data } = expect.unreachable()] = of(await family.records(), 'subagent.started');
  const elsewhere = await family.log.open(data.child);
  await family.live.prompt('Something else.');
  expect(notices).toContain('subagent/left-open');
  expect(statusOf(await family.records())).not.toHaveProperty(data.child);
  await elsewhere.close();
  await family.live.prompt('And now?');
  await expectWhole(family);
  await family.live.close();
});
