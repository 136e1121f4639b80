// Tests when an idle session is closed, and what the readers of a session and of its subagent see.

import { defineTool } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });
const callsTool = (name: string, given: object): ScriptedAnswer => ({
  parts: [{ type: 'call', call: callId(`${name}1`), name, arguments: JSON.stringify(given) }],
});
const isRecord =
  (kind: string) =>
  ({ event, data }: ServerEvent): boolean =>
    event === 'record' && data.kind === kind;

test('an idle session is closed and its reader goes on, but not a session with a waiting question', async () => {
  const save = defineTool({
    name: 'save',
    description: 'Saves the work.',
    effect: 'write',
    input: z.object({}),
    run: () => 'saved',
  });
  await using place = await openTestServer({
    answers: [callsTool('save', {}), says('Saved.'), says('Again.')],
    agent: { tools: [save], cache: { warm: 'off' } },
    server: { idleMs: 20 },
  });
  const asking = (await place.send('POST', '/sessions', {})).body.session;
  await place.send('POST', `/sessions/${asking}/prompt`, { text: 'Save it.' });
  const asked = ({ event, data }: ServerEvent): boolean =>
    (event === 'passing' && data.type === 'question.asked') || (event === 'state' && data.questions.length > 0);
  await place.until(asking, asked);
  const idle = (await place.send('POST', '/sessions', {})).body.session;
  await place.until(idle, ({ event, data }) => event === 'state' && data.open === false);
  const { open, questions } = (await place.send('GET', `/sessions/${asking}`)).body;
  expect({ open, questions: questions.length }).toEqual({ open: true, questions: 1 });
  await place.send('POST', `/sessions/${asking}/questions/${questions[0].id}`, { decision: 'allowed' });
  const seen = await place.until(asking, ({ event, data }) => event === 'state' && data.open === false);
  expect(seen.some(isRecord('turn.ended'))).toBe(true);
  // A prompt opens the session again, and a reader from before gets it.
  const [ended] = await Promise.all([
    place.until(asking, ({ data, id }) => data.kind === 'turn.ended' && Number(id) > seen.length - 2, seen.length - 2),
    place.send('POST', `/sessions/${asking}/prompt`, { text: 'Say it again.' }),
  ]);
  expect(ended.length).toBeGreaterThan(0);
});

test('a reader of the session of a subagent gets its records while the session of its parent runs', async () => {
  const goOn = Promise.withResolvers<string>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    effect: 'read',
    input: z.object({}),
    run: () => goOn.promise,
  });
  await using place = await openTestServer({
    answers: [callsTool('agent', { task: 'Look around.' }), callsTool('wait', {}), says('I looked.'), says('Done.')],
    agent: { tools: [wait], subagents: {}, permissions: { mode: 'auto' }, cache: { warm: 'off' } },
  });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  await place.send('POST', `/sessions/${session}/prompt`, { text: 'Delegate it.' });
  const started = (await place.until(session, isRecord('subagent.started'))).at(-1);
  const child: string = started?.data.data.child;
  await expect.poll(async () => (await place.send('GET', `/sessions/${child}`)).status).toBe(200);
  await place.until(child, isRecord('tool.started'));
  const rest = place.until(child, isRecord('turn.ended'));
  goOn.resolve('waited');
  const ids = (await rest).filter(({ event }) => event === 'record').map(({ id }) => Number(id));
  expect(ids).toEqual(ids.map((_id, index) => index));
  await place.until(session, isRecord('turn.ended'));
});
