// Tests accounts over logs. A fork contains only its own calls. A session is priced with the catalog row that was valid
// when it ran.

import type { RowOf } from '@tidemark/context';
import { position, sessionId } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { recordInterrupted } from '../request/answer.ts';
import { commit, createSession } from '../session/session.ts';
import { NO_ACCOUNTS, addSession } from './account-sessions.ts';

const NO_ROWS: RowOf = () => undefined;
const options = { by: 'session', rowOf: NO_ROWS } as const;
const usage = (read: number, written: number): NonNullable<Parameters<typeof answer>[2]> => ({
  fresh: 0,
  read,
  writes: [{ ttl: '5m', tokens: written }],
  answer: 5,
});

async function say(small: Small, words: string, at: number, read: number, written: number): Promise<void> {
  await commit(small.session, [prompt(words, at)]);
  await answer(small, await prepare(small, at), usage(read, written), at);
}

test('accounts of a fork contain its own calls, which read what its parent wrote', async () => {
  const parent = await begin();
  await say(parent, 'word '.repeat(2_000), 0, 0, 2_000);
  const { writer } = parent.session;
  const left = { session: ID, position: position(writer.length - 1), chain: writer.chain };
  const child = sessionId('child');
  const session = await createSession(parent.log, child, left);
  const created = { id: child, root: ID, parent: left, workspace: '/w' };
  await commit(session, [{ kind: 'session.created', at: second(9), data: created }]);
  const fork: Small = { ...parent, session, promptStreams: { main: undefined } };
  await say(fork, 'go on', 10, 2_000, 20);
  const whole = await addSession(await addSession(NO_ACCOUNTS, parent.log, ID, options), parent.log, child, options);
  expect([...whole.groups].map(([name, { calls, tokens }]) => [name, calls, tokens.read])).toEqual([
    ['s1', 1, 0],
    ['child', 1, 2_000],
  ]);
  expect(whole.whole).toMatchObject({ calls: 2, tokens: { read: 2_000, written: 2_020 } });
});

test('accounts use the prices of the catalog row that the epoch was opened with', async () => {
  const small = await begin();
  await say(small, 'hello', 0, 0, 2_000);
  const { whole } = await addSession(NO_ACCOUNTS, small.log, ID, options);
  expect(whole).toMatchObject({ unpriced: 0, cost: '0.007575', compared: { calls: 1, uncached: '0.006075' } });
});

test('a call that was cut off has the same account as after an interrupt of which nothing arrived', async () => {
  const small = await begin();
  await commit(small.session, [prompt('word '.repeat(2_000), 0)]);
  const prepared = await prepare(small, 0);
  const cutOff = (await addSession(NO_ACCOUNTS, small.log, ID, options)).whole;
  expect(cutOff).toMatchObject({ calls: 1, uncounted: 1, unpriced: 1, estimated: { calls: 1 } });
  expect(Number(cutOff.estimated.cost)).toBeGreaterThan(0);
  const nothing = { parts: [], stop: 'other', truncated: 'unknown', usage: undefined } as const;
  await recordInterrupted(small.session, prepared, { by: 'user' }, nothing, second(1));
  expect((await addSession(NO_ACCOUNTS, small.log, ID, options)).whole).toEqual(cutOff);
});

test('accounts with `since` contain only later calls, and no session without such a call', async () => {
  const small = await begin();
  await say(small, 'word '.repeat(2_000), 0, 0, 2_000);
  await say(small, 'more', 60, 2_000, 10);
  const late = await addSession(NO_ACCOUNTS, small.log, ID, { ...options, since: second(60) });
  expect(late).toMatchObject({
    whole: { calls: 1, tokens: { read: 2_000 } },
    span: { from: second(60), to: second(60) },
  });
  expect(await addSession(NO_ACCOUNTS, small.log, ID, { ...options, since: second(61) })).toBe(NO_ACCOUNTS);
});
