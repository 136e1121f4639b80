// Tests a server whose sessions are run by workers: a second application with the same log takes the part of the worker.

import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryStore } from '@tidemark/kit';
import type { Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { RemoteRequest, RemoteSessions, RemoteState } from '../src/index.ts';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const DONE: ScriptedAnswer = { parts: [{ type: 'text', text: 'Done.' }] };
const COMMANDS = [
  { method: 'POST', path: '/prompt', body: { text: 'Go on.' } },
  { method: 'POST', path: '/steer', body: { text: 'Go on.' } },
  { method: 'POST', path: '/drafts', body: { text: 'Go on.' } },
  { method: 'DELETE', path: '/drafts/d1', body: undefined },
  { method: 'POST', path: '/interrupt', body: undefined },
  { method: 'POST', path: '/resume', body: undefined },
  { method: 'POST', path: '/questions/q1', body: { decision: 'allowed' } },
  { method: 'PUT', path: '/mode', body: { mode: 'auto' } },
  { method: 'POST', path: '/compact', body: {} },
  { method: 'POST', path: '/processes/p1/stop', body: undefined },
] as const;

/** Workers that answer each command in the same way, and publish the states that a test sets. */
function fakeWorkers(answer = { status: 202, body: { from: 'worker' } }) {
  const sent: (RemoteRequest & { readonly session: SessionId })[] = [];
  const states = new Map<string, RemoteState>();
  const remote: RemoteSessions = {
    async run(session, request) {
      sent.push({ session, ...request });
      return answer;
    },
    states: async (ids) => new Map(ids.flatMap((id) => (states.has(id) ? [[id, requireState(states, id)]] : []))),
  };
  return { sent, states, remote };
}

function requireState(states: ReadonlyMap<string, RemoteState>, id: string): RemoteState {
  const state = states.get(id);
  if (state === undefined) throw new Error(`no state of ${id}`);
  return state;
}

async function newSession(place: Awaited<ReturnType<typeof openTestServer>>): Promise<string> {
  const { status, body } = await place.send('POST', '/sessions', {});
  expect(status).toBe(201);
  return body.session;
}

/** Returns a state in which nothing runs. */
function quiet(state: Partial<RemoteState> = {}): RemoteState {
  return { text: '', reasoning: '', outputs: [], questions: [], running: false, ...state };
}

test.each(COMMANDS)('$method …$path goes to the worker as it came, and its answer is sent', async (command) => {
  const { method, path, body } = command;
  const { sent, remote } = fakeWorkers();
  const log = createMemoryStore();
  await using place = await openTestServer({ log, server: { remote } });
  const session = await newSession(place);
  expect(await place.send(method, `/sessions/${session}${path}`, body)).toEqual({
    status: 202,
    body: { from: 'worker' },
  });
  expect(sent).toEqual([{ session, method, path: `/sessions/${session}${path}`, ...(body && { body }) }]);
  expect(await log.isOpen(sessionId(session))).toBe(false);
});

test('a created session is closed, so a worker can open it', async () => {
  const log = createMemoryStore();
  await using place = await openTestServer({ log, server: { remote: fakeWorkers().remote } });
  const session = await newSession(place);
  await (await log.open(sessionId(session))).close();
  expect((await place.send('GET', `/sessions/${session}`)).body).toMatchObject({ open: false, elsewhere: false });
});

test('a bad body, a missing session and a wrong token are refused without a worker', async () => {
  const { sent, remote } = fakeWorkers();
  await using place = await openTestServer({ server: { remote } });
  const session = await newSession(place);
  const path = `/sessions/${session}/prompt`;
  expect(await place.send('POST', path, { text: 1 })).toMatchObject({ status: 400 });
  expect(await place.send('POST', '/sessions/none/prompt', { text: 'x' })).toMatchObject({ status: 404 });
  expect((await fetch(`${place.server.url}${path}`, { method: 'POST' })).status).toBe(401);
  expect(sent).toEqual([]);
});

test('a command without an answer in time is refused with 504, and says that it is stored', async () => {
  const never: RemoteSessions = {
    run: async (_session, _request, signal) => pause(60_000, { status: 200, body: {} }, { signal, ref: false }),
    states: async () => new Map(),
  };
  await using place = await openTestServer({ server: { remote: never, remoteMs: 5 } });
  const session = await newSession(place);
  expect(await place.send('POST', `/sessions/${session}/interrupt`)).toMatchObject({
    status: 504,
    body: { error: { code: 'server/no-answer', message: expect.stringContaining('is stored') } },
  });
});

test('the state of a worker is shown in the session, in the list and in the stream', async () => {
  const { states, remote } = fakeWorkers();
  await using place = await openTestServer({ server: { remote } });
  const session = await newSession(place);
  const { length } = (await place.send('GET', `/sessions/${session}`)).body;
  states.set(session, quiet({ length, running: true, text: 'Half an ans', drafts: [{ id: 'd', text: 'Next' }] }));
  const path = `/sessions/${session}`;
  expect((await place.send('GET', path)).body).toMatchObject({ open: true, running: true, drafts: [{ id: 'd' }] });
  expect((await place.send('GET', '/sessions')).body.sessions).toMatchObject([{ open: true, running: true }]);
  const seen = await place.until(session, ({ event, data }) => event === 'state' && data.text !== '');
  expect(seen.at(-1)?.data).toMatchObject({ length, open: true, text: 'Half an ans', drafts: [{ id: 'd' }] });
});

test('a state is sent only between the records that it belongs to, and an old one never', async () => {
  const { states, remote } = fakeWorkers();
  const log: Log = createMemoryStore();
  let isOver = false;
  let looks = 0;
  const looked: RemoteSessions = {
    run: remote.run,
    states(ids) {
      // After the end, the server sees the old state twice before the last one.
      if (isOver) looks += 1;
      for (const id of looks > 2 ? ids : []) states.set(id, quiet({ text: 'end' }));
      return remote.states(ids);
    },
  };
  await using place = await openTestServer({ log, server: { remote: looked } });
  await using worker = await openTestServer({ log, answers: [DONE], server: { idleMs: 10 } });
  const session = await newSession(place);
  const { length } = (await place.send('GET', `/sessions/${session}`)).body;
  states.set(session, quiet({ length: length + 1, running: true, text: 'early' }));
  let isSent = false;
  const seen: ServerEvent[] = [];
  const check = (event: ServerEvent): boolean => {
    seen.push(event);
    if (event.event === 'state' && !isSent) {
      isSent = true;
      void worker.send('POST', `/sessions/${session}/prompt`, { text: 'Go.' });
    }
    if (event.event === 'record' && event.data.kind === 'turn.ended') isOver = true;
    return event.event === 'state' && event.data.text === 'end';
  };
  await place.until(session, check);
  let next = 0;
  for (const { event, data } of seen) {
    if (event === 'record') next = data.position + 1;
    else if (event === 'state') expect(data.length).toBe(next);
  }
  const positions = seen.flatMap(({ event, data }) => (event === 'record' ? [data.position] : []));
  expect(positions).toEqual(positions.map((_, index) => index));
  const early = seen.filter(({ event, data }) => event === 'state' && data.text === 'early');
  expect(early.every(({ data }) => data.length === length + 1)).toBe(true);
});
