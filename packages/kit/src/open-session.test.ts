// Tests `agent.open` with ids that the program chooses, and with wrong arguments.

import { createMemoryStore } from '@tidemark/store-memory';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { sessionId } from '@tidemark/log';
import { expect, onTestFinished, test } from 'vitest';
import type { Agent } from './create-agent.ts';
import { createAgent } from './create-agent.ts';

function agentOf(store = createMemoryStore()): Agent {
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }] }) });
  const agent = createAgent({ model: 'claude-sonnet-5-5', provider, store, permissions: { mode: 'auto' } });
  onTestFinished(() => agent.close());
  return agent;
}

test('`open` with `create` creates a session with the given id and title, and opens the same session later', async () => {
  const store = createMemoryStore();
  const first = agentOf(store);
  const session = await first.open('chat-17', { create: true, title: 'A chat' });
  expect([session.id, session.mode]).toEqual(['chat-17', 'auto']);
  await session.prompt('Hello.');
  await first.close();
  const again = await agentOf(store).open('chat-17', { create: true, title: 'Another title' });
  expect(await again.prompt('Still there?')).toMatchObject({ outcome: 'completed' });
  const { sessions } = await store.sessions();
  expect(sessions).toEqual([expect.objectContaining({ session: 'chat-17', title: 'A chat' })]);
  const prompts = (await Array.fromAsync(store.read(again.id))).filter(({ kind }) => kind === 'prompt.given');
  expect(prompts).toHaveLength(2);
});

test('an existing session keeps its recorded mode in an agent without `permissions`', async () => {
  const store = createMemoryStore();
  const first = agentOf(store);
  await first.open('chat-17', { create: true }).then((session) => session.prompt('Hello.'));
  await first.close();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }] }) });
  await using agent = createAgent({ model: 'claude-sonnet-5-5', provider, store });
  expect((await agent.open('chat-17')).mode).toBe('auto');
  expect((await agent.fork('chat-17')).mode).toBe('auto');
  expect((await agent.open()).mode).toBe('read-only');
});

test('`open` without `create` refuses an id that no session has', async () => {
  await expect(agentOf().open('chat-17')).rejects.toMatchObject({ code: 'log/missing' });
});

test('`open` with `create` opens the session that another program creates at the same time', async () => {
  const store = createMemoryStore();
  let isFirst = true;
  const raced = {
    ...store,
    create: async (...given: Parameters<typeof store.create>) => {
      if (isFirst) await (await agentOf(store).open('chat-17', { create: true })).close();
      isFirst = false;
      return store.create(...given);
    },
  };
  const session = await agentOf(raced).open('chat-17', { create: true });
  expect(await session.prompt('Hello.')).toMatchObject({ outcome: 'completed' });
});

test('`open` with `create` refuses a session that is open elsewhere', async () => {
  const store = createMemoryStore();
  await agentOf(store).open('chat-17', { create: true });
  await expect(agentOf(store).open('chat-17', { create: true })).rejects.toMatchObject({ code: 'log/locked' });
});

test.each([[''], ['a/b'], ['..'], ['.hidden'], ['a b'], ['a'.repeat(129)], [17], [null], [{ title: 'A chat' }]])(
  '`open` and `fork` refuse the id %j with the rule for ids',
  async (id) => {
    const agent = agentOf();
    const rule = 'is not a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit first';
    const refused = { code: 'kit/bad-id', message: expect.stringContaining(rule) };
    await expect(Reflect.apply(agent.open, agent, [id, { create: true }])).rejects.toMatchObject(refused);
    await expect(Reflect.apply(agent.fork, agent, [id])).rejects.toMatchObject(refused);
    expect((await agent.log.sessions()).sessions).toEqual([]);
  },
);

test('`open` and `fork` refuse an option that they do not have', async () => {
  const agent = agentOf();
  const refused = (message: string): object => ({ code: 'kit/bad-options', message });
  await expect(Reflect.apply(agent.open, agent, ['chat-17', { creat: true }])).rejects.toMatchObject(
    refused('agent.open has no option creat: use title, create, agent, keepModel, recordModel'),
  );
  await expect(Reflect.apply(agent.fork, agent, ['chat-17', { modle: 'x' }])).rejects.toMatchObject(
    refused(
      'agent.fork has no option modle: use at, beforePrompt, summarize, title, model, provider, baseURL, contextWindow',
    ),
  );
  await expect(Reflect.apply(agent.open, agent, ['chat-17', { create: 'yes' }])).rejects.toMatchObject(
    refused('agent.open: `create` has to be true or false'),
  );
  expect((await agent.log.sessions()).sessions).toEqual([]);
});

test('`open` of a session that this agent has open names `agent.session`, which returns it', async () => {
  const agent = agentOf();
  const session = await agent.open('chat-17', { create: true });
  await expect(agent.open('chat-17', { create: true })).rejects.toMatchObject({
    code: 'log/locked',
    message:
      "the session chat-17 is already open in this agent: get it with agent.session('chat-17'), or close it first",
  });
  expect(agent.session('chat-17')).toBe(session);
  await session.close();
  expect(agent.session('chat-17')).toBeUndefined();
  expect((await agent.open('chat-17')).id).toBe('chat-17');
});

test('`agent.messages` accepts an id that the program chose, for a session that is open or closed', async () => {
  const agent = agentOf();
  const session = await agent.open('chat-17', { create: true });
  await session.prompt('Hello.');
  const whileOpen = await Array.fromAsync(agent.messages('chat-17'), ({ text }) => text);
  await session.close();
  expect([whileOpen, await Array.fromAsync(agent.messages('chat-17'), ({ text }) => text)]).toEqual([
    ['Hello.', 'Yes.'],
    ['Hello.', 'Yes.'],
  ]);
  expect(() => agent.messages('no id')).toThrow(expect.objectContaining({ code: 'kit/bad-id' }));
});

test('`open` with `recordModel`, and `fork` with a model, record the model before the first request', async () => {
  const agent = agentOf();
  const { model, provider } = agent.capabilities;
  const firstRecord = async (id: string, at = 0): Promise<unknown> => {
    for await (const { data } of agent.log.read(sessionId(id), at)) return data;
    return undefined;
  };
  expect(await firstRecord((await agent.open(undefined, { recordModel: true })).id)).toMatchObject({ model, provider });
  const plain = await agent.open();
  expect(await firstRecord(plain.id)).not.toHaveProperty('model');
  const other = createScriptedProvider({ respond: () => ({ parts: [] }) });
  for (const fork of [
    await agent.fork(plain.id, { model: 'claude-haiku-4-5', provider: other }),
    await plain.fork({ model: 'claude-haiku-4-5', provider: other }),
  ])
    expect(await firstRecord(fork.id, 2)).toMatchObject({ model: expect.stringContaining('claude-haiku-4-5') });
  await expect(agent.open('chat-17', { create: true, recordModel: true })).rejects.toMatchObject({
    code: 'kit/bad-options',
  });
});

test('`agent.fork` accepts a model, as `session.fork` does, and a wrong name leaves no fork behind', async () => {
  const agent = agentOf();
  const session = await agent.open('chat-17', { create: true });
  await session.prompt('Hello.');
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Other.' }] }) });
  const other = await agent.fork('chat-17', { model: 'claude-haiku-4-5', provider });
  expect(await other.prompt('And you?')).toMatchObject({ text: 'Other.' });
  await expect(agent.fork('chat-17', { model: 'no-such-model', provider })).rejects.toMatchObject({
    code: 'kit/unknown-model',
  });
  expect((await agent.log.sessions()).sessions).toHaveLength(2);
});

test('`fork` refuses `at` together with `beforePrompt`', async () => {
  const agent = agentOf();
  const session = await agent.open('chat-17', { create: true });
  await session.prompt('Hello.');
  const refused = { code: 'agent/bad-argument', message: expect.stringContaining('pass one of them') };
  await expect(session.fork({ at: 1, beforePrompt: -1 })).rejects.toMatchObject(refused);
  await expect(agent.fork('chat-17', { at: 1, beforePrompt: -1 })).rejects.toMatchObject(refused);
});
