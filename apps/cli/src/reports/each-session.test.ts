// Tests `eachSession`. When it visits all sessions, it omits an unreadable session and reports its id. If the user
// named the unreadable session, the command fails.

import { AgentError } from '@tidemark/agent';
import { sessionId, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';
import type { Command } from '../frame/command.ts';
import { eachSession } from './each-session.ts';

const [GOOD, OTHER] = [sessionId('good'), sessionId('other')];
const createdAt = timestamp('2026-11-20T09:30:00.000Z');
const store = pretendStore({
  sessions: async () => ({
    sessions: [OTHER, GOOD].map((session) => ({ session, root: session, workspace: '/w', createdAt })),
    unreadable: [{ session: 'broken', reason: 'no first record' }],
  }),
});

function walking(error: Error): Command {
  return {
    name: 'walk',
    summary: 'walks',
    examples: [['tidemark walk', 'walks']],
    declare: (command, run) =>
      void command.argument('[session]').action((name?: string) =>
        run(async (context) => {
          await eachSession(name === undefined ? undefined : sessionId(name), context, async (session) => {
            if (session === OTHER) throw error;
            context.output.line(session);
          });
          return undefined;
        }),
      ),
  };
}

const unknown = new AgentError('agent/unknown-encoder', 'of another version');

test('sessions of another version and unreadable sessions are omitted and named', async () => {
  const ran = await pretendRun(['walk'], { store, commands: [walking(unknown)] });
  expect(ran).toEqual({
    exit: 0,
    out: 'good\n',
    err: 'skipped: broken: no first record; see `tidemark doctor`\nskipped: other: of another version; see `tidemark doctor`\n',
  });
});

test('the command fails for a named session that cannot be read, and for a bug of Tidemark', async () => {
  expect(await pretendRun(['walk', 'other'], { store, commands: [walking(unknown)] })).toMatchObject({ exit: 3 });
  expect(await pretendRun(['walk'], { store, commands: [walking(new Error('a bug'))] })).toMatchObject({ exit: 70 });
});
