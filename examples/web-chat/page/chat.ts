// Script of the page: follows the session, sends prompts, answers questions.

import type { FollowedEvent, SessionClient } from '@tidemark/client';
import { answerOf, createSessionClient, followSession, RequestError } from '@tidemark/client';
import { createOutbox } from './outbox.ts';
import { createView } from './view.ts';

const view = createView({ send: (text) => void send(text), stop: () => void stop(), answer });
const outbox = createOutbox({ post, changed: view.showPending, returned: view.returnText });
let session = new URLSearchParams(location.search).get('session') ?? undefined;
let client: SessionClient = createSessionClient({ url: `${location.origin}/api` });
await signIn().catch(fail);
if (session !== undefined) void follow(session);

/** Exchanges the code of the link for the token. The tab keeps the token, so a reload needs no new link. */
async function signIn(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    const { token } = await answerOf(client.POST('/link', { body: { code } }));
    sessionStorage.setItem('token', token);
  }
  const token = sessionStorage.getItem('token');
  if (token === null) return view.showNotice('This page needs the link that the server printed.');
  client = createSessionClient({ url: `${location.origin}/api`, token });
}

/** Shows the events of the session. A lost connection comes back by itself. */
async function follow(id: string): Promise<void> {
  view.showConnection('connecting …');
  try {
    for await (const event of followSession(client, id, { longestPauseMs: 2_000 })) show(event);
  } catch (error) {
    fail(error);
  }
}

function show(event: FollowedEvent): void {
  outbox.take(event);
  switch (event.type) {
    case 'record':
      return view.showRecord(event.record);
    case 'state':
      view.showConnection('');
      view.showArriving(event.state.text);
      return view.showQuestions(event.state.questions);
    case 'passing':
      return view.showPassing(event.event);
    case 'failed':
      return view.showNotice(event.error.message);
    case 'lost':
      return view.showConnection('connection lost; trying again …');
  }
}

async function send(text: string): Promise<void> {
  if (session === undefined) {
    const created = await answerOf(client.POST('/sessions', { body: {} })).catch(fail);
    if (created === undefined) return view.returnText(text);
    ({ session } = created);
    // After a reload the address leads to the session, and the outbox has the prompt.
    history.replaceState(null, '', `?session=${encodeURIComponent(session)}`);
    void follow(session);
  }
  outbox.add(session, text);
}

async function post(id: string, text: string, expected: number): Promise<void> {
  await answerOf(
    client.POST('/sessions/{session}/prompt', { params: { path: { session: id } }, body: { text, expected } }),
  );
}

async function stop(): Promise<void> {
  if (session === undefined) return;
  await answerOf(client.POST('/sessions/{session}/interrupt', { params: { path: { session } } })).catch(fail);
}

function answer(question: string, decision: 'allowed' | 'denied'): void {
  if (session === undefined) return;
  const path = { session, question };
  answerOf(client.POST('/sessions/{session}/questions/{question}', { params: { path }, body: { decision } })).catch(
    fail,
  );
}

function fail(error: unknown): void {
  const next = error instanceof RequestError ? ` ${error.next}` : '';
  view.showNotice(`${error instanceof Error ? error.message : 'failed'}.${next}`);
}
