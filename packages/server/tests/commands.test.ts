// Tests the commands that change the settings of a session, fork it or compact it.

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createSimulator } from '@tidemark/simulator';
import { expect, test } from 'vitest';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });
const ended = ({ event, data }: ServerEvent): boolean => event === 'record' && data.kind === 'turn.ended';

type Place = Awaited<ReturnType<typeof openTestServer>>;

/** Creates a session, sends a prompt and waits for the end of its turn. Returns the path of the session. */
async function talk(place: Place, text = 'Count to three.'): Promise<{ readonly id: string; readonly path: string }> {
  const { session } = (await place.send('POST', '/sessions', {})).body;
  await place.send('POST', `/sessions/${session}/prompt`, { text });
  await place.until(session, ended);
  return { id: session, path: `/sessions/${session}` };
}

/** Opens a server whose sessions use a simulator of Anthropic, so that other models can be named. */
async function openSimulated(texts: readonly string[], idleMs = 60_000) {
  const simulator = createSimulator();
  for (const text of texts) simulator.next({ answer: { text } });
  const door = await simulator.listen();
  const provider = { provider: 'anthropic', apiKey: 'key-of-a-test', baseURL: door.url } as const;
  const place = await openTestServer({ agent: provider, server: { idleMs } });
  const close = async (): Promise<void> => {
    await place[Symbol.asyncDispose]();
    await door.close();
  };
  return { ...place, [Symbol.asyncDispose]: close };
}

async function kindsOf(place: Place, path: string): Promise<readonly string[]> {
  const { records } = (await place.send('GET', `${path}/records?limit=1000`)).body;
  return records.map(({ kind }: { readonly kind: string }) => kind);
}

test('each permission mode can be set, and a session keeps it', async () => {
  await using place = await openTestServer({ answers: [says('One.')] });
  const { path } = await talk(place);
  for (const mode of ['read-only', 'accept-edits', 'auto', 'ask']) {
    expect((await place.send('PUT', `${path}/mode`, { mode })).status).toBe(200);
    expect((await place.send('GET', path)).body.mode).toBe(mode);
  }
  expect((await place.send('PUT', `${path}/mode`, { mode: 'plan' })).status).toBe(400);
});

test('another model continues in a fork, and the session keeps its own model', async () => {
  await using place = await openSimulated(['One.', 'Two.']);
  const { id, path } = await talk(place);
  const set = await place.send('PUT', `${path}/model`, { model: 'claude-opus-4-8' });
  expect(set).toMatchObject({ status: 200, body: { model: 'claude-opus-4-8', parent: { session: id } } });
  const fork = set.body.session;
  await place.send('POST', `/sessions/${fork}/prompt`, { text: 'Go on.' });
  await place.until(fork, ended, (await place.send('GET', path)).body.length);
  expect((await place.send('GET', `/sessions/${fork}`)).body).toMatchObject({ model: 'claude-opus-4-8' });
  expect((await place.send('GET', path)).body).toMatchObject({ model: 'claude-sonnet-5-5' });
});

test('a model that is set in place survives the closing of the idle session', async () => {
  await using place = await openSimulated(['One.', 'Two.'], 20);
  const { id, path } = await talk(place);
  const set = await place.send('PUT', `${path}/model`, { model: 'claude-opus-4-8', inPlace: true });
  expect(set).toMatchObject({ status: 200, body: { session: id } });
  await expect.poll(async () => (await place.send('GET', path)).body.open).toBe(false);
  const { length } = (await place.send('GET', path)).body;
  await place.send('POST', `${path}/prompt`, { text: 'Go on.' });
  await place.until(id, ended, length);
  expect((await place.send('GET', path)).body).toMatchObject({ model: 'claude-opus-4-8' });
});

test('an effort that the model does not have is refused, and changes nothing', async () => {
  await using place = await openSimulated(['One.']);
  const { path } = await talk(place);
  expect((await place.send('PUT', `${path}/effort`, { effort: 'low' })).status).toBe(200);
  const before = await kindsOf(place, path);
  expect(before).toContain('reasoning.set');
  expect(await place.send('PUT', `${path}/effort`, { effort: 'banana' })).toMatchObject({
    status: 400,
    body: { ok: false, error: { code: 'server/bad-request', next: expect.stringContaining('low') } },
  });
  expect(await kindsOf(place, path)).toEqual(before);
});

test('`/why` names the section whose parameters a setting changed', async () => {
  // This model does not accept a new effort as an appended message.
  await using place = await openTestServer({
    answers: [says('One.'), says('Two.')],
    agent: { model: 'claude-opus-4-5' },
  });
  const { id, path } = await talk(place);
  const { length } = (await place.send('GET', path)).body;
  expect((await place.send('PUT', `${path}/effort`, { effort: 'low' })).status).toBe(200);
  await place.send('POST', `${path}/prompt`, { text: 'Go on.' });
  await place.until(id, ended, length);
  expect((await place.send('GET', `${path}/why`)).body.explained).toMatchObject([
    { divergence: { at: 'parameters', section: 'messages' } },
  ]);
});

test('an own agent that does not exist is refused', async () => {
  await using place = await openTestServer({ answers: [says('One.')] });
  const { path } = await talk(place);
  expect(await place.send('PUT', `${path}/agent`, { agent: 'reviewer' })).toMatchObject({
    status: 422,
    body: { error: { code: 'agent/unknown-agent' } },
  });
});

test('a fork before a prompt begins with the records before it, and has its own title', async () => {
  await using place = await openTestServer({ answers: [says('One.'), says('Two.')] });
  const { id, path } = await talk(place, 'First.');
  const { length } = (await place.send('GET', path)).body;
  await place.send('POST', `${path}/prompt`, { text: 'Second.' });
  await place.until(id, ended, length);
  const { prompts } = (await place.send('GET', `${path}/prompts`)).body;
  expect(prompts).toMatchObject([
    { number: 1, words: 'First.' },
    { number: 2, words: 'Second.', begins: length },
  ]);
  const fork = await place.send('POST', `${path}/fork`, { beforePrompt: 2, title: 'another way' });
  expect(fork).toMatchObject({
    status: 201,
    body: { title: 'another way', parent: { session: id, position: length - 1 }, open: true },
  });
  const { messages } = (await place.send('GET', `/sessions/${fork.body.session}/messages`)).body;
  expect(messages.map(({ text }: { readonly text: string }) => text)).toEqual(['First.', 'One.']);
  expect(await place.send('POST', `${path}/fork`, { beforePrompt: 9 })).toMatchObject({
    status: 404,
    body: { error: { code: 'agent/no-such-record' } },
  });
  expect((await place.send('POST', `${path}/fork`, { at: 1, beforePrompt: 1 })).status).toBe(400);
});

test('a dry run of a compaction returns the plan and records nothing', async () => {
  await using place = await openTestServer({ answers: [says('One.')] });
  const { path } = await talk(place);
  const before = await kindsOf(place, path);
  const planned = await place.send('POST', `${path}/compact`, { dryRun: true, by: 'deterministic' });
  expect(planned).toMatchObject({ status: 200, body: { trigger: 'manual', sizes: {} } });
  expect(await kindsOf(place, path)).toEqual(before);
  expect((await place.send('POST', `${path}/compact`, { fresh: true, tailTokens: 10 })).status).toBe(400);
});

test('a fresh start creates a fork, and the session does not change', async () => {
  await using place = await openTestServer({ answers: [says('word '.repeat(20_000))] });
  const { path } = await talk(place, 'Write much. '.repeat(4_000));
  const before = await kindsOf(place, path);
  const made = await place.send('POST', `${path}/compact`, { fresh: true, by: 'deterministic' });
  expect(made).toMatchObject({ status: 200, body: { outcome: 'compacted', fork: expect.any(String) } });
  expect(await kindsOf(place, path)).toEqual(before);
  expect(await kindsOf(place, `/sessions/${made.body.fork}`)).toContain('history.compacted');
});
