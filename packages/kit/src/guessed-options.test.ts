// Tests option names that authors may know from another library. Each name is refused, and the error names the correct
// option.

import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

const provider = createScriptedProvider({ answers: [{ parts: [{ type: 'text', text: 'Hello.' }] }] });
const base = { model: 'claude-sonnet-5-5', provider } as const;

test.each<[object, string]>([
  [{ agents: {} }, 'no option agents: use subagents'],
  [{ hooks: {} }, 'hooks: expected an array of hooks: use [{ on, run }]'],
  [{ onStepFinish: () => 1 }, 'use the events of a turn: for await (const event of session.prompt(…))'],
  [{ abortSignal: 1 }, 'use the option signal of session.prompt(…)'],
  [{ limits: { maxTimeMs: 3 } }, 'no option limits.maxTimeMs: use limits.maxDurationMs'],
  [{ modelOptions: { temperature: 1 } }, 'no option modelOptions.temperature: use modelOptions.parameters'],
  [{ connection: { maxRetries: 3 } }, 'use connection.retry.attempts, which is maxRetries + 1'],
  [{ skills: ['./skills'] }, 'skills: expected an object, received a list: use { roots: [{ folder, source }] }'],
  [{ cache: '1h' }, 'cache: expected an object, received a string: use { ttl: "1h" }'],
  [{ compaction: false }, 'compaction: expected an object, received true or false: use { when: "manual" }'],
  [{ subagents: [] }, 'subagents: expected an object, received a list: use { parallel: 4 }'],
  [{ tools: {} }, 'tools: expected an array of tools: use [defineTool({ name, … })]'],
])('`createAgent` refuses the guess %j and names the option to use', (options, words) => {
  const message = expect.stringContaining(words);
  expect(() => Reflect.apply(createAgent, undefined, [{ ...base, ...options }])).toThrow(
    expect.objectContaining({ code: 'kit/bad-options', message }),
  );
});

test('`defineTool` names all unknown fields of a definition for the AI SDK together', () => {
  const tool = { name: 'x', description: 'X.', inputSchema: z.object({}), execute: () => 1 };
  expect(() => Reflect.apply(defineTool, undefined, [tool])).toThrow(
    'the tool x has an unknown field inputSchema: use input; and an unknown field execute: use run',
  );
});

test('`defineTool` says what a missing effect decides', () => {
  const tool = { name: 'x', description: 'X.', input: z.object({}), run: () => 1 };
  expect(() => Reflect.apply(defineTool, undefined, [tool])).toThrow('the tool x has no `effect`: use one of none');
});

test('`agent.open` says that the options come after the id', async () => {
  await using agent = createAgent(base);
  await expect(Reflect.apply(agent.open, agent, [{ title: 'Orders' }])).rejects.toMatchObject({
    code: 'kit/bad-id',
    message: expect.stringContaining('the options come after the id: open(undefined, { title })'),
  });
});

test.each<[unknown, object, string]>([
  [[{ role: 'user', content: 'Hi' }], {}, 'the session keeps the history, so pass only the new text'],
  ['Hi', { onChunk: () => 1 }, 'iterate the turn'],
  ['Hi', { system: 'x' }, 'use the option instructions of createAgent'],
  ['Hi', { effort: 'low' }, 'use session.setReasoning({ effort })'],
])('`prompt` refuses the guess %j, %j and says what to use', async (words, options, advice) => {
  await using agent = createAgent(base);
  const session = await agent.open();
  expect(() => Reflect.apply(session.prompt, session, [words, options])).toThrow(
    expect.objectContaining({ code: 'agent/bad-argument', message: expect.stringContaining(advice) }),
  );
});

test('`await using` closes a session and an agent', async () => {
  const agent = createAgent(base);
  const outside = await agent.open();
  {
    await using session = await agent.open('inside', { create: true });
    expect(agent.session(session.id)).toBe(session);
  }
  expect(agent.session('inside')).toBeUndefined();
  await agent[Symbol.asyncDispose]();
  expect(() => outside.prompt('Hi')).toThrow(expect.objectContaining({ code: 'agent/closed' }));
  await expect(agent.open()).rejects.toMatchObject({ code: 'kit/closed' });
});

test('the notice about an unknown answer of `ask` shows the answer', async () => {
  const save = defineTool({ name: 'save', description: 'S.', input: z.object({}), effect: 'write', run: () => 'ok' });
  const calling = createScriptedProvider({
    answers: [
      { parts: [{ type: 'call', call: 'c1', name: 'save', arguments: '{}' }] },
      { parts: [{ type: 'text', text: 'No.' }] },
    ],
  });
  const ask: unknown = () => ({ behavior: 'allow', updatedInput: {} });
  const options = { ...base, provider: calling, tools: [save], permissions: { ask } };
  await using agent: ReturnType<typeof createAgent> = Reflect.apply(createAgent, undefined, [options]);
  const session = await agent.open();
  const messages: string[] = [];
  for await (const event of session.prompt('Save.'))
    if (event.type === 'notice.raised') messages.push(event.notice.message);
  expect(messages).toEqual([
    expect.stringContaining('returned { behavior: "allow", updatedInput }: return true, false'),
  ]);
});
