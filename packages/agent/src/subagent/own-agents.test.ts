// Tests own agents of the user: as subagents with their tools, model and limits, and as the agent of a whole session.

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { agent, goWithAgents, heeding, of, parentAsks } from '../../tests/small-family.ts';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import type { AgentShelf, OwnAgent } from '../ports/own-agent.ts';
import { createAgentTool } from './agent-tool.ts';

const look = made('look', () => ({ text: 'found' }));
const change = made('change', () => ({ text: 'changed' }));
const reader: OwnAgent = {
  name: 'reader',
  version: 'v1',
  source: 'workspace',
  description: 'Reads.',
  role: 'Read slowly.',
};

function shelfWith(...agents: readonly OwnAgent[]): AgentShelf {
  return { names: agents.map(({ name }) => name), find: (name) => agents.find((one) => one.name === name) };
}

const asks = (more: object = {}) => agent('a1', { agent: 'reader', task: 'Look.', ...more });

test('the text of an own agent is in the first prompt of the subagent, and the front is that of its parent', async () => {
  const provider = parentAsks([asks()], () => says('Seen.'));
  const { live, records, childrenOf } = await goWithAgents(provider, { tools: [look], agents: shelfWith(reader) });
  await live.prompt('Go.');
  const [child = []] = await childrenOf();
  expect(of(child, 'epoch.opened')[0]?.data).toEqual(of(await records(), 'epoch.opened')[0]?.data);
  expect(of(child, 'prompt.given')[0]?.data.parts).toEqual([
    { type: 'text', text: expect.stringContaining('instructions for the agent "reader":\nRead slowly.\n') },
  ]);
  expect(of(await records(), 'subagent.started')[0]?.data).toEqual({
    child: 'name-2',
    role: 'reader',
    task: 'Look.',
    call: 'a1',
    agent: { name: 'reader', version: 'v1', role: 'Read slowly.' },
  });
});

test('with the model of its parent, calls of other tools are refused and the list of tools stays', async () => {
  const provider = parentAsks([asks()], (said) =>
    said.some((text) => text.includes('may not use')) ? says('Done.') : calls(['c1', 'look'], ['c2', 'change']),
  );
  const agents = shelfWith({ ...reader, tools: ['lo*'] });
  const { live, childrenOf } = await goWithAgents(provider, { tools: [look, change], agents });
  await live.prompt('Go.');
  const [child = []] = await childrenOf();
  expect(of(child, 'epoch.opened')[0]?.data.tools.map(({ name }) => name)).toEqual(['agent', 'change', 'look']);
  expect(of(child, 'tool.started').map(({ data }) => data.name)).toEqual(['look']);
  expect(of(child, 'tool.failed').map(({ data }) => data.parts)).toEqual([
    [{ type: 'text', text: 'The agent "reader" may not use the tool "change". Its tools are: lo*.' }],
  ]);
});

test('a call that is forwarded to a tool outside of the list is refused too', async () => {
  const forwards = { ...made('call', () => ({})), forward: () => ({ tool: change, input: {} }) };
  const provider = parentAsks([asks()], (said) =>
    said.some((text) => text.includes('may not use')) ? says('Done.') : calls(['c1', 'call']),
  );
  const agents = shelfWith({ ...reader, tools: ['look'] });
  const { live, childrenOf } = await goWithAgents(provider, { tools: [look, forwards], agents });
  await live.prompt('Go.');
  const [child = []] = await childrenOf();
  expect(of(child, 'tool.started')).toEqual([]);
  expect(of(child, 'tool.failed')).toHaveLength(1);
});

test('an unknown name is refused with the nearest one, and starts nothing', async () => {
  const provider = parentAsks([agent('a1', { agent: 'raeder', task: 'Look.' })], () => says('Seen.'));
  const { live, records } = await goWithAgents(provider, { agents: shelfWith(reader) });
  await live.prompt('Go.');
  expect(of(await records(), 'subagent.started')).toEqual([]);
  expect(of(await records(), 'tool.failed')[0]?.data.parts).toEqual([
    { type: 'text', text: 'There is no own agent "raeder". Did you mean reader?' },
  ]);
});

const other = { provider: heeding(() => says('Seen by Haiku.')), capabilities: row('claude-haiku-4-5') };

test('a subagent with another model has a front of its own, with only its tools, and both are in the log', async () => {
  const asked: string[] = [];
  const findAgentModel = (name: string) => (asked.push(name), other);
  const agents = shelfWith({ ...reader, model: 'haiku', tools: ['look'] });
  const provider = parentAsks([asks()], () => says('Not this model.'));
  const { live, records, childrenOf } = await goWithAgents(provider, { tools: [look, change], agents, findAgentModel });
  await live.prompt('Go.');
  expect(asked).toEqual(['haiku', 'claude-haiku-4-5-20251001']);
  const [opened] = of((await childrenOf())[0] ?? [], 'epoch.opened');
  expect(opened?.data).toMatchObject({ model: 'claude-haiku-4-5-20251001', cause: 'initial' });
  expect(opened?.data).not.toHaveProperty('cached');
  expect(opened?.data.tools.map(({ name }) => name)).toEqual(['look']);
  expect(of(await records(), 'subagent.started')[0]?.data).toMatchObject({
    model: 'claude-haiku-4-5-20251001',
    provider: 'scripted',
    agent: { tools: ['look'] },
  });
  expect(of(await records(), 'subagent.ended')[0]?.data).toMatchObject({ summary: 'Seen by Haiku.' });
});

test('`subagentModel` is the model of a subagent whose own agent names none, and not of one that does', async () => {
  const provider = parentAsks([agent('a1', { task: 'One.' })], () => says('No.'));
  const family = await goWithAgents(provider, { subagentModel: other, agents: shelfWith(reader) });
  await family.live.prompt('Go.');
  expect(of(await family.records(), 'subagent.ended')[0]?.data.summary).toBe('Seen by Haiku.');
  const own = { ...other, provider: heeding(() => says('Seen by its own.')), capabilities: row('claude-opus-4-5') };
  const agents = shelfWith({ ...reader, model: 'opus' });
  const both = await goWithAgents(
    parentAsks([asks()], () => says('No.')),
    { subagentModel: other, agents, findAgentModel: () => own },
  );
  await both.live.prompt('Go.');
  expect(of(await both.records(), 'subagent.ended')[0]?.data.summary).toBe('Seen by its own.');
});

test('a model that cannot be used is refused before anything of the subagent is recorded or sent', async () => {
  const agents = shelfWith({ ...reader, model: 'gpt' });
  const findAgentModel = () => {
    throw new Error('there is no API key for OpenAI');
  };
  const { live, records } = await goWithAgents(
    parentAsks([asks()], () => says('No.')),
    { agents, findAgentModel },
  );
  await live.prompt('Go.');
  expect(of(await records(), 'subagent.started')).toEqual([]);
  expect(of(await records(), 'tool.failed')[0]?.data.parts).toEqual([
    { type: 'text', text: 'The model of the agent "reader" cannot be used: there is no API key for OpenAI' },
  ]);
});

test('the lower limit of the own agent and of all subagents applies', async () => {
  const agents = shelfWith({ ...reader, limits: { steps: 1 } });
  const provider = parentAsks([asks()], () => calls(['c1', 'look']));
  const { live, records } = await goWithAgents(provider, { tools: [look], agents, subagents: { steps: 5 } });
  await live.prompt('Go.');
  expect(of(await records(), 'tool.failed')[0]?.data.parts).toEqual([
    { type: 'text', text: expect.stringContaining('1 of 1 steps') },
  ]);
});

test('`setAgent` gives a session the role and the tools, and a session that is opened again keeps both', async () => {
  const answers: ScriptedAnswer[] = [says('One.'), says('Two.'), says('Three.')];
  const provider = answering(...answers);
  const tools = [look, change];
  const first = await goLive({ provider, runtime: { tools, agents: shelfWith({ ...reader, tools: ['look'] }) } });
  first.live.setAgent('reader');
  await first.live.prompt('Go.');
  await first.live.close();
  // The file has another text now. The session keeps the recorded one.
  const changed = shelfWith({ ...reader, version: 'v2', role: 'Read fast.' });
  const again = await goLive({ provider, shelf: first.shelf, runtime: { tools, agents: changed } });
  await again.live.prompt('On.');
  const [opened, ...more] = of(await again.records(), 'epoch.opened');
  expect(more).toEqual([]);
  expect(opened?.data.tools.map(({ name }) => name)).toEqual(['look']);
  expect(opened?.data.layers.map(({ name }) => name)).toContain('role');
  expect(of(await again.records(), 'agent.chosen').map(({ data }) => data)).toEqual([
    { name: 'reader', version: 'v1', role: 'Read slowly.', tools: ['look'] },
  ]);
  again.live.setAgent('reader');
  await again.live.prompt('Changed.');
  expect(of(await again.records(), 'epoch.opened')[1]?.data).toMatchObject({ cause: 'tools', also: ['role'] });
});

test('`setAgent` refuses an unknown name with the nearest one', async () => {
  const { live } = await goLive({ provider: answering(), runtime: { agents: shelfWith(reader) } });
  expect(() => live.setAgent('reeder')).toThrow(
    expect.objectContaining({ code: 'agent/unknown-agent', message: expect.stringContaining('Did you mean reader?') }),
  );
});

test('a session that began with the earlier definition of `agent` keeps it without an epoch', async () => {
  const now = createAgentTool();
  const { properties, ...rest } = JSON.parse(JSON.stringify(now.schema));
  const { agent: _new, ...before } = properties;
  const earlier = { ...now, schema: { ...rest, properties: before }, earlier: [] };
  const provider = answering(says('One.'), says('Two.'));
  const first = await goLive({ provider, runtime: { tools: [earlier], subagents: {} } });
  await first.live.prompt('Go.');
  await first.live.close();
  const again = await goLive({ provider, shelf: first.shelf, runtime: { tools: [now], subagents: {} } });
  await again.live.prompt('On.');
  expect(of(await again.records(), 'epoch.opened')).toHaveLength(1);
  expect(of(await again.records(), 'answer.received')).toHaveLength(2);
});
