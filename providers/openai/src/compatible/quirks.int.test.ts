// Tests the quirks of compatible servers, each against a server on loopback that has the quirk.

import type { Answer, Outgoing, ProviderError } from '@tidemark/model';
import type { Reply, Served } from '@tidemark/provider-wire/contract';
import { failureOf, partsOf, serve, streaming } from '@tidemark/provider-wire/contract';
import { afterEach, expect, test } from 'vitest';
import { createCompatibleProvider } from './provider.ts';

const served: Served[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});

const OUTGOING: Outgoing = { body: new TextEncoder().encode('{"model":"m","messages":[]}'), betas: [] };

async function providerOf(reply: Reply): Promise<ReturnType<typeof createCompatibleProvider>> {
  const server = await serve(reply);
  served.push(server);
  return createCompatibleProvider({ apiKey: 'none', baseURL: `${server.baseURL}/v1` });
}

const data = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (more: object): object => chunk({ tool_calls: [{ type: 'function', ...more }] });
const DONE = 'data: [DONE]\n\n';

async function answerTo(reply: Reply): Promise<Answer> {
  const last = (await partsOf(await providerOf(reply), OUTGOING)).at(-1);
  if (last?.type !== 'finished') throw new Error('the answer did not finish');
  return last.answer;
}

const streamed = (...chunks: readonly object[]): Promise<Answer> => answerTo(streaming([...chunks.map(data), DONE]));

const whole =
  (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }, status = 200): Reply =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

async function errorOf(reply: Reply): Promise<ProviderError> {
  return failureOf(await providerOf(reply), OUTGOING);
}

test('arguments that arrive as an object become their JSON text', async () => {
  const answer = await streamed(
    call({ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'a.txt', lines: [1, 2] } } }),
    chunk({}, 'tool_calls'),
  );
  expect(answer.parts).toEqual([
    { type: 'call', call: 'a', name: 'read', arguments: '{"path":"a.txt","lines":[1,2]}' },
  ]);
});

test('an answer without a finish reason is whole if the server sends [DONE], and its truncation is unknown', async () => {
  expect(await streamed(chunk({ content: 'Hello.' }))).toEqual({
    parts: [{ type: 'text', text: 'Hello.' }],
    stop: 'end',
    truncated: 'unknown',
    response: 'c1',
    model: 'm',
    usage: {},
  });
  const calls = await streamed(call({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }));
  expect(calls).toMatchObject({ stop: 'calls', truncated: 'unknown' });
});

test('an empty finish reason in each chunk is no finish reason', async () => {
  const answer = await streamed(chunk({ content: 'a' }, ''), chunk({ content: 'b' }, ''), chunk({}, 'length'));
  expect(answer).toMatchObject({ stop: 'length', stopRaw: 'length', truncated: 'yes' });
});

test('a stream without a finish reason and without [DONE], and one without content, are cut', async () => {
  expect(await errorOf(streaming([data(chunk({ content: 'a' }))]))).toMatchObject({ code: 'provider/cut' });
  expect(await errorOf(streaming([DONE]))).toMatchObject({ code: 'provider/cut' });
});

test.each([
  ['400 with a message', 400, JSON.stringify({ error: { message: 'Unrecognized field: stream_options' } })],
  ['400 with a parameter', 400, JSON.stringify({ error: { message: 'Unknown parameter.', param: 'stream_options' } })],
  ['400 as plain text', 400, 'unknown field `stream_options`'],
  ['400 without the member error', 400, JSON.stringify({ object: 'error', message: 'stream_options is not allowed' })],
  [
    '422 with a detail',
    422,
    JSON.stringify({ detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs' }] }),
  ],
])('a refused `stream_options` is named as an optional field: %s', async (_title, status, body) => {
  const type = body.startsWith('{') ? 'application/json' : 'text/plain';
  expect(await errorOf(whole(body, { 'content-type': type }, status))).toMatchObject({
    class: 'refused',
    data: { field: 'stream_options', status },
  });
});

test('another refusal names no optional field', async () => {
  const error = await errorOf(whole(JSON.stringify({ error: { message: 'messages: too few' } }), {}, 400));
  expect(error.data.field).toBeUndefined();
});

test('a call without an id gets an id, and gaps between the indexes of calls do not mix them', async () => {
  const answer = await streamed(
    call({ index: 3, function: { name: 'read', arguments: '{"a"' } }),
    call({ index: 7, id: null, function: { name: 'list', arguments: '{' } }),
    call({ index: 3, function: { arguments: ':1}' } }),
    call({ index: 7, function: { arguments: '}' } }),
    chunk({}, 'tool_calls'),
  );
  expect(answer.parts).toEqual([
    { type: 'call', call: 'call_c1_0', name: 'read', arguments: '{"a":1}' },
    { type: 'call', call: 'call_c1_1', name: 'list', arguments: '{}' },
  ]);
});

test('chunks with empty or missing choices are skipped', async () => {
  const empty = { id: 'c1', model: 'm', choices: [], prompt_filter_results: [] };
  const answer = await streamed(
    empty,
    chunk({ content: 'a' }),
    { id: 'c1' },
    { choices: null },
    chunk({}, 'stop'),
    empty,
  );
  expect(answer).toMatchObject({ parts: [{ type: 'text', text: 'a' }], stop: 'end' });
});

const counted = (prompt_tokens: number, completion_tokens: number): object => ({ prompt_tokens, completion_tokens });

test.each([
  ['in a last chunk without choices', [{ choices: [], usage: counted(9, 2) }]],
  [
    'in each chunk',
    [
      { ...chunk({ content: 'b' }), usage: counted(9, 1) },
      { choices: [], usage: counted(9, 2) },
    ],
  ],
  [
    'in the choice of the last chunk, as Moonshot sends it',
    [{ choices: [{ index: 0, delta: {}, usage: counted(9, 2) }] }],
  ],
  ['in x_groq of the last chunk', [{ choices: [], x_groq: { id: 'r', usage: counted(9, 2) } }]],
  [
    'before a chunk whose usage is null',
    [
      { choices: [], usage: counted(9, 2) },
      { choices: [], usage: null },
    ],
  ],
])('the usage is read %s', async (_title, chunks) => {
  const answer = await streamed(chunk({ content: 'a' }), chunk({}, 'stop'), ...chunks);
  expect(answer.usage).toEqual({ input: 9, answer: 2 });
});

test.each([
  ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 6 }],
  ['cached_tokens', { cached_tokens: 6 }],
])('cache reads are read from %s', async (_name, more) => {
  const usage = { ...counted(9, 2), ...more };
  const answer = await streamed(chunk({ content: 'a' }), chunk({}, 'stop'), { choices: [], usage });
  expect(answer.usage).toMatchObject({ read: 6, answer: 2 });
});

test('the message of an error that arrives as plain text is kept', async () => {
  const error = await errorOf(whole('model "llama9" not found', { 'content-type': 'text/plain' }, 404));
  expect(error).toMatchObject({ class: 'refused', code: 'provider/not-found' });
  expect(error.message).toContain('model "llama9" not found');
});

test.each([
  ['a member message', { object: 'error', message: 'the server is busy', type: 'Overloaded', code: 503 }],
  ['a member detail', { detail: 'the server is busy' }],
  ['a text', { error: 'the server is busy' }],
])('the message of an error that arrives as %s is kept', async (_title, body) => {
  const error = await errorOf(whole(JSON.stringify(body), { 'content-type': 'application/json' }, 503));
  expect(error).toMatchObject({ class: 'retryable', code: 'provider/overloaded' });
  expect(error.message).toContain('the server is busy');
});

test("an answer keeps the server's own name of the model if it differs from the requested one", async () => {
  const answer = await streamed({ ...chunk({ content: 'a' }, 'stop'), model: 'models/m-2026-11' });
  expect(answer).toMatchObject({ model: 'models/m-2026-11', stop: 'end' });
});

const COMPLETION = JSON.stringify({
  id: 'c1',
  model: 'm',
  choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: counted(9, 2),
});

test.each([
  ['application/json', { 'content-type': 'application/json; charset=utf-8' }],
  ['text/plain', { 'content-type': 'text/plain' }],
  ['text/event-stream', { 'content-type': 'text/event-stream' }],
  ['no content type', {}],
])('an answer that arrives as JSON although a stream was requested is read, with %s', async (_title, headers) => {
  expect(await answerTo(whole(COMPLETION, headers))).toMatchObject({
    parts: [{ type: 'text', text: 'Hello.' }],
    stop: 'end',
    usage: { input: 9, answer: 2 },
  });
});

test('a stream that arrives as application/json is read', async () => {
  const body = [chunk({ content: 'Hello.' }, 'stop'), { choices: [], usage: counted(9, 2) }].map(data).join('') + DONE;
  expect(await answerTo(whole(body))).toMatchObject({ parts: [{ type: 'text', text: 'Hello.' }], stop: 'end' });
});
