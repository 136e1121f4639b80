// Tests an agent with each provider through the official SDKs and the simulator, and one session that moves between
// providers.

import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import type { ListeningSimulator, PlannedAnswer, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from './agent-options.ts';
import type { Agent } from './create-agent.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';
import { toolOutput } from './tool-output.ts';

let simulator: Simulator;
let door: ListeningSimulator;

beforeEach(async () => {
  simulator = createSimulator({ recordedSignatures: 'issued' });
  door = await simulator.listen();
});

afterEach(() => door.close());

/** Options that connect each provider to the simulator. */
const REACHED: { readonly [provider: string]: (url: string) => Partial<AgentOptions> } = {
  anthropic: (url) => ({ baseURL: url }),
  openai: (url) => ({ baseURL: `${url}/v1` }),
  openrouter: (url) => ({ provider: 'openrouter', baseURL: `${url}/api/v1` }),
  compatible: (url) => ({ provider: 'compatible', baseURL: `${url}/v1`, modelOptions: { contextWindow: 128_000 } }),
};

const look = defineTool({
  name: 'look',
  description: 'Looks at a place.',
  input: z.object({ place: z.string() }),
  effect: 'read',
  run: ({ place }) => `At ${place} stands: ${'a line of words. '.repeat(400)}`,
});

function agentOf(provider: string, model: string, more: Partial<AgentOptions> = {}): Agent {
  const reached = REACHED[provider]?.(door.url) ?? {};
  const role = 'You look at places and say what stands there. '.repeat(200);
  return createAgent({ model, apiKey: 'no-real-key-at-all', tools: [look], instructions: role, ...reached, ...more });
}

const looking = (place: string): PlannedAnswer => ({
  thinking: 'hm, I look',
  text: 'I look.',
  calls: [{ name: 'look', arguments: { place } }],
});

async function recordsOf(agent: Agent, session: string): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(sessionId(session))) records.push(record);
  return records;
}

function sent(): readonly { readonly wire: string; readonly endpoint: string; readonly status: number }[] {
  return simulator.calls.map(({ wire, endpoint, status }) => ({ wire, endpoint, status }));
}

describe('a turn of three calls', () => {
  test.each([
    ['anthropic', 'claude-sonnet-5-5', { wire: 'anthropic', endpoint: 'messages' }],
    ['openai', 'gpt-6.1-sol', { wire: 'openai', endpoint: 'responses' }],
    ['openrouter', 'anthropic/claude-sonnet-5.5', { wire: 'openrouter', endpoint: 'chat/completions' }],
    ['openrouter', 'openai/gpt-5.6-sol', { wire: 'openrouter', endpoint: 'chat/completions' }],
    ['compatible', 'gpt-5.4', { wire: 'openai', endpoint: 'chat/completions' }],
  ])('with %s, %s, completes', async (provider, model, way) => {
    for (const answer of [looking('a'), looking('b'), { text: 'Both are the same.' }]) simulator.next({ answer });
    const agent = agentOf(provider, model);
    const session = await agent.open();
    expect(await session.prompt('Look at a and b.')).toMatchObject({
      outcome: 'completed',
      text: 'Both are the same.',
    });
    expect(sent()).toEqual([1, 2, 3].map(() => expect.objectContaining({ ...way, status: 200 })));
    await agent.close();
  });
});

describe('OpenRouter', () => {
  const reads = (): readonly (number | undefined)[] => simulator.calls.map(({ counts }) => counts?.read);

  test('an Anthropic upstream gets cache markers, each call reads everything that earlier calls wrote, and the price is exact', async () => {
    for (const answer of [looking('a'), looking('b'), { text: 'done' }]) simulator.next({ answer });
    const agent = agentOf('openrouter', 'anthropic/claude-sonnet-5.5');
    const session = await agent.open();
    const { totals } = await session.prompt('Look at a and b.');
    const [first, second, third] = simulator.calls.map(({ counts }) => counts);
    expect(first).toMatchObject({ read: 0 });
    expect(second?.read).toBe(first?.writtenShort);
    expect(third?.read).toBe((second?.read ?? 0) + (second?.writtenShort ?? 0));
    expect(third?.read).toBeGreaterThan(2_000);
    expect(totals.cost).toMatch(/^0\.0\d+$/);
    await agent.close();
  });

  test('every request of a session has the same session id, so that the session stays with one upstream, and another session has another id', async () => {
    const bodies: string[] = [];
    const onRequest = (body: Uint8Array): void => void bodies.push(Buffer.from(body).toString());
    const agent = agentOf('openrouter', 'anthropic/claude-sonnet-5.5', { connection: { onRequest } });
    const [one, other] = [await agent.open(), await agent.open()];
    await one.prompt('hello');
    await one.side({ purpose: 'title', prompt: 'Name it.', history: 'main' });
    await one.prompt('again');
    await other.prompt('hello');
    const said = bodies.map((body) => /"session_id":"(tm3\.[^"]+)"/.exec(body)?.[1]);
    expect(said.slice(0, 3)).toEqual([said[0], said[0], said[0]]);
    expect(new Set(said).size).toBe(2);
    await agent.close();
  });

  test('an unknown upstream gets no cache markers, and its cache usage is not recorded', async () => {
    const bodies: string[] = [];
    const unknown = createSimulator({ capabilities: () => ({ ...row, provider: 'somebody' }) });
    const listening = await unknown.listen();
    const agent = agentOf('openrouter', 'somebody/some-model', {
      modelOptions: { contextWindow: 200_000 },
      baseURL: `${listening.url}/api/v1`,
      connection: { onRequest: (body) => void bodies.push(Buffer.from(body).toString()) },
    });
    const row = agent.capabilities;
    const session = await agent.open();
    await session.prompt('hello');
    await session.prompt('and again');
    const answered = (await recordsOf(agent, session.id)).filter(({ kind }) => kind === 'answer.received');
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body).not.toContain('cache_control');
    for (const { data } of answered) expect(data).not.toHaveProperty('usage.read');
    expect(reads()).toEqual([]);
    await agent.close();
    await listening.close();
  });
});

test("no provider's key is written to the log, whether it comes from an option or from the environment", async () => {
  const keys = {
    ANTHROPIC_API_KEY: 'key-of-anthropic-1',
    OPENAI_API_KEY: 'key-of-openai-22',
    OPENROUTER_API_KEY: 'key-of-router-333',
  };
  const option = 'key-by-option-4444';
  const agent = agentOf('openai', 'gpt-6.1-sol', { apiKey: option, host: { environment: keys } });
  const session = await agent.open();
  await session.prompt(`keys: ${option} ${Object.values(keys).join(' ')}`);
  const text = JSON.stringify(await recordsOf(agent, session.id));
  for (const key of [option, ...Object.values(keys)]) expect(text).not.toContain(key);
  await agent.close();
});

describe('a session that moves between providers', () => {
  const STEPS = [
    ['anthropic', 'claude-sonnet-5-5'],
    ['openai', 'gpt-6.1-sol'],
    ['openrouter', 'anthropic/claude-sonnet-5.5'],
    ['compatible', 'gpt-4o'],
    ['anthropic', 'claude-sonnet-5-5'],
  ] as const;

  /** Runs one turn with each provider of `STEPS` in a single session. Each turn makes one tool call. */
  async function travel(): Promise<{ readonly records: readonly Recorded[]; readonly bodies: readonly string[] }> {
    const store = createMemoryStore();
    const bodies: string[] = [];
    let id: string | undefined;
    let records: readonly Recorded[] = [];
    for (const [provider, model] of STEPS) {
      simulator.next({ answer: looking(provider) });
      simulator.next({ answer: { text: `Seen with ${provider}.` } });
      const onRequest = (body: Uint8Array): void => void bodies.push(Buffer.from(body).toString());
      const agent = agentOf(provider, model, { store, connection: { onRequest } });
      const session = await agent.open(id);
      id = session.id;
      expect(await session.prompt(`Look at ${provider}.`)).toMatchObject({ outcome: 'completed' });
      records = await recordsOf(agent, id);
      await agent.close();
    }
    return { records, bodies };
  }

  test('is accepted by each provider, opens an epoch with cause `model` and a price, and sends no reasoning of other makers', async () => {
    const { records, bodies } = await travel();
    expect(sent().map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const epochs = records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? [data] : []));
    expect(epochs.map(({ cause, provider }) => [cause, provider])).toEqual([
      ['initial', 'anthropic'],
      ['model', 'openai'],
      ['model', 'openrouter'],
      ['model', 'compatible'],
      ['model', 'anthropic'],
    ]);
    const rewrites = epochs.map(({ forecast }) => forecast);
    for (const { rewrite } of rewrites.slice(1)) expect(rewrite).toBeGreaterThan(2_000);
    for (const at of [1, 2, 4]) expect(rewrites[at]?.cost).toMatch(/^0\.0\d+$/);
    // The local model's price is unknown, so the record has no cost (L7).
    expect(rewrites[3]).not.toHaveProperty('cost');
    const thinks = bodies.map((body) => body.includes('hm, I look') || body.includes('"type":"reasoning"'));
    // The reasoning of a model is sent only to the maker of that model. It is sent within the turn, and again when the
    // session returns to that maker.
    expect(thinks).toEqual([false, true, false, true, false, false, false, false, true, true]);
  });

  test('uses call ids that every provider accepts, with the same id for a call and its result', async () => {
    const { bodies } = await travel();
    const last = bodies.at(-1) ?? '';
    const made = [...last.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, id]) => id);
    const told = [...last.matchAll(/"tool_use_id":"([^"]+)"/g)].map(([, id]) => id);
    expect(made).toHaveLength(5);
    expect(told).toEqual(made);
    for (const id of made) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });
});

test('OpenAI accepts a session with repeated call ids, because reasoning is dropped if the id of its call had to change', async () => {
  const again = { thinking: 'hm, I look', calls: [{ id: 'call_1', name: 'look', arguments: { place: 'a' } }] };
  for (const answer of [again, again, { text: 'Both are the same.' }, { text: 'Still.' }]) simulator.next({ answer });
  const bodies: string[] = [];
  const onRequest = (body: Uint8Array): void => void bodies.push(Buffer.from(body).toString());
  const agent = agentOf('openai', 'gpt-6.1-sol', { connection: { onRequest } });
  const session = await agent.open();
  expect(await session.prompt('Look twice.')).toMatchObject({ outcome: 'completed', text: 'Both are the same.' });
  expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'Still.' });
  const last = bodies.at(-1) ?? '';
  expect(last.match(/"type":"reasoning"/g)).toHaveLength(1);
  expect([...last.matchAll(/"type":"function_call","call_id":"([^"]+)"/g)].map(([, id]) => id)).toEqual([
    'call_1',
    expect.stringMatching(/^call_1_\d+$/),
  ]);
  await agent.close();
});

describe('with `transport: auto`', () => {
  test('a session reuses its own connection, and closing the agent closes all connections', async () => {
    const agent = agentOf('openai', 'gpt-6.1-sol', { connection: { transport: 'auto' } });
    const [one, other] = [await agent.open(), await agent.open()];
    await one.prompt('one');
    await one.prompt('two');
    await other.prompt('one');
    // Another model gets its own provider object and therefore its own connection.
    await other.setModel('gpt-4o');
    await other.prompt('two');
    const ways = (await recordsOf(agent, one.id)).flatMap(({ kind, data }) =>
      kind === 'answer.received' ? [data.transport] : [],
    );
    expect(ways).toEqual([
      { kind: 'websocket', continuation: false },
      { kind: 'websocket', continuation: true },
    ]);
    expect(door.webSockets()).toBe(3);
    await agent.close();
    await vi.waitFor(() => expect(door.webSockets()).toBe(0), { timeout: 30_000 });
  });

  test('a provider that the author made is not closed by the agent', async () => {
    let closed = 0;
    const provider = { ...createScriptedProvider({ answers: [] }), close: () => void (closed += 1) };
    const agent = createAgent({ model: 'claude-sonnet-5-5', provider });
    const session = await agent.open();
    await session.setModel('claude-sonnet-5-5', { provider });
    await agent.close();
    expect(closed).toBe(0);
  });
});

describe('a session that switches its model', () => {
  const environment = { OPENAI_API_KEY: 'key-of-openai-22' };
  const epochsOf = (records: readonly Recorded[]): readonly (readonly string[])[] =>
    records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? [[data.cause, data.model]] : []));

  test('moves to another provider and back, and each provider has its own key, address and output limit', async () => {
    const bodies: string[] = [];
    const onRequest = (body: Uint8Array): void => void bodies.push(Buffer.from(body).toString());
    const agent = agentOf('anthropic', 'claude-sonnet-5-5', { host: { environment }, connection: { onRequest } });
    const session = await agent.open();
    await session.prompt('one');
    await session.setModel('gpt-4o', { baseURL: `${door.url}/v1` });
    await session.prompt('two');
    await session.setModel('claude-sonnet-5-5');
    expect(await session.prompt('three')).toMatchObject({ outcome: 'completed' });
    expect(simulator.calls.map(({ endpoint }) => endpoint)).toEqual(['messages', 'responses', 'messages']);
    expect(epochsOf(await recordsOf(agent, session.id))).toEqual([
      ['initial', 'claude-sonnet-5-5'],
      ['model', 'gpt-4o'],
      ['model', 'claude-sonnet-5-5'],
    ]);
    const limits = bodies.map((body) => /"max_(?:output_)?tokens":(\d+)/.exec(body)?.[1]);
    expect(limits).toEqual(['32000', '16384', '32000']);
    await agent.close();
  });

  test('forks with another model, each session calls its own provider, and the agent closes both sessions', async () => {
    const agent = agentOf('anthropic', 'claude-sonnet-5-5', { host: { environment } });
    const session = await agent.open();
    await session.prompt('one');
    const other = await session.fork({ model: 'gpt-4o', baseURL: `${door.url}/v1` });
    await other.prompt('two');
    await session.prompt('three');
    expect(simulator.calls.map(({ endpoint }) => endpoint)).toEqual(['messages', 'responses', 'messages']);
    expect(epochsOf(await recordsOf(agent, session.id))).toEqual([['initial', 'claude-sonnet-5-5']]);
    expect(epochsOf(await recordsOf(agent, other.id))).toEqual([
      ['initial', 'claude-sonnet-5-5'],
      ['model', 'gpt-4o'],
    ]);
    await agent.close();
    expect(() => other.prompt('four')).toThrow(expect.objectContaining({ code: 'agent/closed' }));
  });

  test('forks with the same model at another provider if only the provider is named', async () => {
    const agent = agentOf('anthropic', 'claude-sonnet-5-5');
    const session = await agent.open();
    await session.prompt('one');
    const scripted = createScriptedProvider({ answers: [{ parts: [{ type: 'text', text: 'two' }] }] });
    const fork = await session.fork({ provider: scripted });
    expect(await fork.prompt('two')).toMatchObject({ outcome: 'completed', text: 'two' });
    expect(scripted.sent).toHaveLength(1);
    await agent.close();
  });

  test('that switches back before the next request opens no epoch', async () => {
    const agent = agentOf('anthropic', 'claude-sonnet-5-5', { host: { environment } });
    const session = await agent.open();
    await session.prompt('one');
    await session.setModel('gpt-6.1-sol');
    await session.setModel('claude-sonnet-5-5');
    await session.prompt('two');
    expect(epochsOf(await recordsOf(agent, session.id))).toHaveLength(1);
    await agent.close();
  });

  test('drops the `transport` option for another provider and restores it for OpenAI', async () => {
    const keys = { ...environment, ANTHROPIC_API_KEY: 'key-of-anthropic-1' };
    const agent = agentOf('openai', 'gpt-6.1-sol', { host: { environment: keys }, connection: { transport: 'auto' } });
    const session = await agent.open();
    await session.setModel('claude-sonnet-5-5', { baseURL: door.url });
    await session.prompt('one');
    await session.setModel('gpt-6.1-sol');
    await session.prompt('two');
    const ways = (await recordsOf(agent, session.id)).flatMap(({ kind, data }) =>
      kind === 'answer.received' ? [data.transport?.kind] : [],
    );
    expect(ways).toEqual([undefined, 'websocket']);
    await agent.close();
  });

  test('rejects a model that cannot be reached and keeps its own model', async () => {
    const agent = agentOf('anthropic', 'claude-sonnet-5-5');
    const session = await agent.open();
    await expect(session.setModel('gpt-6.1-sol')).rejects.toMatchObject({ code: 'kit/no-key' });
    await expect(session.setModel('unheard-of')).rejects.toMatchObject({ code: 'kit/unknown-model' });
    expect(await session.prompt('one')).toMatchObject({ outcome: 'completed' });
    await agent.close();
  });

  test('keeps its images: they are sent as images if the provider accepts images in results, otherwise as text that names them (L6)', async () => {
    const photo = defineTool({
      name: 'photo',
      description: 'Takes a photo.',
      input: z.object({}),
      effect: 'read',
      run: () => toolOutput({ text: 'a dot', images: [{ data: Buffer.from(DOT, 'base64'), mediaType: 'image/png' }] }),
    });
    const bodies: string[] = [];
    const onRequest = (body: Uint8Array): void => void bodies.push(Buffer.from(body).toString());
    const keys = { ...environment, OPENROUTER_API_KEY: 'key-of-router-333' };
    const agent = agentOf('anthropic', 'claude-sonnet-5-5', {
      host: { environment: keys },
      tools: [photo],
      connection: { onRequest },
    });
    const session = await agent.open();
    simulator.next({ answer: { calls: [{ name: 'photo', arguments: {} }] } });
    await session.prompt('Take one.');
    await session.setModel('gpt-6.1-sol', { baseURL: `${door.url}/v1` });
    await session.prompt('What is on it?');
    await session.setModel('anthropic/claude-sonnet-5.5', { baseURL: `${door.url}/api/v1` });
    await session.prompt('And you?');
    await session.setModel('claude-sonnet-5-5');
    expect(await session.prompt('And you again?')).toMatchObject({ outcome: 'completed' });
    expect(bodies.slice(1).map((body) => body.includes(DOT))).toEqual([true, true, false, true]);
    expect(bodies[3]).toContain('[image left out: a tool message takes text only. image/png, ');
    await agent.close();
  });
});

/** PNG of one pixel, in base64. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
