// Tests the updates of the projection of sessions: which records are read, and what happens to damaged and deleted
// sessions.

import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { LogError, sessionId, timestamp } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionProjection } from '../src/index.ts';
import { openSessionProjection } from '../src/index.ts';
import { costSums } from '../src/sessions/report-sums.ts';
import type { RandomEvent, RandomSessions } from './random-sessions.ts';
import { beginSessions, rowOf } from './random-sessions.ts';
import { beginSession, call, epoch, request } from './small-sessions.ts';

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

const begin = (events: readonly RandomEvent[]): Promise<SessionId> => beginSession(sessions, events);

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

test('only the user can read the files of the database, also those of an earlier version', async () => {
  const path = join(folder, 'sessions.sqlite');
  const modes = (): number[] => ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix).mode & 0o777);
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
  await Promise.all(opened.splice(0).map((one) => one.close()));
  chmodSync(path, 0o644);
  await open();
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
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

  test('shows a request without an end at once, and replaces it by its call when the answer arrives', async () => {
    const id = await begin([epoch, request(1000)]);
    await projection.update();
    expect((await projection.calls(id)).calls).toMatchObject([{ request: 2, answer: 2, duration: null, paid: null }]);
    const unfinished = (await projection.cost({})).whole;
    // An entry of one hour costs $6 per million tokens.
    expect(unfinished).toMatchObject({
      calls: 1,
      paid: { unpriced: 1 },
      estimated: { calls: 1, tokens: 1000, cost: '0.006' },
    });
    await sessions.perform({ type: 'events', of: 0, events: [{ ...call(0, 1000), type: 'answer' }] });
    await projection.update();
    expect((await projection.calls(id)).calls).toMatchObject([{ request: 2, answer: 3, paid: '0.001' }]);
    expect((await projection.cost({})).whole).toMatchObject({
      calls: 1,
      paid: { unpriced: 0 },
      estimated: { calls: 0 },
    });
  });

  test('counts a call that was cut off, although the next process sends its request again', async () => {
    const id = await begin([epoch, request(1000)]);
    await projection.update();
    await sessions.perform({ type: 'events', of: 0, events: [call(0, 1000)] });
    await projection.update();
    expect((await projection.calls(id)).calls).toMatchObject([
      { request: 2, answer: 2, paid: null, opened: null },
      { request: 3, answer: 4, paid: '0.001', opened: 'initial' },
    ]);
    expect((await projection.cost({ session: id })).whole).toMatchObject({
      calls: 2,
      paid: { cost: '0.001', unpriced: 1 },
      estimated: { calls: 1, tokens: 1000, cost: '0.006' },
    });
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
    // The commands `cost` and `cache` follow the same rule.
    const options = { by: 'session', rowOf } as const;
    const accounts = await addSession(NO_ACCOUNTS, damaged, sessionId('s0'), options);
    expect((await other.cost({ session: 's0' })).whole).toEqual(costSums(accounts.whole));
    expect(accounts).toMatchObject({
      whole: { calls: 2 },
      problems: [{ session: 's0', error: { code: 'log/damaged' } }],
    });
    expect((await projection.update()).problems).toEqual([]);
    expect((await projection.cost({ session: 's0' })).whole.calls).toBe(3);
    expect((await projection.sessions({ session: 's0' })).sessions).toMatchObject([{ problem: null }]);
  });

  test('opens only sessions whose files changed, and reports a known problem again', async () => {
    const [first, second] = [await begin([epoch, call(0, 2000)]), await begin([epoch, call(0, 300)])];
    const marks = new Map([first, second].map((session) => [session, 1]));
    const log = watched();
    const marked: Log = {
      ...withMarks(log, (session) => marks.get(session) ?? 0),
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

/** Adds marks of files to the list of a store. */
function withMarks(log: Log, bytesOf: (session: SessionId) => number): Log {
  const changedAt = timestamp('2026-11-20T12:00:00.000Z');
  return {
    ...log,
    async sessions() {
      const { sessions: all } = await log.sessions();
      return { sessions: all.map((one) => ({ ...one, changedAt, bytes: bytesOf(one.session) })), unreadable: [] };
    },
  };
}

function fail(): never {
  throw new Error('no session');
}

test('an update that is stopped within a session is continued by the next one, although the file has not changed', async () => {
  await begin([epoch, ...Array.from({ length: 4_500 }, (_, index) => call(index * 10, 10))]);
  const log = createMemoryStore(backend);
  const stop = new AbortController();
  const stopping: Log = {
    ...withMarks(log, () => 1),
    async *read(session, from, to) {
      for await (const record of log.read(session, from, to)) {
        if (record.position === 3_000) stop.abort();
        yield record;
      }
    },
  };
  const other = await open(stopping);
  await other.update({ signal: stop.signal });
  expect((await other.cost({})).whole.calls).toBe(2_001);
  await other.update();
  expect((await other.cost({})).whole.calls).toBe(4_500);
});

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
