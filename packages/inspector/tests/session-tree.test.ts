// Tests the tree of the sessions: order, forks, subagents, and sessions whose origin is not in the list.

import { expect, test } from 'vitest';
import type { ListedSession } from '../page/session-tree.ts';
import { sessionTree } from '../page/session-tree.ts';

function listed(session: string, changes: Partial<ListedSession> = {}): ListedSession {
  return {
    session,
    root: session,
    parent: null,
    startedBy: null,
    workspace: '/work',
    title: null,
    createdAt: '2026-11-20T10:00:00.000Z',
    changedAt: '2026-11-20T10:00:00.000Z',
    records: 1,
    problem: null,
    calls: 0,
    paid: null,
    unpriced: 0,
    hitRate: null,
    breaks: 0,
    lost: null,
    running: false,
    questions: 0,
    ...changes,
  };
}

const shown = (sessions: readonly ListedSession[]): readonly string[] =>
  sessionTree(sessions).map(({ session, depth, origin }) =>
    [`${'  '.repeat(depth)}${session.session}`, ...(origin === undefined ? [] : [origin])].join(' '),
  );

test('forks and subagents are below their origins', () => {
  expect(
    shown([
      listed('a'),
      listed('b'),
      listed('a-fork', { parent: 'a' }),
      listed('a-agent', { startedBy: 'a' }),
      listed('a-fork-agent', { startedBy: 'a-fork' }),
    ]),
  ).toEqual(['a', '  a-fork fork', '    a-fork-agent subagent', '  a-agent subagent', 'b']);
});

test('a tree takes the place of its session that changed last', () => {
  expect(shown([listed('new'), listed('old-fork', { parent: 'old' }), listed('middle'), listed('old')])).toEqual([
    'new',
    'old',
    '  old-fork fork',
    'middle',
  ]);
});

test('a session whose origin is not in the list is at the top', () => {
  expect(shown([listed('a', { parent: 'absent' }), listed('b')])).toEqual(['a', 'b']);
});

test('a tree of 20,000 sessions below each other has all of them', () => {
  const sessions = Array.from({ length: 20_000 }, (_, index) =>
    listed(`s${index}`, index === 0 ? {} : { parent: `s${index - 1}` }),
  );
  expect(sessionTree(sessions.toReversed()).map(({ depth }) => depth)).toEqual(sessions.map((_, index) => index));
});
