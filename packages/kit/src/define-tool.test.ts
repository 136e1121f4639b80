// Tests `defineTool`. The tests make a tool from a schema and a function, and call the tool as the runtime calls it.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { toolOutput } from './tool-output.ts';

const context: ToolContext = {
  session: sessionId('session-1'),
  call: callId('call_1'),
  notice: () => undefined,
  signal: new AbortController().signal,
  write: async () => undefined,
  progress: () => undefined,
  mask: async (text) => text,
  fileSeen: () => undefined,
  skills: { preloaded: [], loaded: [] },
  room: () => ({ bytes: 51_200, lines: 2_000 }),
  output: () => undefined,
  history: { length: 0, read: async function* () {}, artifact: async function* () {} },
};

async function call(tool: Tool, input: unknown): Promise<ToolOutput | { readonly problem: string }> {
  const read = await tool.read(input);
  return 'problem' in read ? read : read.run(context);
}

function returning(value: unknown): Tool {
  return defineTool({ name: 'give', description: 'Gives.', input: z.object({}), effect: 'none', run: () => value });
}

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  effect: 'none',
  title: ({ a, b }) => `add ${a} and ${b}`,
  run: ({ a, b }) => {
    expectTypeOf({ a, b }).toEqualTypeOf<{ a: number; b: number }>();
    return String(a + b);
  },
});

test('a tool checks the arguments, fills in defaults, and passes the arguments to the function', async () => {
  expect(await call(add, { a: 2 })).toEqual({ text: '3' });
  expect(await add.read({ a: 2 })).toMatchObject({ title: 'add 2 and 1' });
});

test('a tool reports to the model which argument is wrong', async () => {
  const problem = await call(add, { a: 'two' });
  expect(problem).toEqual({ problem: '`a` must be a number, got "two"' });
});

test('a tool describes its arguments as JSON Schema without the dialect field', () => {
  expect(add.schema).toEqual({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
    required: ['a'],
  });
});

/** A Standard Schema written without a library. It accepts an object with a word and returns the word in upper case. */
const word: StandardSchemaV1<{ word: string }, { word: string }> = {
  '~standard': {
    version: 1,
    vendor: 'hand',
    validate: async (value) => {
      if (typeof value === 'object' && value !== null && 'word' in value && typeof value.word === 'string')
        return { value: { word: value.word.toUpperCase() } };
      return { issues: [{ message: 'is missing', path: [{ key: 'word' }] }, { message: 'try again' }] };
    },
  },
};
const WORD = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };

test('`defineTool` accepts a Standard Schema without a JSON Schema if `schema` supplies one', async () => {
  const shout = defineTool({
    name: 'shout',
    description: 'Shouts.',
    input: word,
    schema: WORD,
    effect: 'none',
    run: (input) => input.word,
  });
  expect(shout.schema).toEqual(WORD);
  expect(await call(shout, { word: 'hey' })).toEqual({ text: 'HEY' });
  expect(await call(shout, {})).toEqual({ problem: '`word`: is missing; try again' });
});

test('`defineTool` refuses a schema that has no JSON Schema, and the error names the fix', () => {
  const make = (): Tool =>
    defineTool({ name: 'shout', description: 'Shouts.', input: word, effect: 'none', run: () => '' });
  expect(make).toThrow(expect.objectContaining({ code: 'kit/no-schema' }));
  expect(make).toThrow(/`schema` with `input`/);
});

test.each([
  ['a transform', z.object({ a: z.custom<Date>() })],
  ['a value that is not an object', z.string()],
])('`defineTool` refuses a schema of %s', (_name, input) => {
  const make = (): Tool => defineTool({ name: 'x', description: 'X.', input, effect: 'none', run: () => '' });
  expect(make).toThrow(expect.objectContaining({ code: 'kit/no-schema' }));
});

test.each(['', 'two words', 'a.b', 'x'.repeat(65)])(
  '`defineTool` refuses the name %j, which no provider accepts',
  (name) => {
    const make = (): Tool =>
      defineTool({ name, description: 'X.', input: z.object({}), effect: 'none', run: () => '' });
    expect(make).toThrow(expect.objectContaining({ code: 'kit/bad-tool' }));
  },
);

test.each([
  ['a string', 'done', { text: 'done' }],
  ['nothing', undefined, {}],
  ['an object', { sum: 3 }, { text: '{"sum":3}' }],
  ['an empty object', {}, { text: '{}' }],
  ['a list', [1, 2], { text: '[1,2]' }],
  ['a number', 3, { text: '3' }],
  ['null', null, { text: 'null' }],
  ['an object with fields of a tool output', { text: 'no', failed: true }, { text: '{"text":"no","failed":true}' }],
  [
    'an object with a field `files`',
    { files: [{ path: 'a', as: 'read' }] },
    { text: '{"files":[{"path":"a","as":"read"}]}' },
  ],
  ['a result of `toolOutput`', toolOutput({ text: 'no', failed: true }), { text: 'no', failed: true }],
  ['an empty result of `toolOutput`', toolOutput({}), {}],
  ['a promise', Promise.resolve('later'), { text: 'later' }],
])('the output of a tool contains %s that the function returns', async (_name, value, output) => {
  expect(await call(returning(value), {})).toEqual(output);
});

test.each([
  ['a function', () => 1],
  ['a bigint', 1n],
])('a call fails if the function returns %s', async (_name, value) => {
  await expect(call(returning(value), {})).rejects.toMatchObject({ code: 'kit/bad-tool' });
});

test('`defineTool` passes on `effect`, `alone`, `truncate`, `terminal`, `touches` and `confined`', async () => {
  const tool = defineTool({
    name: 'deploy',
    description: 'Deploys.',
    input: z.object({ where: z.string() }),
    effect: 'network',
    alone: true,
    truncate: 'start',
    terminal: true,
    touches: ['structure'],
    confined: ({ where }) => where === 'here',
    run: () => 'deployed',
  });
  expect(tool).toMatchObject({
    effect: 'network',
    alone: true,
    truncate: 'start',
    terminal: true,
    touches: ['structure'],
  });
  expect(await tool.read({ where: 'there' })).toMatchObject({ title: 'deploy', confined: false });
});

test('`preview` receives the checked arguments, with defaults filled in', async () => {
  const send = defineTool({
    name: 'send',
    description: 'Sends a letter.',
    input: z.object({ to: z.string(), text: z.string().default('Hello') }),
    effect: 'network',
    preview: ({ to, text }) => ({ kind: 'arguments', text: `To ${to}\n${text}` }),
    run: () => 'sent',
  });
  const run = await send.read({ to: 'Ann' });
  if ('problem' in run) throw new Error(run.problem);
  expect(await run.preview?.(context)).toEqual({ kind: 'arguments', text: 'To Ann\nHello' });
  const plain = await add.read({ a: 1 });
  expect(plain).not.toHaveProperty('preview');
});

test.each<[string, object, string]>([
  ['inputSchema', { inputSchema: word }, 'unknown field inputSchema: use input'],
  ['execute', { execute: () => 1 }, 'unknown field execute: use run'],
  ['needsApproval', { needsApproval: true }, 'use `effect` and the permissions of the agent'],
  ['an unknown effect', { effect: 'WRITE' }, 'the effect "WRITE": use one of none, read, write, execute, network'],
  ['no function', { run: 'shout' }, 'has no function `run`'],
  ['no schema', { input: undefined }, 'has no schema `input`'],
  ['no name', { name: undefined }, 'the field `name` is missing'],
  ['null as its name', { name: null }, 'null is not a valid tool name'],
  ['a number as its name', { name: 5 }, '5 is not a valid tool name'],
  ['`title` that is a text', { title: 'Shout' }, 'takes a function of the arguments that returns one line as `title`'],
  ['`confined` that is no function', { confined: true }, 'as `confined`'],
  ['`preview` that is no function', { preview: 'x' }, 'as `preview`'],
  ['`alone` that is a text', { alone: 'yes' }, 'takes true or false as `alone`'],
  ['an unknown side to cut', { truncate: 'middle' }, 'takes "start" or "end" as `truncate`'],
  ['`touches` that is no list', { touches: 'x' }, 'takes a list of names'],
  ['an unknown kind of effect', { describeEffects: { path: () => [] } }, 'has an unknown field path: use paths'],
  ['an effect that is no function', { describeEffects: { paths: 'x' } }, '`describeEffects.paths` of the tool shout'],
  ['effects that are no object', { describeEffects: 'x' }, 'takes an object of functions as `describeEffects`'],
  ['a JSON Schema as `input`', { input: { type: 'object' } }, 'is not a Standard Schema'],
])('`defineTool` refuses a definition with %s', (_case, change, message) => {
  const definition = { name: 'shout', description: 'Shouts.', input: z.object({}), effect: 'none', run: () => 1 };
  expect(() => Reflect.apply(defineTool, undefined, [{ ...definition, ...change }])).toThrow(
    expect.objectContaining({ code: 'kit/bad-tool', message: expect.stringContaining(message) }),
  );
});

describe('a returned object', () => {
  const textOf = async (value: unknown): Promise<unknown> => {
    const tool = defineTool({
      name: 'give',
      description: 'Gives.',
      input: z.object({}),
      effect: 'none',
      run: () => value,
    });
    const read = await tool.read({});
    return 'problem' in read ? read : read.run(context);
  };

  test.each([
    [{ images: [{ data: new Uint8Array([1]), mediaType: 'image/png' }] }],
    [{ images: [{ data: Buffer.from('a'), mediaType: 'image/png' }] }],
    [{ held: [new Uint8Array([1])] }],
  ])('that contains bytes is an error of the call, which names `toolOutput`: %j', async (value) => {
    await expect(textOf(value)).rejects.toMatchObject({
      code: 'kit/bad-tool',
      message: expect.stringContaining('toolOutput({ text, images, failed })'),
    });
  });

  const circular: Record<string, unknown> = { a: 1 };
  circular['self'] = { circular };
  test.each<[string, unknown, string]>([
    ['a Set', { tags: new Set([1]) }, 'tags is a Set, which JSON would write as {}'],
    ['a Map', { list: [{ of: new Map() }] }, 'list[0].of is a Map, which'],
    ['an Error with a field', { error: Object.assign(new Error('no'), { code: 1 }) }, 'error is an Error, which'],
    ['a Promise', [Promise.resolve(1)], '[0] is a Promise, which'],
    ['NaN', { sum: Number.NaN }, 'sum is NaN, which JSON would write as null'],
    ['an infinite number', [[Infinity]], '[0][0] is Infinity'],
    ['NaN alone', Number.NaN, 'the value is NaN'],
    ['a BigInt', { rows: { count: 1n } }, 'rows.count is a BigInt'],
    ['a function in a list', { all: [() => 1] }, 'all[0] is a function'],
    ['an invalid date', { at: new Date('x') }, 'at is an invalid date'],
    ['a reference to itself', circular, 'self.circular is a circular reference'],
    ['a Buffer', { file: Buffer.from('a') }, 'file contains bytes (Buffer)'],
  ])('that contains %s is an error of the call, which names the path and the reason', async (_case, value, reason) => {
    await expect(textOf(value)).rejects.toMatchObject({
      code: 'kit/bad-tool',
      message: expect.stringContaining(reason),
    });
  });

  test('may contain the same object twice, dates, and fields that JSON leaves out', async () => {
    const one = { at: new Date(0) };
    expect(await textOf({ a: one, b: one, c: undefined, d: () => 1 })).toEqual({
      text: '{"a":{"at":"1970-01-01T00:00:00.000Z"},"b":{"at":"1970-01-01T00:00:00.000Z"}}',
    });
  });

  test.each([[new Map([['a', 1]])], [new Error('no')], [new Set([1])]])(
    'that JSON would write as an empty object is an error of the call',
    async (value) => {
      await expect(textOf(value)).rejects.toMatchObject({ code: 'kit/bad-tool' });
    },
  );
});

test.each<[string, object, string]>([
  ['an unknown field', { txt: 'a' }, 'toolOutput has no field txt: use text'],
  ['a text that is a number', { text: 3 }, 'toolOutput takes a string as `text`'],
  ['an image without bytes', { images: ['a.png'] }, 'toolOutput takes a list of { data, mediaType }'],
  ['`failed` as a text', { failed: 'yes' }, 'toolOutput takes true or false as `failed`'],
])('`toolOutput` refuses %s', (_case, output, message) => {
  expect(() => Reflect.apply(toolOutput, undefined, [output])).toThrow(
    expect.objectContaining({ code: 'kit/bad-tool', message: expect.stringContaining(message) }),
  );
});
