// Tests that each error which an author can get has a code, and that its class can be imported from `kit`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as kit from './index.ts';
import type { AgentSession } from './index.ts';
import { createAgent, defineTool, TidemarkError } from './index.ts';

const CLASSES: readonly unknown[] = Object.values(kit);
const circle: Record<string, unknown> = {};
circle['self'] = circle;
const tool = defineTool({ name: 'x', description: 'X.', input: z.object({}), effect: 'none', run: () => 'x' });

let folder: string;
const file = (): string => join(folder, 'file');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-errors-'));
  writeFileSync(file(), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function errorOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Returns the options of an agent that answers `Well.` to each prompt. */
function answering(): { readonly model: string; readonly provider: ReturnType<typeof createScriptedProvider> } {
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Well.' }] }) });
  return { model: 'claude-sonnet-5-5', provider };
}

const create = (options: object): unknown => Reflect.apply(createAgent, undefined, [{ ...answering(), ...options }]);

describe('`createAgent` and `defineTool` throw an exported error with a code for', () => {
  test.each<[string, () => unknown, string]>([
    ['no options', () => Reflect.apply(createAgent, undefined, []), 'kit/bad-options'],
    ['a model without a key', () => createAgent({ model: 'claude-sonnet-5-5' }), 'kit/no-key'],
    ['a workspace that does not exist', () => create({ workspace: join(folder, 'none') }), 'workspace/no-folder'],
    ['a workspace that is a file', () => create({ workspace: file() }), 'workspace/no-folder'],
    ['a catalog that is no object', () => create({ modelOptions: { catalog: 3 } }), 'catalog/override-invalid'],
    [
      'a parameter that is a function',
      () => create({ modelOptions: { parameters: { effort: Date } } }),
      'kit/bad-options',
    ],
    [
      'a parameter in a circle',
      () => create({ modelOptions: { parameters: { thinking: circle } } }),
      'kit/bad-options',
    ],
    ['a provider without `send`', () => create({ provider: {} }), 'kit/bad-options'],
    ['a store without its functions', () => create({ store: { read: 1 } }), 'kit/bad-options'],
    ['a clock without its functions', () => create({ host: { clock: {} } }), 'kit/bad-options'],
    ['a variable that is a number', () => create({ host: { environment: { A_KEY: 3 } } }), 'kit/bad-options'],
    [
      'a context source without its functions',
      () => create({ context: { sources: [{ name: 'x' }] } }),
      'kit/bad-options',
    ],
    ['a rule that is no object', () => create({ permissions: { rules: [3] } }), 'kit/bad-options'],
    ['a definition of a tool that is missing', () => Reflect.apply(defineTool, undefined, []), 'kit/bad-tool'],
    [
      'a JSON Schema with a function',
      () =>
        Reflect.apply(defineTool, undefined, [
          { ...tool, input: z.object({}), schema: { type: 'object', x: Date }, run: Date },
        ]),
      'kit/bad-tool',
    ],
  ])('%s', async (_case, act, code) => {
    const error = await errorOf(act);
    expect(error).toBeInstanceOf(TidemarkError);
    expect(CLASSES).toContain(Object(error).constructor);
    expect(error).toMatchObject({ code });
  });

  test('a JSON Schema with a value that is not JSON', () => {
    const schema = Reflect.apply(Object.assign, undefined, [{ type: 'object' }, { x: () => 1 }]);
    const define = (): unknown =>
      defineTool({ name: 'x', description: 'X.', input: z.object({}), schema, effect: 'none', run: () => 'x' });
    expect(define).toThrow(expect.objectContaining({ code: 'kit/no-schema' }));
  });
});

test('`open` throws `log/write-failed` if the folder of the store cannot be written', async () => {
  const agent = createAgent({ ...answering(), store: { home: file() } });
  const error = await errorOf(() => agent.open());
  expect(error).toBeInstanceOf(kit.LogError);
  expect(error).toMatchObject({ code: 'log/write-failed', message: expect.stringContaining(file()) });
});

/** Calls a command with any arguments, as a program in JavaScript can do. */
const call = (session: AgentSession, command: keyof AgentSession, ...given: readonly unknown[]): unknown =>
  Reflect.apply(Object(session[command]), session, [...given]);

const NOTE = { source: 'ci', body: 'red', provenance: 'test' };

test.each<[keyof AgentSession, readonly (readonly unknown[])[]]>([
  [
    'prompt',
    [[], [3], ['x', null], ['x', { skills: 'a' }], ['x', { signal: 3 }], ['x', { output: {} }], ['x', { output: 'x' }]],
  ],
  ['steer', [[null], ['too late']]],
  ['resume', [[]]],
  ['setMode', [[], ['plan']]],
  ['setTools', [[null], [[{}]], [[tool, tool]], [[], { when: 'never' }], [[], { wen: 'now' }], [[], null]]],
  ['setReasoning', [[null], ['high'], [{ effort: Number.NaN }], [{ effort: Date }], [{ effort: circle }]]],
  ['setModel', [[null], ['gtp'], ['x', { provider: 'x' }], ['x', { contextWindow: 'x' }], ['x', { baseURL: 3 }]]],
  [
    'fork',
    [
      [null],
      [{ at: 'x' }],
      [{ at: 999 }],
      [{ beforePrompt: 1.5 }],
      [{ title: 3 }],
      [{ summarize: 'x' }],
      [{ model: 3 }],
    ],
  ],
  ['notify', [[null], ['x'], [{}], [{ ...NOTE, body: 3 }], [{ ...NOTE, title: 'x' }]]],
  ['refresh', [[null], ['x']]],
  [
    'side',
    [
      [null],
      [{}],
      [{ prompt: 'x' }],
      [{ purpose: 'x', prompt: 'x', history: 'all' }],
      [{ purpose: 'x' }],
      [{ purpose: 'x', words: 'x' }],
    ],
  ],
  ['compact', [[null], [{ tailTokens: 'x' }], [{ by: 'me' }], [{ checkpointTokens: -1 }], [{ dryrun: true }]]],
])(
  '`session.%s` refuses wrong arguments by an exported error with a code, and the session takes the next prompt',
  async (command, wrong) => {
    const agent = createAgent(answering());
    const session = await agent.open();
    await session.prompt('Hello.');
    const before = (await Array.fromAsync(agent.log.read(session.id))).length;
    for (const given of wrong) {
      const error = await errorOf(() => call(session, command, ...given));
      expect(error, inspect(given)).toBeInstanceOf(TidemarkError);
      expect(CLASSES).toContain(Object(error).constructor);
      expect(error).not.toMatchObject({ code: 'agent/broken' });
    }
    expect(await Array.fromAsync(agent.log.read(session.id))).toHaveLength(before);
    expect(await session.prompt('Go on.')).toMatchObject({ outcome: 'completed' });
    await agent.close();
  },
);
