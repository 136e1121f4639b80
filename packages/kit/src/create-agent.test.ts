// Tests `createAgent` as an author uses it: checked options, in-memory store, scripted provider, and a turn with a
// custom tool.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ContextSource, SessionEvent } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer, ScriptedProvider } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

const MODEL = 'claude-sonnet-5-5';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-kit-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'none',
  run: ({ a, b }) => ({ sum: a + b }),
});

function saying(...answers: readonly (string | ScriptedAnswer)[]): ScriptedProvider {
  return createScriptedProvider({
    answers: answers.map((answer) =>
      typeof answer === 'string' ? { parts: [{ type: 'text', text: answer }] } : answer,
    ),
  });
}

function calling(name: string, input: object): ScriptedAnswer {
  return { parts: [{ type: 'call', call: callId(`call_${name}`), name, arguments: JSON.stringify(input) }] };
}

const bodiesOf = (provider: ScriptedProvider): readonly string[] =>
  provider.sent.map(({ body }) => new TextDecoder().decode(body));

const sourceNamed = (name: string): ContextSource => ({
  name,
  revision: () => name,
  render: () => name,
  affectedBy: () => false,
});

describe('`createAgent` options', () => {
  const refused = (options: object): unknown => {
    try {
      createAgent({ model: MODEL, provider: saying(), ...options });
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test.each([
    [{ stor: 'memory' }, 'there is no option stor, did you mean store?'],
    [{ permissions: { mod: 'auto' } }, 'there is no option permissions.mod, did you mean mode?'],
    [{ permissions: { grants: {} } }, 'permissions.grants.kept: is missing: expected a function'],
    [{ limits: { maxStep: 3 } }, 'there is no option limits.maxStep, did you mean maxSteps?'],
    [{ banana: 1 }, 'there is no option banana: the options are model, provider, apiKey'],
    [{ web: { search: 'google' } }, 'web.search: '],
    [{ connection: { transport: 'websocket' } }, 'connection.transport: '],
    [{ store: '' }, 'store: expected "memory", the path of a folder, { home: folder } or a store'],
    [{ store: 3 }, 'store: expected "memory", the path of a folder'],
    [{ limits: { maxCost: Number.NaN } }, 'limits.maxCost: expected US dollars as a number that is not negative'],
    [{ limits: { maxCost: -0.5 } }, 'limits.maxCost: '],
    [{ limits: { maxCost: Infinity } }, 'limits.maxCost: '],
    [{ limits: { maxCost: '-1' } }, 'limits.maxCost: '],
    [{ cache: { rewriteNotice: { token: 3 } } }, 'there is no option cache.rewriteNotice.token, did you mean tokens?'],
    [{ limits: { maxCost: '$1' } }, 'limits.maxCost: expected US dollars as a number'],
    [{ model: '' }, 'model: '],
    [{ provider: 'google' }, 'provider: expected one of anthropic, openai, openrouter, compatible, deepseek, groq,'],
    [{ provider: 'compatible', modelOptions: { contextWindow: 0.5 } }, 'modelOptions.contextWindow: '],
    [{ cache: { padding: 'sometimes' } }, 'cache.padding: '],
    [{ context: { runtimeInstructions: 'none' } }, 'context.runtimeInstructions: '],
    [{ skills: { roots: [], budget: { skils: 1 } } }, 'there is no option skills.budget.skils, did you mean skills?'],
    [{ mcp: { server: {} } }, 'there is no option mcp.server, did you mean servers?'],
    [{ mcp: { servers: { a: { comand: 'x' } } } }, 'there is no option mcp.servers.a.comand, did you mean command?'],
    [{ mcp: { servers: { a: { url: 'file:///etc' } } } }, 'mcp.servers.a.url: '],
    [{ mcp: { servers: { 'a.b': { command: 'x' } } } }, 'expected a server name of 1 to 32 letters'],
    [{ subagents: { paralel: 2 } }, 'there is no option subagents.paralel, did you mean parallel?'],
    [{ subagents: { maxCost: true } }, 'subagents.maxCost: '],
    [{ subagents: true }, 'subagents: expected false or limits'],
    [{ mcp: 'all' }, 'mcp: expected an object'],
    [{ cache: { neighbours: -1 } }, 'cache.neighbours: '],
    [{ cache: { neighbors: 1 } }, 'there is no option cache.neighbors, did you mean neighbours?'],
    [{ workspace: { folder: '.', tools: ['raed'] } }, 'the workspace has no tool raed: did you mean read?'],
    [{ workspace: { tools: true } }, 'workspace.folder: '],
    [{ workspace: { folder: '.', truste: true } }, 'there is no option workspace.truste, did you mean trusted?'],
    [{ workspace: 3 }, 'workspace: expected a folder'],
    [{ host: { environment: {}, clint: 'x' } }, 'there is no option host.clint, did you mean client?'],
    [{ tools: [add, add] }, 'two tools have the name add'],
    [{ context: { sources: [sourceNamed('sheet'), sourceNamed('sheet')] } }, 'two context sources have the name sheet'],
    [
      { context: { sources: [sourceNamed('memory')] }, workspace: { folder: '.', trusted: true } },
      'two context sources have the name memory',
    ],
  ])('are refused: %j', (options, words) => {
    expect(refused(options)).toMatchObject({ code: 'kit/bad-options', message: expect.stringContaining(words) });
  });

  test.each([
    [{ role: 'You add.' }, 'role', 'instructions'],
    [{ presenter: 'mine' }, 'presenter', 'host.client'],
    [{ environment: {} }, 'environment', 'host.environment'],
    [{ ttl: '5m' }, 'ttl', 'cache.ttl'],
    [{ compactionBy: 'model' }, 'compactionBy', 'compaction.by'],
    [{ window: 5 }, 'window', 'modelOptions.contextWindow'],
    [{ plan: true }, 'plan', 'tools: [createPlanTool()]'],
    [{ permissions: { unconfined: true } }, 'permissions.unconfined', 'permissions.allowUnsandboxed'],
    [{ connection: { retry: { mostMs: 5 } } }, 'connection.retry.mostMs', 'connection.retry.maxDelayMs'],
    [{ limits: { steps: 5 } }, 'limits.steps', 'limits.maxSteps'],
    [{ limits: { ms: 5 } }, 'limits.ms', 'limits.maxDurationMs'],
    [{ limits: { cost: 1 } }, 'limits.cost', 'limits.maxCost'],
    [{ limits: { tokens: 5 } }, 'limits.tokens', 'limits.maxTokens'],
    [{ subagents: { ms: 5 } }, 'subagents.ms', 'subagents.maxDurationMs'],
  ])('refuse %j and name the new option', (options, before, now) => {
    const message = expect.stringContaining(`the option ${before} was renamed: use ${now}`);
    expect(refused(options)).toMatchObject({ code: 'kit/bad-options', message });
  });

  test.each([
    ['system', 'instructions'],
    ['maxSteps', 'limits.maxSteps'],
    ['timeout', 'limits.maxDurationMs'],
    ['maxTokens', 'maxOutputTokens'],
    ['providerOptions', 'modelOptions.parameters'],
    ['maxRetries', 'connection.retry.attempts'],
    ['mcpServers', 'mcp.servers'],
    ['needsApproval', 'permissions.ask'],
  ])('are refused under the name that another library has: %s is %s', (name, use) => {
    const message = expect.stringContaining(`there is no option ${name}: use ${use}`);
    expect(refused({ [name]: 1 })).toMatchObject({ code: 'kit/bad-options', message });
  });

  test.each([
    ['timeout', 'maxDurationMs'],
    ['timeoutMs', 'maxDurationMs'],
    ['turns', 'maxSteps'],
    ['usd', 'maxCost'],
    ['maxCostUsd', 'maxCost'],
  ])('`limits.%s` is refused with the name %s', (name, use) => {
    const message = expect.stringContaining(`there is no option limits.${name}: use limits.${use}`);
    expect(refused({ limits: { [name]: 1 } })).toMatchObject({ code: 'kit/bad-options', message });
  });

  test.each([
    [{ tools: [{ name: 'add', inputSchema: {}, execute: () => 1 }] }, 'tools.0: expected a tool: use defineTool'],
    [{ tools: { add } }, 'tools: '],
    [{ store: {} }, 'store: expected "memory"'],
    [{ modelOptions: { parameters: { temperature: 1 } } }, 'no parameter "temperature"'],
    [{ modelOptions: { parameters: { anthropic: {} } } }, 'use one of '],
  ])('are refused if they would have no effect: %j', (options, words) => {
    expect(refused(options)).toMatchObject({ code: 'kit/bad-options', message: expect.stringContaining(words) });
  });

  test('are refused if a key could be sent to a router by mistake', () => {
    const options = { model: 'anthropic/claude-sonnet-5.5', apiKey: 'a-key-of-the-maker' };
    expect(() => createAgent(options)).toThrow(/OpenRouter, which would get the key.*"claude-sonnet-5\.5"/);
    expect(createAgent({ ...options, provider: 'openrouter' }).capabilities.provider).toBe('openrouter');
  });

  test.each([
    [{ instructions: 'attach' }, 'instructions: is now the system text: use workspace.agentsFile'],
    [{ compaction: 'auto' }, 'compaction: expected an object: use compaction.when'],
  ])('refuse an old value in %j and name the new option', (options, words) => {
    expect(refused(options)).toMatchObject({ code: 'kit/bad-options', message: expect.stringContaining(words) });
  });

  test('an error about wrong options never contains a key', () => {
    const key = 'key-of-mine-7c1f9a40b2';
    const error = refused({ apiKey: [key], baseURL: key, apiKye: key, store: key });
    expect(error).toMatchObject({ code: 'kit/bad-options' });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key);
  });

  test('need a key for the default provider, which is read only from `apiKey` and `host.environment`', () => {
    const options: AgentOptions = { model: MODEL };
    expect(() => createAgent(options)).toThrow(expect.objectContaining({ code: 'kit/no-key' }));
    expect(() => createAgent({ ...options, host: { environment: { ANTHROPIC_API_KEY: ' ' } } })).toThrow(/apiKey/);
    expect(createAgent({ ...options, host: { environment: { ANTHROPIC_API_KEY: 'key' } } }).capabilities.model).toBe(
      MODEL,
    );
  });

  test('accept a model of the catalog, a newer model of a known family, and a changed catalog row', () => {
    expect(refused({ model: 'gpt-unheard-of' })).toMatchObject({ code: 'kit/unknown-model' });
    expect(createAgent({ model: 'claude-sonnet-9', provider: saying() }).capabilities).toMatchObject({
      model: 'claude-sonnet-9',
      prices: [],
    });
    const catalog = { revision: 1, rows: [{ provider: 'anthropic', model: MODEL, outputLimit: 77 }] };
    expect(createAgent({ model: MODEL, provider: saying(), modelOptions: { catalog } }).capabilities.outputLimit).toBe(
      77,
    );
  });
});

test('an agent runs a turn with a custom tool and a custom system text, and the turn yields its events and its end', async () => {
  const provider = saying(calling('add', { a: 2, b: 3 }), 'It is 5.');
  const bodies: Uint8Array[] = [];
  const agent = createAgent({
    model: MODEL,
    provider,
    instructions: 'You add.',
    tools: [add],
    connection: { onRequest: (body) => void bodies.push(body) },
  });
  const session = await agent.open();
  const turn = session.prompt('What is 2 + 3?');
  const events: SessionEvent[] = [];
  for await (const event of turn) events.push(event);
  expect(await turn).toMatchObject({ outcome: 'completed', text: 'It is 5.', totals: { steps: 2, calls: 1 } });
  const kinds = events.flatMap((event) => (event.type === 'recorded' ? [event.record.kind] : []));
  expect(kinds).toEqual(expect.arrayContaining(['prompt.given', 'tool.returned', 'answer.received', 'turn.ended']));
  expect(bodiesOf(provider)[0]).toContain('You add.');
  expect(bodiesOf(provider)[1]).toContain('{\\"sum\\":5}');
  expect(bodies).toEqual(provider.sent.map(({ body }) => body));
  await agent.close();
});

test('an agent with a workspace has all workspace tools, or only the tools named in `workspace.tools`', async () => {
  const toolsOf = async (options: object): Promise<readonly string[]> => {
    const provider = saying('done');
    const agent = createAgent({ model: MODEL, provider, workspace: folder, ...options });
    const session = await agent.open();
    await session.prompt('hello');
    await agent.close();
    const [body = ''] = bodiesOf(provider);
    return ['add', 'bash', 'edit', 'read', 'write'].filter(
      (name) => body.includes(`"name":"${name}"`) || body.includes(`\\"name\\":\\"${name}\\"`),
    );
  };
  expect(await toolsOf({})).toEqual(['bash', 'edit', 'read', 'write']);
  expect(await toolsOf({ workspace: { folder, tools: ['read'] }, tools: [add] })).toEqual(['add', 'read']);
  expect(await toolsOf({ workspace: { folder, tools: false }, tools: [add] })).toEqual(['add']);
});

test("the tools cannot touch the agent's home or the paths in `forbidden`", async () => {
  const provider = saying(calling('ls', { path: 'home' }), calling('read', { path: 'plan.txt' }), 'done');
  writeFileSync(join(folder, 'plan.txt'), 'a plan');
  const home = join(folder, 'home');
  const forbidden = [join(folder, 'plan.txt')];
  const agent = createAgent({ model: MODEL, provider, workspace: { folder, forbidden }, store: { home } });
  const session = await agent.open();
  await session.prompt('look around');
  await agent.close();
  const last = bodiesOf(provider).at(-1) ?? '';
  expect(last.match(/is refused/g)).toHaveLength(2);
  expect(last).not.toContain('a plan');
});

test('a second agent continues a session from the same store', async () => {
  const store = createMemoryStore();
  const first = createAgent({ model: MODEL, provider: saying('Noted.'), store });
  const session = await first.open(undefined, { title: 'A talk' });
  await session.prompt('Remember the word swordfish.');
  await first.close();
  const provider = saying('Swordfish.');
  const second = createAgent({ model: MODEL, provider, store });
  const again = await second.open(session.id);
  expect(await again.prompt('Which word?')).toMatchObject({ text: 'Swordfish.' });
  expect(bodiesOf(provider)[0]).toContain('Remember the word swordfish.');
  const { sessions } = await store.sessions();
  expect(sessions).toEqual([expect.objectContaining({ session: session.id, title: 'A talk' })]);
  await second.close();
});

test('a closed agent has released every lock and opens no further session', async () => {
  const store = createMemoryStore();
  const agent = createAgent({ model: MODEL, provider: saying(), store });
  const [one, two] = [await agent.open(), await agent.open()];
  await one.close();
  await agent.close();
  await expect(agent.open()).rejects.toMatchObject({ code: 'kit/closed' });
  for (const { id } of [one, two]) await (await store.open(id)).close();
});

test('an agent asks through the `ask` callback, and denies the call if there is no callback', async () => {
  const make = defineTool({
    name: 'make',
    description: 'Makes.',
    input: z.object({}),
    effect: 'write',
    run: () => 'made',
  });
  const outcomes = async (permissions: AgentOptions['permissions']): Promise<readonly string[]> => {
    const agent = createAgent({
      model: MODEL,
      provider: saying(calling('make', {}), 'done'),
      tools: [make],
      ...(permissions !== undefined && { permissions }),
    });
    const session = await agent.open();
    const turn = session.prompt('make it');
    const kinds: string[] = [session.mode];
    for await (const event of turn)
      if (event.type === 'recorded' && /^tool\.(returned|failed)$/.test(event.record.kind))
        kinds.push(event.record.kind);
    await agent.close();
    return kinds;
  };
  expect(await outcomes(undefined)).toEqual(['read-only', 'tool.failed']);
  expect(await outcomes({ ask: async () => 'allowed' })).toEqual(['ask', 'tool.returned']);
  expect(await outcomes({ mode: 'ask' })).toEqual(['ask', 'tool.failed']);
  expect(await outcomes({ mode: 'auto' })).toEqual(['auto', 'tool.returned']);
});

test('a command that a rule allows runs without a question, and any other command is denied', async () => {
  const results = async (command: string): Promise<string | undefined> => {
    const agent = createAgent({
      model: MODEL,
      provider: saying(calling('bash', { command }), 'done'),
      workspace: folder,
      permissions: { mode: 'ask', rules: [{ decision: 'allow', tool: 'bash', commands: ['echo *', 'true'] }] },
    });
    const session = await agent.open();
    const rules: (string | undefined)[] = [];
    for await (const event of session.prompt('go'))
      if (event.type === 'recorded' && event.record.kind === 'permission.decided')
        rules.push(`${event.record.data.decision} ${event.record.data.rule}`);
    await agent.close();
    return rules.join();
  };
  expect(await results('true && echo hello')).toBe('allowed allow bash "true" + allow bash "echo *"');
  expect(await results('true && echo $(id)')).toBe('denied ask/execute');
});

test('`createAgent` refuses an invalid rule and suggests the nearest tool name', () => {
  const agent = (): unknown =>
    createAgent({
      model: MODEL,
      provider: saying('done'),
      workspace: folder,
      permissions: {
        rules: [
          { decision: 'deny', tool: 'bahs' },
          { decision: 'allow', tool: 'bash' },
        ],
      },
    });
  expect(agent).toThrow(
    expect.objectContaining({
      code: 'kit/bad-options',
      data: {
        problems: [
          'permissions.rules[0]: there is no tool bahs, did you mean bash?',
          'permissions.rules[1]: the rule would allow every command of bash: list the allowed ones in commands',
        ],
      },
    }),
  );
});

test('an agent reaches Anthropic at a custom address, stores sessions in a folder, and never writes its key to disk', async () => {
  const key = 'key-of-mine-7c1f9a40b2';
  const listening = await createSimulator({ scenario: { steps: [{ answer: { text: 'hello' } }] } }).listen();
  const home = join(folder, 'home');
  const agent = createAgent({ model: MODEL, apiKey: key, baseURL: listening.url, store: { home } });
  const session = await agent.open(undefined, { title: `about ${key}` });
  expect(await session.prompt(`my key is ${key}`)).toMatchObject({ outcome: 'completed', text: 'hello' });
  await agent.close();
  await listening.close();
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain(key);
});
