// Tests a session that another writer has open: its view, and the commands that need the writer.

import { createMemoryStore } from '@tidemark/kit';
import { ProviderError } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { sessionId } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const refused = new ProviderError('stop', 'provider/invalid', 'refused by the script', { provider: 'scripted' });
const fails: ScriptedAnswer = { parts: [], fault: { after: 0, error: refused } };
const ended = ({ event, data }: ServerEvent): boolean => event === 'record' && data.kind === 'turn.ended';

/** Commands that need the writer, with their bodies. */
const COMMANDS = [
  { method: 'POST', path: '/prompt', body: { text: 'Go on.' } },
  { method: 'POST', path: '/steer', body: { text: 'Go on.' } },
  { method: 'POST', path: '/drafts', body: { text: 'Go on.' } },
  { method: 'POST', path: '/interrupt', body: undefined },
  { method: 'POST', path: '/resume', body: undefined },
  { method: 'POST', path: '/questions/q1', body: { decision: 'allowed' } },
  { method: 'PUT', path: '/mode', body: { mode: 'auto' } },
  { method: 'POST', path: '/compact', body: {} },
  { method: 'POST', path: '/processes/p1/stop', body: undefined },
] as const;

test('a session that another writer has open is shown as such, and is resumable again after that', async () => {
  const log = createMemoryStore();
  await using place = await openTestServer({ log, answers: [fails], server: { idleMs: 20 } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const path = `/sessions/${session}`;
  await place.send('POST', `${path}/prompt`, { text: 'Begin.' });
  await place.until(session, ended);
  await expect.poll(async () => (await place.send('GET', path)).body.open).toBe(false);
  expect((await place.send('GET', path)).body).toMatchObject({ elsewhere: false, resumable: true });
  const writer = await log.open(sessionId(session));
  expect((await place.send('GET', path)).body).toMatchObject({ elsewhere: true, resumable: false });
  await writer.close();
  expect((await place.send('GET', path)).body).toMatchObject({ elsewhere: false, resumable: true });
});

test.each(COMMANDS)('$method …$path is refused with 409 while another writer has the session open', async (command) => {
  const { method, path, body } = command;
  const log = createMemoryStore();
  await using place = await openTestServer({ log, server: { idleMs: 20 } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  await expect.poll(async () => (await place.send('GET', `/sessions/${session}`)).body.open).toBe(false);
  const writer = await log.open(sessionId(session));
  expect(await place.send(method, `/sessions/${session}${path}`, body)).toMatchObject({
    status: 409,
    body: { error: { code: 'log/locked', next: expect.stringContaining('the program that has it open') } },
  });
  await writer.close();
});

test('a session that this server has open is not elsewhere, and can be interrupted without a turn', async () => {
  await using place = await openTestServer();
  const { session } = (await place.send('POST', '/sessions', {})).body;
  expect((await place.send('GET', `/sessions/${session}`)).body).toMatchObject({ open: true, elsewhere: false });
  expect((await place.send('POST', `/sessions/${session}/interrupt`)).status).toBe(200);
});
