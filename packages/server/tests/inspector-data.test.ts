// Tests the data of the inspector over HTTP: the timeline of a session, and the list of sessions with their figures.

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({
  parts: [{ type: 'text', text }],
  usage: { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 5 },
});
const ended = ({ event, data }: ServerEvent): boolean => event === 'record' && data.kind === 'turn.ended';

type TestServer = Awaited<ReturnType<typeof openTestServer>>;

async function createTitled(server: TestServer, title: string): Promise<string> {
  return (await server.send('POST', '/sessions', { title })).body.session;
}

async function prompt(server: TestServer, session: string): Promise<void> {
  const { body } = await server.send('POST', `/sessions/${session}/prompt`, { text: 'Say something.' });
  await server.until(session, ended, body.position);
}

test('the timeline of a session contains each call that `calls` lists', async () => {
  await using server = await openTestServer({ answers: [says('One.'), says('Two.')] });
  const session = await createTitled(server, 'Two calls');
  await prompt(server, session);
  await prompt(server, session);
  const { body } = await server.send('GET', `/sessions/${session}/timeline`);
  const { calls } = (await server.send('GET', `/sessions/${session}/calls`)).body;
  expect(body.columns.answer).toEqual(calls.map(({ answer }: { answer: number }) => answer));
  expect(body).toMatchObject({
    session,
    begins: calls[0].at,
    streams: ['main'],
    models: ['claude-sonnet-5-5'],
    columns: { step: [0, 1], read: [900, 900], written: [90, 90], fresh: [10, 10], output: [5, 5] },
  });
});

test('the timeline of an unknown session is refused', async () => {
  await using server = await openTestServer();
  expect(await server.send('GET', '/sessions/absent/timeline')).toMatchObject({ status: 404 });
});

test('the list of sessions has their figures, searches titles, and continues after a page', async () => {
  await using server = await openTestServer({ answers: [says('One.'), says('Two.')] });
  const first = await createTitled(server, 'Mend the gate');
  await prompt(server, first);
  const second = await createTitled(server, 'Paint the fence');
  await prompt(server, second);
  const list = async (query: string) => (await server.send('GET', `/analytics/sessions?${query}`)).body;
  const { sessions } = await list('title=GATE');
  expect(sessions).toMatchObject([
    { session: first, title: 'Mend the gate', calls: 1, hitRate: 0.9, running: false, questions: 0, parent: null },
  ]);
  const breaks = await server.send('GET', `/analytics/breaks?session=${first}`);
  expect(sessions[0].breaks).toBe(breaks.body.whole.breaks);
  const page = await list('limit=1');
  const rest = await list(`limit=1&after=${encodeURIComponent(page.next)}`);
  expect([...page.sessions, ...rest.sessions].map(({ session }) => session)).toEqual([second, first]);
  expect(rest.next).toBeNull();
});

test('a search finds prompts and answers with marked words and masked secrets', async () => {
  await using server = await openTestServer({
    answers: [says('The heron stands.'), says('Nothing.')],
    server: { mask: async (text) => text.replaceAll('swordfish', '[masked]') },
  });
  const first = await createTitled(server, 'Birds of the swordfish sea');
  const second = await createTitled(server, 'Other');
  for (const session of [first, second]) await prompt(server, session);
  const search = async (query: string) => (await server.send('GET', `/search?${query}`)).body;
  const { sessions, more } = await search('text=HERON');
  expect(more).toBe(false);
  expect(sessions).toMatchObject([{ session: first, title: 'Birds of the [masked] sea', records: 1 }]);
  const [answer] = sessions[0].texts;
  expect(answer).toMatchObject({ kind: 'answer', step: 0, parts: ['The ', 'heron', ' stands.'] });
  const { calls } = (await server.send('GET', `/sessions/${first}/calls`)).body;
  expect(answer).toMatchObject({ position: calls[0].answer, request: calls[0].request });
  // A secret is never in an excerpt, also if it was searched for.
  expect((await search('text=swordfish')).sessions).toMatchObject([
    { session: first, texts: [{ kind: 'title', parts: ['Birds of the [masked] sea'] }] },
  ]);
  const prompts = await search(`text=%22say+something%22&session=${second}`);
  expect(prompts.sessions).toMatchObject([
    { session: second, texts: [{ kind: 'prompt', step: 0, parts: ['', 'Say something', '.'] }] },
  ]);
  expect(await search('text=%22')).toMatchObject({ sessions: [], more: false });
  expect((await server.send('GET', '/search')).status).toBe(400);
});
