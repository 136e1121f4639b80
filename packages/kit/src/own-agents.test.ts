// Tests own agents through `createAgent`: the note that lists them, sessions with one, and the models of subagents.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recorded } from '@tidemark/log';
import type { ScriptedAnswer, ScriptedProvider } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from './agent-options.ts';
import type { Agent } from './create-agent.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

const MODEL = 'claude-sonnet-5-5';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-own-agents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function install(name: string, fields = '', text = `You are ${name}.`): Promise<void> {
  await writeFile(join(folder, `${name}.md`), `---\ndescription: About ${name}.\n${fields}---\n${text}\n`);
}

function agentWith(
  answers: readonly ScriptedAnswer[],
  options: Partial<AgentOptions> = {},
): { readonly agent: Agent; readonly provider: ScriptedProvider } {
  const provider = createScriptedProvider({ answers });
  const ownAgents = { roots: [{ folder, source: 'home' }] };
  const agent = createAgent({ model: MODEL, provider, subagents: {}, ownAgents, cache: { warm: 'off' }, ...options });
  onTestFinished(() => agent.close());
  return { agent, provider };
}

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });

async function recordsOf(agent: Agent, id: string): Promise<readonly Recorded[]> {
  const session = agent.session(id);
  return session === undefined ? [] : Array.fromAsync(agent.log.read(session.id));
}

function bodyOf({ sent }: ScriptedProvider, index: number): string {
  return new TextDecoder().decode(sent[index]?.body);
}

test('a note lists the own agents, and a changed file changes the note and not the front', async () => {
  await install('reader', 'tools: [read]\n');
  await install('hidden', 'modle: opus\n');
  const { agent, provider } = agentWith([says('One.'), says('Two.')]);
  const session = await agent.open();
  await session.prompt('Hello.');
  expect(bodyOf(provider, 0)).toContain('- reader: About reader. (tools read)');
  expect(bodyOf(provider, 0)).not.toContain('hidden');
  await install('writer');
  await session.prompt('Again.');
  expect(bodyOf(provider, 1)).toContain('This list replaces the earlier list.');
  const kinds = (await recordsOf(agent, session.id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'epoch.opened' || kind === 'tools.changed')).toEqual(['epoch.opened']);
});

test('without files, and without subagents, a session gets no note', async () => {
  const without = agentWith([says('One.')]);
  await (await without.agent.open()).prompt('Hello.');
  await install('reader');
  const alone = agentWith([says('One.')], { subagents: false });
  await (await alone.agent.open()).prompt('Hello.');
  expect([bodyOf(without.provider, 0), bodyOf(alone.provider, 0)].join()).not.toContain('Own agents of the user');
});

test('`open` with an own agent gives a new session its role, tools, model and effort', async () => {
  await install('reader', 'tools: look\nmodel: opus 4.5\neffort: low\n', 'Read slowly.');
  const tool = (name: string) =>
    defineTool({
      name,
      description: name,
      effect: 'read',
      input: { '~standard': STANDARD },
      run: async () => ({ text: name }),
    });
  const { agent, provider } = agentWith([says('One.')], { tools: [tool('look'), tool('change')] });
  const session = await agent.open(undefined, { agent: 'reader' });
  await session.prompt('Hello.');
  const records = await recordsOf(agent, session.id);
  const opened = records.find((record) => record.kind === 'epoch.opened');
  expect(opened?.data).toMatchObject({
    model: 'claude-opus-4-5-20251101',
    parameters: { effort: 'low' },
    tools: [{ name: 'look' }],
  });
  expect(bodyOf(provider, 0)).toContain('Read slowly.');
  expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
});

const STANDARD = {
  version: 1,
  vendor: 'test',
  validate: (value: unknown) => ({ value }),
  jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
} as const;

test('`open` refuses an own agent that does not exist or cannot be used, and creates no session', async () => {
  await install('reader', 'effort: extreme\nmodel: opus\n');
  const { agent } = agentWith([]);
  await expect(agent.open(undefined, { agent: 'writer' })).rejects.toMatchObject({ code: 'agent/unknown-agent' });
  await expect(agent.open(undefined, { agent: 'reader' })).rejects.toThrow(
    'The own agent "reader" cannot be used: effort: claude-opus-5-5 does not have the effort "extreme"',
  );
  await expect(agent.open('s1', { agent: 'reader' })).rejects.toThrow('`agent` is only for a new session');
  expect((await agent.log.sessions({})).sessions).toEqual([]);
});

test('an agent whose model has no key is not listed, and a model of subagents without a key is refused at once', async () => {
  await install('reader', 'model: gpt\n');
  const { agent, provider } = agentWith([says('One.')]);
  await (await agent.open()).prompt('Hello.');
  expect(bodyOf(provider, 0)).not.toContain('About reader');
  expect(() => agentWith([], { subagents: { model: 'gpt' } })).toThrow('there is no API key for OpenAI');
});

test('`otherProviders` has the key of another provider, which is masked like every key', async () => {
  await install('reader', 'model: gpt\n');
  const { agent, provider } = agentWith([says('One.')], {
    otherProviders: { openai: { apiKey: 'sk-secret-of-another' } },
  });
  await (await agent.open()).prompt('What is sk-secret-of-another?');
  expect(bodyOf(provider, 0)).toContain('About reader');
  expect(bodyOf(provider, 0)).not.toContain('sk-secret-of-another');
});
