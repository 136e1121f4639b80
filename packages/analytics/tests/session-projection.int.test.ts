// Tests the projection of sessions: which records are read, what happens to damaged and deleted sessions, and the
// questions.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSkillUse } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { LogError, sessionId, timestamp } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionProjection } from '../src/index.ts';
import { openSessionProjection } from '../src/index.ts';
import type { RandomEvent, RandomSessions } from './random-sessions.ts';
import { beginSessions, rowOf } from './random-sessions.ts';

let folder: string;
let backend: MemoryBackend;
let sessions: RandomSessions;
let projection: SessionProjection;
const opened: SessionProjection[] = [];

/** Ranges of records that were read, as `session from-to`. */
const reads: string[] = [];

async function open(log: Log = watched(), rules = 'test'): Promise<SessionProjection> {
  const one = await openSessionProjection({ path: join(folder, 'sessions.sqlite'), log, rowOf, rules });
  opened.push(one);
  return one;
}

/** Returns a store that notes each position that is read. */
function watched(): Log {
  const log = createMemoryStore(backend);
  return {
    ...log,
    async *read(session, from, to) {
      for await (const record of log.read(session, from, to)) {
        reads.push(`${session} ${record.position}`);
        yield record;
      }
    },
  };
}

const epoch: RandomEvent = { type: 'epoch', model: 0, cause: 0, also: false };

function call(read: number, written: number, more: Partial<Extract<RandomEvent, { type: 'call' }>> = {}): RandomEvent {
  return {
    type: 'call',
    side: false,
    alone: false,
    forecast: [read, written, 0, written],
    end: 'received',
    usage: [0, read, written],
    cost: 1_000_000_000,
    miss: undefined,
    seconds: 2,
    ...more,
  };
}

async function begin(events: readonly RandomEvent[]): Promise<SessionId> {
  await sessions.perform({ type: 'session', workspace: 0, startedBy: undefined, imported: false });
  await sessions.perform({ type: 'events', of: sessions.ids.length - 1, events });
  return sessions.ids.at(-1) ?? sessionId('none');
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-projection-'));
  backend = createMemoryBackend();
  sessions = beginSessions(createMemoryStore(backend));
  projection = await open();
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  reads.length = 0;
  rmSync(folder, { recursive: true });
});

describe('an update', () => {
  test('reads only the new records and the last one before them, also in another process', async () => {
    const id = await begin([epoch, call(0, 2000), call(2000, 100)]);
    expect(await projection.update()).toMatchObject({ sessionsRead: 1, recordsRead: 6 });
    await sessions.perform({ type: 'events', of: 0, events: [call(2100, 50)] });
    reads.length = 0;
    const other = await open();
    expect(await other.update({ sessions: [id] })).toMatchObject({ recordsRead: 2, problems: [] });
    expect(reads).toEqual(['s0 5', 's0 6', 's0 7']);
  });

  test('shows a call whose written tokens are unread at once, and replaces it when they are read', async () => {
    const id = await begin([epoch, call(0, 2000)]);
    await projection.update();
    expect((await projection.calls(id)).calls).toMatchObject([{ answer: 3, waiting: 2000, wasted: 0 }]);
    expect((await projection.cacheEffectiveness({}, 'day')).whole).toMatchObject({ calls: 1, waiting: 2000 });
    await sessions.perform({ type: 'events', of: 0, events: [call(1500, 100)] });
    await projection.update();
    expect((await projection.calls(id)).calls).toMatchObject([
      { answer: 3, waiting: 0, wasted: 500 },
      { answer: 5, waiting: 100, wasted: 0 },
    ]);
    const { whole, groups } = await projection.cacheEffectiveness({}, 'day');
    expect(whole).toMatchObject({ calls: 2, waiting: 100, wasted: 500 });
    expect(groups).toMatchObject([{ name: '2026-11-20', sums: { calls: 2, waiting: 100, wasted: 500 } }]);
  });

  test('writes a session of many calls in parts', async () => {
    const id = await begin([epoch, ...Array.from({ length: 4_500 }, (_, index) => call(index * 10, 10))]);
    const log = createMemoryStore(backend);
    const seen: number[] = [];
    const other = await open({
      ...log,
      async *read(session, from, to) {
        for await (const record of log.read(session, from, to)) {
          if (record.position % 3_000 === 0) seen.push((await projection.cost({})).whole.calls);
          yield record;
        }
      },
    });
    await other.update();
    // The last call of each part is pending, so it is counted too.
    expect(seen).toEqual([0, 0, 2_001, 4_001]);
    expect((await projection.cost({})).whole).toMatchObject({ calls: 4_500, paid: { cost: '4.5', unpriced: 0 } });
    const page = await projection.calls(id, { from: 9_000, limit: 1000 });
    expect(page).toMatchObject({ next: null });
    expect(page.calls.at(-1)).toMatchObject({ answer: 9_001, waiting: 10 });
  });

  test('reads a session from its start if its log has other records than before', async () => {
    const id = await begin([epoch, call(0, 2000), call(2000, 100)]);
    await projection.update();
    const other = createMemoryBackend();
    sessions = beginSessions(createMemoryStore(other));
    await begin([epoch, call(0, 700)]);
    backend.sessions.set(id, other.sessions.get(id) ?? fail());
    expect(await projection.update()).toMatchObject({ problems: [] });
    expect((await projection.cost({})).whole).toMatchObject({ calls: 1, tokens: { written: 700 } });
    expect((await projection.cost({}, 'day')).groups).toMatchObject([{ sums: { calls: 1 } }]);
    expect((await projection.calls(id)).calls).toHaveLength(1);
  });

  test('removes the rows of a deleted session', async () => {
    const [gone] = [await begin([epoch, call(0, 2000)]), await begin([epoch, call(0, 300)])];
    await projection.update();
    backend.sessions.delete(gone);
    expect(await projection.update()).toMatchObject({ removed: 1 });
    expect((await projection.cost({}, 'session')).groups?.map(({ name }) => name)).toEqual(['s1']);
    expect((await projection.sessions({})).sessions.map(({ session }) => session)).toEqual(['s1']);
    backend.sessions.clear();
    expect(await projection.update({ sessions: [sessionId('s1')] })).toMatchObject({ removed: 1, problems: [] });
    expect((await projection.cost({}, 'day')).groups).toEqual([]);
  });

  test('reports a damaged session, keeps its rows, and updates the others', async () => {
    await begin([epoch, call(0, 2000)]);
    await projection.update();
    const log = createMemoryStore(backend);
    await begin([epoch, call(0, 300)]);
    await sessions.perform({ type: 'events', of: 0, events: [call(2000, 10), call(2010, 10)] });
    const damaged: Log = {
      ...log,
      async *read(session, from, to) {
        for await (const record of log.read(session, from, to)) {
          if (session === 's0' && record.position === 6) throw new LogError('log/damaged', 'the log is damaged', PLACE);
          yield record;
        }
      },
    };
    const other = await open(damaged);
    const problem = { session: 's0', reason: 'the log is damaged' };
    expect((await other.update()).problems).toEqual([problem]);
    // The records before the damage are valid.
    expect((await other.cost({}, 'session')).groups).toMatchObject([
      { name: 's0', sums: { calls: 2 } },
      { name: 's1', sums: { calls: 1 } },
    ]);
    expect((await other.sessions({ session: 's0' })).sessions).toMatchObject([{ problem: problem.reason }]);
    expect((await projection.update()).problems).toEqual([]);
    expect((await projection.cost({ session: 's0' })).whole.calls).toBe(3);
    expect((await projection.sessions({ session: 's0' })).sessions).toMatchObject([{ problem: null }]);
  });

  test('opens only sessions whose files changed, and reports a known problem again', async () => {
    const [first, second] = [await begin([epoch, call(0, 2000)]), await begin([epoch, call(0, 300)])];
    const marks = new Map([first, second].map((session) => [session, 1]));
    const log = watched();
    const marked: Log = {
      ...log,
      async sessions() {
        const { sessions: all } = await log.sessions();
        const at = timestamp('2026-11-20T12:00:00.000Z');
        const listed = all.map((one) => ({ ...one, changedAt: at, bytes: marks.get(one.session) ?? 0 }));
        return { sessions: listed, unreadable: [] };
      },
      async *read(session, from, to) {
        if (session === second) throw new LogError('log/unknown-revision', 'newer', PLACE);
        yield* log.read(session, from, to);
      },
    };
    const other = await open(marked);
    const problems = [{ session: second, reason: 'newer' }];
    expect(await other.update()).toMatchObject({ sessionsRead: 2, recordsRead: 4, problems });
    expect(await other.update()).toMatchObject({ sessionsRead: 0, recordsRead: 0, problems });
    await sessions.perform({ type: 'events', of: 0, events: [call(2000, 10)] });
    marks.set(first, 2);
    reads.length = 0;
    expect(await other.update()).toMatchObject({ sessionsRead: 1, recordsRead: 2, problems });
    expect(reads).toEqual(['s0 3', 's0 4', 's0 5']);
    expect((await other.sessions({})).sessions.map(({ session }) => session)).toEqual(['s0']);
  });

  test('of two processes at the same time counts each call once', async () => {
    for (let index = 0; index < 5; index += 1) await begin([epoch, call(0, 2000), call(2000, 100)]);
    const others = [projection, await open(), await open()];
    await Promise.all(others.map((one) => one.update()));
    await sessions.perform({ type: 'events', of: 3, events: [call(2100, 50)] });
    await Promise.all(others.map((one) => one.update()));
    expect((await projection.cost({}, 'day')).whole).toMatchObject({ calls: 11, paid: { cost: '0.011' } });
    expect((await projection.cost({}, 'session')).groups?.map(({ sums }) => sums.calls)).toEqual([2, 2, 2, 3, 2]);
  });

  test('of a process whose place another process has moved reads again', async () => {
    const id = await begin([epoch, call(0, 2000)]);
    const second = await open();
    const log = createMemoryStore(backend);
    let isMoved = false;
    const slow: Log = {
      ...log,
      async *read(session, from, to) {
        yield* log.read(session, from, to);
        if (isMoved) return;
        isMoved = true;
        await second.update();
      },
    };
    const first = await open(slow);
    expect(await first.update({ sessions: [id] })).toMatchObject({ problems: [] });
    expect(isMoved).toBe(true);
    expect((await first.cost({})).whole.calls).toBe(1);
  });

  test('ends early with its signal, and the next update continues', async () => {
    for (let index = 0; index < 3; index += 1) await begin([epoch, call(0, 2000)]);
    const stop = new AbortController();
    const onProgress = ({ sessionsRead }: { readonly sessionsRead: number }): void => {
      if (sessionsRead === 1) stop.abort();
    };
    expect(await projection.update({ signal: stop.signal, onProgress })).toMatchObject({ sessionsRead: 1 });
    expect((await projection.cost({})).whole.calls).toBe(1);
    await projection.update();
    expect((await projection.cost({})).whole.calls).toBe(3);
  });
});

const PLACE = { path: 'x', line: 6, offset: 1, phase: 'frame', reason: 'x' } as const;

function fail(): never {
  throw new Error('no session');
}

describe('a database', () => {
  test('with other rules is emptied, and read again', async () => {
    await begin([epoch, call(0, 2000)]);
    await projection.update();
    const same = await open();
    expect((await same.cost({})).whole.calls).toBe(1);
    const other = await open(watched(), 'other');
    expect((await other.cost({})).whole).toMatchObject({ calls: 0, paid: { cost: '0', unpriced: 0 } });
    await other.update();
    expect((await other.cost({})).whole.calls).toBe(1);
  });

  test('is rebuilt while another process updates it', async () => {
    for (let index = 0; index < 5; index += 1) await begin([epoch, call(0, 2000), call(2000, 100)]);
    await projection.update();
    const other = await open();
    await Promise.all([projection.rebuild(), other.update(), other.update()]);
    expect((await projection.cost({}, 'day')).whole.calls).toBe(10);
  });
});

describe('the questions', () => {
  test('name the causes of misses and of opened epochs, and page through the breaks from the latest', async () => {
    await begin([
      epoch,
      call(0, 2000),
      { ...epoch, cause: 2 },
      call(0, 2100, { miss: [0, 1500] }),
      call(1000, 1000, { miss: [1, 900] }),
      { ...epoch, cause: 3, also: true },
      call(2000, 100),
    ]);
    await projection.update();
    const first = await projection.listBreaks({ limit: 2 });
    const second = await projection.listBreaks({ limit: 2, after: first.next ?? '' });
    expect(
      [...first.breaks, ...second.breaks].map(({ answer, causes, opened: by, tokens, cost }) => [
        answer,
        causes,
        by,
        tokens,
        cost,
      ]),
    ).toEqual([
      [11, ['compaction', 'role'], 'compaction + role', 0, '0'],
      [8, ['expired', 'lookback'], null, 900, '0.000123456789'],
      [6, ['tools', 'lookback'], 'tools', 1500, '0.000123456789'],
    ]);
    expect(second.next).toBeNull();
    expect((await projection.cost({}, 'cause')).groups?.map(({ name, sums }) => [name, sums.lost.tokens])).toEqual([
      [null, 0],
      ['expired + lookback', 900],
      ['tools + lookback', 1500],
    ]);
    expect((await projection.breaks({}, 'cause')).whole).toMatchObject({
      breaks: 3,
      tokens: 2400,
      cost: '0.000246913578',
    });
  });

  test('return the use of skills as `readSkillUse` does, without the loads of ancestors', async () => {
    const skill = (number: number, reason: number): RandomEvent => ({ type: 'skill', skill: number, reason });
    await begin([skill(0, 0), skill(0, 1), skill(1, 0), skill(0, 1)]);
    await sessions.perform({ type: 'fork', of: 0, share: 100 });
    await sessions.perform({ type: 'events', of: 1, events: [skill(1, 0)] });
    await projection.update();
    for (const id of sessions.ids) {
      const found = await projection.skills({ session: id });
      const { skills } = await readSkillUse(createMemoryStore(backend), id);
      expect(
        found.map(({ name, loads, tokens, versions, sources }) => ({ name, loads, tokens, versions, sources })),
      ).toEqual(skills.map(({ reasons: _reasons, ...use }) => ({ ...use, versions: [...use.versions].toSorted() })));
    }
    expect(await projection.skills({})).toMatchObject([
      { name: 'skill 0', sessions: 1, preloaded: { sessions: 1, asked: 1 }, reasons: { always: 1, on_demand: 2 } },
      { name: 'skill 1', sessions: 2, preloaded: { sessions: 2, asked: 0 }, reasons: { always: 2, on_demand: 0 } },
    ]);
  });

  test('report unknown amounts as null, and count the calls without them', async () => {
    await begin([{ ...epoch, model: 3 }, call(0, 10, { usage: [undefined, 5, undefined], cost: undefined })]);
    await projection.update();
    expect((await projection.cost({})).whole).toMatchObject({
      paid: { cost: null, unpriced: 1 },
      compared: { calls: 0, unpriced: 1, paid: null, uncached: null, ideal: null },
    });
    const none = await projection.cacheEffectiveness({ model: 'no such model' }, 'day');
    expect(none).toMatchObject({ groups: [], whole: { calls: 0, hitRate: null, writeShare: null, coverage: null } });
  });

  test('list sessions from the latest change, by title, folder, model and page', async () => {
    for (let index = 0; index < 3; index += 1) await begin([epoch, call(0, 2000)]);
    await sessions.perform({ type: 'fork', of: 0, share: 50 });
    await sessions.perform({ type: 'session', workspace: 1, startedBy: 1, imported: false });
    await projection.update();
    const names = async (query: Parameters<SessionProjection['sessions']>[0]): Promise<readonly string[]> =>
      (await projection.sessions(query)).sessions.map(({ session }) => session);
    expect(await names({})).toEqual(['s4', 's3', 's2', 's1', 's0']);
    expect(await names({ title: 'TITLE 2' })).toEqual(['s2']);
    expect(await names({ title: '%' })).toEqual([]);
    expect(await names({ workspace: '/work/1' })).toEqual(['s4']);
    expect(await names({ provider: 'anthropic' })).toEqual(['s2', 's1', 's0']);
    const first = await projection.sessions({ limit: 2 });
    expect(await names({ limit: 2, after: first.next ?? '' })).toEqual(['s2', 's1']);
    expect((await projection.sessions({ limit: 5 })).next).toBeNull();
    expect(first.sessions).toMatchObject([
      { session: 's4', startedBy: 's1', parent: null, workspace: '/work/1' },
      { session: 's3', startedBy: null, parent: 's0', cost: { calls: 0 } },
    ]);
  });
});
