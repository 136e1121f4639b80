// Tests that the sums of the projection are those of `addSession`, which the commands `cost` and `cache` use. The
// sessions are random, and the projection is updated while they grow.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Accounts } from '@tidemark/agent';
import { addSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { GroupBy } from '@tidemark/context';
import { NO_CALLS } from '@tidemark/context';
import type { Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionProjection } from '../src/index.ts';
import { openSessionProjection } from '../src/index.ts';
import { cacheSums, costSums } from '../src/sessions/report-sums.ts';
import type { RandomAction, RandomSessions } from './random-sessions.ts';
import { beginSessions, randomActions, rowOf } from './random-sessions.ts';

const RUNS = 60;

interface Played {
  readonly sessions: RandomSessions;
  projection: SessionProjection;
}

async function accountsOf({ log, ids }: RandomSessions, by: GroupBy, since?: Timestamp): Promise<Accounts> {
  let accounts = NO_ACCOUNTS;
  for (const id of ids) accounts = await addSession(accounts, log, id, { by, rowOf, ...(since && { since }) });
  return accounts;
}

async function expectSameSums({ sessions, projection }: Played): Promise<void> {
  for (const by of ['session', 'day', 'model', 'contract', 'cause'] as const) {
    const accounts = await accountsOf(sessions, by);
    const [cost, cache] = [await projection.cost({}, by), await projection.cacheEffectiveness({}, by)];
    expect(cost.whole).toEqual(costSums(accounts.whole));
    expect(cache.whole).toEqual(cacheSums(accounts.whole));
    const groups = [...accounts.groups].map(([name, account]) => [name ?? null, costSums(account)]);
    const found = (cost.groups ?? [])
      .filter(({ sums }) => sums.calls > 0)
      .map(({ name, sums }) => [name, { ...sums, charged: costSums(NO_CALLS).charged }]);
    expect(sorted(found)).toEqual(sorted(groups));
  }
  const { sessions: each } = await accountsOf(sessions, 'session');
  const listed = await projection.sessions({ limit: 500 });
  expect(listed.sessions.map(({ session }) => session).toSorted()).toEqual([...sessions.ids].toSorted());
  for (const { session, cost, cache, breaks } of listed.sessions) {
    const account = each.find((one) => one.session === session)?.account ?? NO_CALLS;
    expect({ session, cost, cache }).toEqual({ session, cost: costSums(account), cache: cacheSums(account) });
    expect(breaks).toBe((await projection.listBreaks({ session, limit: 1000 })).breaks.length);
    expect((await projection.cost({ session })).whole).toEqual(costSums(account));
    const { calls } = await projection.calls(session, { limit: 1000 });
    expect(calls.reduce((sum, { tokens }) => sum + tokens.read, 0)).toBe(account.tokens.read);
  }
}

/** Expects the totals of breaks to be the sums of their rows, with and without a filter that the totals do not have. */
async function expectBreakSums(projection: SessionProjection, times: readonly string[]): Promise<void> {
  const { breaks } = await projection.listBreaks({ limit: 1000 });
  for (const since of [undefined, ...times]) {
    const filter = since === undefined ? {} : { since };
    const expected = breaks.filter(({ at }) => since === undefined || at >= since);
    const { whole } = await projection.breaks(filter, 'cause');
    const tokens = expected.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
    expect([whole.breaks, whole.tokens]).toEqual([expected.length, tokens]);
    expect((await projection.breaks(filter, 'session')).whole).toEqual(whole);
    const { groups = [] } = await projection.breaks(filter, 'cause');
    const names = new Set(expected.map(({ causes }) => causes.join(' + ')));
    expect(groups.map(({ name }) => name ?? '').toSorted()).toEqual([...names].toSorted());
  }
}

function sorted<T>(values: readonly T[]): readonly T[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function everything(projection: SessionProjection): Promise<unknown> {
  const { sessions } = await projection.sessions({ limit: 500 });
  const calls = sessions.map(({ session }) => projection.calls(session, { limit: 1000 }));
  return {
    sessions,
    calls: await Promise.all(calls),
    days: await projection.cost({}, 'day'),
    causes: await projection.cacheEffectiveness({}, 'cause'),
    breaks: (await projection.listBreaks({ limit: 1000 })).breaks,
    breaksByCause: await projection.breaks({}, 'cause'),
    skills: await projection.skills({}),
  };
}

test(
  'the sums of random sessions are those of `addSession`, after updates in parts and after a rebuild',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-sessions-'));
    let run = 0;
    const play = async (actions: readonly RandomAction[]): Promise<void> => {
      const log = createMemoryStore();
      const options = { path: join(folder, `${(run += 1)}.sqlite`), log, rowOf, rules: 'test' };
      const played: Played = { sessions: beginSessions(log), projection: await openSessionProjection(options) };
      try {
        for (const action of actions) {
          if (action.type === 'reopen') {
            await played.projection.close();
            played.projection = await openSessionProjection(options);
          } else if (action.type === 'update') {
            const { ids } = played.sessions;
            const one = ids[(action.only ?? 0) % Math.max(1, ids.length)];
            await played.projection.update(action.only === undefined || one === undefined ? {} : { sessions: [one] });
          } else await played.sessions.perform(action);
        }
        await played.projection.update();
        await expectSameSums(played);
        await expectBreakSums(played.projection, ['2026-11-21', '2026-11-20T18:00:00Z']);
        const before = await everything(played.projection);
        await played.projection.rebuild();
        expect(await everything(played.projection)).toEqual(before);
      } finally {
        await played.projection.close();
      }
    };
    try {
      await fc.assert(fc.asyncProperty(randomActions, play), { numRuns: RUNS });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test(
  'the sums of a window are those of `addSession` with `since`, also if the window begins at the time of a call',
  { timeout: 120_000 },
  async () => {
    const play = async (actions: readonly RandomAction[], chosen: number): Promise<void> => {
      const log = createMemoryStore();
      const sessions = beginSessions(log);
      for (const action of actions)
        if (action.type !== 'reopen' && action.type !== 'update') await sessions.perform(action);
      const projection = await openSessionProjection({ path: undefined, log, rowOf, rules: 'test' });
      try {
        await projection.update();
        const pages = await Promise.all(sessions.ids.map((id) => projection.calls(id, { limit: 1000 })));
        const times = pages.flatMap(({ calls }) => calls.map(({ at }) => at));
        const since = timestamp(times[chosen % Math.max(1, times.length)] ?? '2026-11-21T00:00:00.000Z');
        for (const by of ['model', 'cause', 'contract'] as const) {
          const late = await accountsOf(sessions, by, since);
          const found = await projection.cost({ since }, by);
          expect(found.whole).toEqual(costSums(late.whole));
          const groups = [...late.groups].map(([name, account]) => ({ name: name ?? null, sums: costSums(account) }));
          expect(sorted(found.groups ?? [])).toEqual(sorted(groups));
        }
        const [early, late, all] = [{ until: since }, { since }, {}].map((filter) =>
          projection.cost(filter, 'session'),
        );
        const calls = (each: Awaited<typeof all>): number => each?.whole.calls ?? 0;
        expect(calls(await early) + calls(await late)).toBe(calls(await all));
      } finally {
        await projection.close();
      }
    };
    await fc.assert(fc.asyncProperty(randomActions, fc.nat(1000), play), { numRuns: RUNS });
  },
);
