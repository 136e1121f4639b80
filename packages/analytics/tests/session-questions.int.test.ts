// Tests the questions to the projection of sessions.

import { readSkillUse } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionProjection } from '../src/index.ts';
import { openSessionProjection } from '../src/index.ts';
import type { RandomEvent, RandomSessions } from './random-sessions.ts';
import { beginSessions, rowOf } from './random-sessions.ts';
import { beginSession, call, epoch } from './small-sessions.ts';

let log: Log;
let sessions: RandomSessions;
let projection: SessionProjection;

const begin = (events: readonly RandomEvent[]): Promise<string> => beginSession(sessions, events);

beforeEach(async () => {
  log = createMemoryStore();
  sessions = beginSessions(log);
  projection = await openSessionProjection({ path: undefined, log, rowOf, rules: 'test' });
});

afterEach(() => projection.close());

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
      const { skills } = await readSkillUse(log, id);
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
