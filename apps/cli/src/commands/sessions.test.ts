// Tests `tidemark sessions` with a store made for the test.

import type { Recorded, SessionFilter } from '@tidemark/log';
import { chain, position, sessionId, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

const at = timestamp('2026-11-20T09:30:00.000Z');
const summary = {
  session: sessionId('fork-1'),
  root: sessionId('root-1'),
  parent: { session: sessionId('root-1'), position: position(7), chain: chain('0123456789abcdef') },
  workspace: '/home/user/shop',
  title: 'Fix\u001b[31m the\ttest',
  createdAt: at,
  bytes: 1_234_567,
};
const begun: Recorded = {
  v: 1,
  position: position(0),
  at,
  fence: 1,
  chain: chain('0123456789abcdef'),
  kind: 'session.created',
  data: { id: summary.session, root: summary.root, workspace: summary.workspace },
};
const unreadable = [{ session: 'broken', reason: 'no first record' }];
const store = pretendStore({
  sessions: async () => ({ sessions: [summary], unreadable }),
  getSnapshot: async () => undefined,
  read: async function* () {
    yield begun;
  },
});

test('`sessions` prints lines with tabs when piped, and lists unreadable sessions on stderr', async () => {
  const { exit, out, err } = await pretendRun(['sessions'], { store });
  expect(exit).toBe(0);
  expect(out.split('\n')).toEqual([
    '1 session in /nobody/.tidemark',
    'session\tcreated\tchanged\tsize\tgauge\tfrom\tworkspace\ttitle',
    'fork-1\t2026-11-20 09:30\t\t1.2 MB\t\troot-1@7\t/home/user/shop\tFix the test',
    '',
  ]);
  expect(err).toBe('unreadable: broken: no first record; see `tidemark doctor`\n');
});

test('`sessions --json` prints the list of the store', async () => {
  const { out, err } = await pretendRun(['sessions', '--json'], { store });
  expect(JSON.parse(out)).toEqual({ sessions: [{ ...summary, gauge: null }], unreadable });
  expect(err).toBe('');
});

test('`sessions --workspace` passes an absolute path to the store', async () => {
  const asked: (SessionFilter | undefined)[] = [];
  const empty = pretendStore({
    sessions: async (filter) => {
      asked.push(filter);
      return { sessions: [], unreadable: [] };
    },
  });
  const { out } = await pretendRun(['sessions', '--workspace', '/home/user/../shop'], { store: empty });
  expect(asked).toEqual([{ workspace: '/home/shop' }]);
  expect(out).toContain('no sessions');
});
