// Tests the way of a client: create a session, send a prompt, follow it, answer a question, read it again.

import { defineTool } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });
const isRecord =
  (kind: string) =>
  ({ event, data }: ServerEvent): boolean =>
    event === 'record' && data.kind === kind;

test('a client creates a session, sends a prompt, and gets each record of the turn once and in order', async () => {
  await using place = await openTestServer({ answers: [says('The tide goes out.')] });
  const created = await place.send('POST', '/sessions', { title: 'tides' });
  expect(created).toMatchObject({ status: 201, body: { title: 'tides', open: true, running: false } });
  const { session } = created.body;
  const accepted = await place.send('POST', `/sessions/${session}/prompt`, { text: 'What does the tide do?' });
  expect(accepted.status).toBe(202);
  const events = await place.until(session, isRecord('turn.ended'));
  const records = events.filter(({ event }) => event === 'record');
  expect(records.map(({ id }) => Number(id))).toEqual(records.map((_record, index) => index));
  expect(records[accepted.body.position]?.data).toMatchObject({ kind: 'prompt.given' });
  expect((await place.send('GET', `/sessions/${session}/messages`)).body.messages).toMatchObject([
    { role: 'user', text: 'What does the tide do?' },
    { role: 'assistant', text: 'The tide goes out.' },
  ]);
  expect((await place.send('GET', `/sessions/${session}`)).body).toMatchObject({
    length: records.length,
    turn: { open: false, outcome: 'completed' },
    resumable: false,
  });
});

test('a question of the runtime waits for the first client that answers it', async () => {
  const asks: ScriptedAnswer = {
    parts: [{ type: 'call', call: callId('w1'), name: 'save', arguments: '{}' }],
  };
  let saved = 0;
  const save = defineTool({
    name: 'save',
    description: 'Saves the work.',
    effect: 'write',
    input: z.object({}),
    run: () => {
      saved += 1;
      return 'saved';
    },
  });
  await using place = await openTestServer({ answers: [asks, says('It is saved.')], agent: { tools: [save] } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  await place.send('POST', `/sessions/${session}/prompt`, { text: 'Save it.' });
  const asked = ({ event, data }: ServerEvent): boolean =>
    (event === 'passing' && data.type === 'question.asked') || (event === 'state' && data.questions.length > 0);
  await place.until(session, asked);
  const [waiting] = (await place.send('GET', `/sessions/${session}`)).body.questions;
  expect(waiting.question).toMatchObject({ about: 'call', tool: 'save', preview: { kind: 'arguments' } });
  const path = `/sessions/${session}/questions/${waiting.id}`;
  expect((await place.send('POST', path, { decision: 'allowed' })).status).toBe(200);
  expect(await place.send('POST', path, { decision: 'denied' })).toMatchObject({
    status: 409,
    body: { ok: false, error: { code: 'server/answered' } },
  });
  await place.until(session, isRecord('turn.ended'));
  expect(saved).toBe(1);
});

test('a prompt with an old length of the session is refused, so a repeated request sends no second prompt', async () => {
  await using place = await openTestServer({ answers: [says('Once.'), says('Twice.')] });
  const { session, length } = (await place.send('POST', '/sessions', {})).body;
  const prompt = { text: 'Say it once.', expected: length };
  expect((await place.send('POST', `/sessions/${session}/prompt`, prompt)).status).toBe(202);
  await place.until(session, isRecord('turn.ended'));
  expect(await place.send('POST', `/sessions/${session}/prompt`, prompt)).toMatchObject({
    status: 409,
    body: { error: { code: 'server/grown' } },
  });
});
