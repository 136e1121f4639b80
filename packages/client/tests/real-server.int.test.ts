// Tests the client against a real server: requests, refusals, and a server that starts again while a session is followed.

import { openSessionProjection } from '@tidemark/analytics';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { newToken, openSessionServer } from '@tidemark/server';
import { expect, test } from 'vitest';
import { answerOf, createSessionClient, followSession, RequestError } from '../src/index.ts';

const TOKEN = newToken();
const STORE = () => createMemoryStore();

/** Opens a server whose sessions get these answers. */
async function openServer(answers: readonly string[], log = STORE(), port = 0) {
  const provider = createScriptedProvider({ answers: answers.map((text) => ({ parts: [{ type: 'text', text }] })) });
  const createOne = () => createAgent({ model: 'claude-sonnet-5-5', provider, store: log });
  const server = await openSessionServer({
    log,
    projection: await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: 'test' }),
    opener: {
      async create({ title }) {
        const one = createOne();
        return { session: await one.open(undefined, title === undefined ? {} : { title }), close: () => one.close() };
      },
      async open(id) {
        const one = createOne();
        return { session: await one.open(id), close: () => one.close() };
      },
      fork: () => Promise.reject(new Error('no test forks')),
    },
    token: TOKEN,
    version: 'test',
    port,
  });
  return { server, log, client: createSessionClient({ url: server.url, token: TOKEN }) };
}

test('the client creates a session, sends a prompt, and follows the answer to its end', async () => {
  const { server, client } = await openServer(['High water is at six.']);
  const { session } = await answerOf(client.POST('/sessions', { body: { title: 'tides' } }));
  const path = { session };
  await answerOf(
    client.POST('/sessions/{session}/prompt', { params: { path }, body: { text: 'When is high water?' } }),
  );
  const said: string[] = [];
  for await (const event of followSession(client, session)) {
    if (event.type !== 'record') continue;
    const { kind, data } = event.record;
    if (kind === 'answer.received') for (const part of data.parts) if (part.type === 'text') said.push(part.text);
    if (kind === 'turn.ended') break;
  }
  expect(said).toEqual(['High water is at six.']);
  const { sessions } = await answerOf(client.GET('/sessions', { params: { query: { limit: 10 } } }));
  expect(sessions).toMatchObject([{ session, title: 'tides' }]);
  await server.close();
});

test('a follower goes on when the server has started again, with each record once', async () => {
  const first = await openServer(['One.']);
  const { session } = await answerOf(first.client.POST('/sessions', { body: {} }));
  const path = { session };
  const prompt = (text: string) =>
    answerOf(first.client.POST('/sessions/{session}/prompt', { params: { path }, body: { text } }));
  await prompt('First.');
  const positions: number[] = [];
  let second: Awaited<ReturnType<typeof openServer>> | undefined;
  let turns = 0;
  for await (const event of followSession(first.client, session, { pauseMs: 1 })) {
    if (event.type === 'record') {
      positions.push(event.record.position);
      if (event.record.kind !== 'turn.ended') continue;
      turns += 1;
      if (turns === 2) break;
      await first.server.close();
    } else if (event.type === 'lost' && second === undefined) {
      second = await openServer(['Two.'], first.log, first.server.port);
      await prompt('Second.');
    }
  }
  expect(positions).toEqual(positions.map((_position, index) => index));
  await second?.server.close();
});

test.each([
  ['a wrong token', { token: newToken() }, 401, 'server/unauthorized'],
  ['a missing session', { token: TOKEN }, 404, 'log/missing'],
])('a request with %s throws the error of the server', async (_title, { token }, status, code) => {
  const { server } = await openServer([]);
  const client = createSessionClient({ url: server.url, token });
  const path = { session: 'nothing' };
  const expected = expect.objectContaining({ status, code, message: expect.stringMatching(/./) });
  await expect(answerOf(client.GET('/sessions/{session}', { params: { path } }))).rejects.toEqual(expected);
  await expect(followSession(client, 'nothing').next()).rejects.toBeInstanceOf(RequestError);
  await expect(followSession(client, 'nothing').next()).rejects.toEqual(expected);
  await server.close();
});
