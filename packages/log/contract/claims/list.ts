// Contract of `sessions`: listing and filtering.

import { describe, expect } from 'vitest';
import { timestamp } from '../../src/ids.ts';
import type { SessionFilter } from '../../src/port.ts';
import type { LogFactory } from '../log-under-test.ts';
import { appended, created, flipped, parentAt, session, sessionWith } from '../samples.ts';
import { claim, claimWhere } from '../with-store.ts';

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => timestamp(`${day}T08:00:00.000Z`));

export function claimLists(factory: LogFactory): void {
  describe('`sessions`', () => {
    claim(factory, 'returns empty lists for a new store', async ({ log }) => {
      expect(await log.sessions()).toEqual({ sessions: [], unreadable: [] });
    });

    claim(factory, 'returns all sessions, newest first, and filters them', async ({ log, reopen }) => {
      const [first = '', second = '', third = ''] = DAYS;
      const at = (text: string): { at: ReturnType<typeof timestamp> } => ({ at: timestamp(text) });
      for (const [name, workspace, day] of [
        ['b', '/x', second],
        ['a', '/x', first],
        ['c', '/y', third],
      ] as const) {
        const writer = await log.create(session(name));
        await appended(writer, [created(session(name), { workspace, ...at(day) })]);
        await writer.close();
      }
      const parent = await parentAt(log, session('a'), 0);
      const fork = await log.create(session('d'), parent);
      await appended(fork, [created(session('d'), { parent, ...at(third) })]);
      await fork.close();
      const named = async (filter?: SessionFilter): Promise<string[]> =>
        (await reopen().sessions(filter)).sessions.map((each) => each.session);
      expect(await named()).toEqual(['c', 'd', 'b', 'a']);
      expect(await named({ workspace: '/x' })).toEqual(['b', 'a']);
      expect(await named({ parent: session('a') })).toEqual(['d']);
      expect(await named({ since: timestamp(second) })).toEqual(['c', 'd', 'b']);
      expect(await named({ until: timestamp(second) })).toEqual(['a']);
      expect((await log.sessions({ parent: session('a') })).sessions[0]).toMatchObject({
        root: 'a',
        parent,
        workspace: '/work',
        createdAt: third,
      });
    });

    claimWhere(
      factory,
      'returns a session that cannot be read in a list of its own, with the reason',
      ({ lines }) => lines,
      'this store does not keep its log as lines',
      async ({ log, reopen }, lines) => {
        await (await sessionWith(log, session('good'), 1)).close();
        await (await sessionWith(log, session('bad'), 1)).close();
        await lines.write(session('bad'), flipped(await lines.read(session('bad')), 70));
        const { sessions, unreadable } = await reopen().sessions();
        expect(sessions.map((each) => each.session)).toEqual(['good']);
        expect(unreadable).toEqual([{ session: 'bad', reason: expect.stringContaining('damaged at line 1, byte 0') }]);
      },
    );
  });
}
