// Tests whole sessions with compatible servers that behave in unusual ways: a refused field, required reasoning,
// special parameters, missing call ids. Each request is rebuilt from the log.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { verifySession } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { COMPATIBLE_ENCODERS } from '@tidemark/provider-openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from './agent-options.ts';
import type { Agent } from './create-agent.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

interface SentBody {
  readonly [field: string]: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
}

interface Received {
  readonly body: SentBody;
  readonly headers: IncomingHttpHeaders;
}

interface Server {
  readonly url: string;
  readonly received: Received[];
}

/** Answers the request with this number, from 0. */
type Answering = (count: number, received: Received, response: ServerResponse) => void;

async function serve(answering: Answering): Promise<Server> {
  const received: Received[] = [];
  const read = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const one: Received = { body: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers };
    received.push(one);
    answering(received.length - 1, one, response);
  };
  const server = createServer((request, response) => void read(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1`, received };
}

function stream(response: ServerResponse, ...chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const says = (delta: object, finish_reason?: string): object => ({ choices: [{ index: 0, delta, finish_reason }] });
const calls = (id: string | undefined, name = 'look'): object =>
  says({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '{}' } }] }, 'tool_calls');

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  effect: 'read',
  run: () => 'A door.',
});

function agentAt(url: string, more: Partial<AgentOptions> = {}, backend?: MemoryBackend): Agent {
  const agent = createAgent({
    model: 'local-model',
    provider: 'compatible',
    baseURL: url,
    modelOptions: { contextWindow: 32_768 },
    tools: [look],
    ...(backend !== undefined && { store: createMemoryStore(backend) }),
    ...more,
  });
  onTestFinished(() => agent.close());
  return agent;
}

async function recordsOf(agent: Agent, id: string): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(sessionId(id))) records.push(record);
  return records;
}

const ENCODERS = Object.values(COMPATIBLE_ENCODERS).flatMap((one) => [one, ...Object.values(one.without ?? {})]);

/** Rebuilds each request of a session and expects the recorded bytes, without a break of the prefix (L2, L3). */
async function expectRebuilt(agent: Agent, id: string, requests: number): Promise<void> {
  const encoders = (revision: string): (typeof ENCODERS)[number] | undefined =>
    ENCODERS.find((one) => one.revision === revision);
  for (const full of [false, true])
    expect(await verifySession(agent.log, sessionId(id), { encoders, full })).toMatchObject({
      requests,
      differences: [],
      breaks: [],
      problems: [],
    });
}

describe('a server that refuses `stream_options`', () => {
  const refusing: Answering = (count, { body }, response) => {
    if ('stream_options' in body) {
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs' }] }));
    } else if (count === 1) stream(response, calls('call_1'));
    else stream(response, says({ content: `Answer ${count}.` }, 'stop'));
  };

  test('gets the request once more without it, and all later requests of the session without it', async () => {
    const { url, received } = await serve(refusing);
    const agent = agentAt(url);
    const session = await agent.open();
    const notices: string[] = [];
    const turn = session.prompt('Look.');
    for await (const event of turn) if (event.type === 'notice.raised') notices.push(event.notice.code);
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'Answer 2.' });
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'Answer 3.' });
    expect(received.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false, false]);
    expect(notices.filter((code) => code === 'turn/field-refused')).toHaveLength(1);
    await expectRebuilt(agent, session.id, 4);
  });

  test('is remembered by the log: each request names its encoder, and a reopened session sends no refused request', async () => {
    const { url, received } = await serve(refusing);
    const backend = createMemoryBackend();
    const first = agentAt(url, {}, backend);
    const session = await first.open();
    await session.prompt('Look.');
    await first.close();
    const again = agentAt(url, {}, backend);
    const reopened = await again.open(session.id);
    expect(await reopened.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'Answer 3.' });
    expect(received.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false, false]);
    const records = await recordsOf(again, session.id);
    const encoders = records.flatMap((one) => (one.kind === 'request.prepared' ? [one.data.encoder] : []));
    const plain = 'compatible-chat-without-stream-options/1';
    expect(encoders).toEqual(['compatible-chat/1', plain, plain, plain]);
    expect(records.flatMap((one) => (one.kind === 'answer.failed' ? [one.data.retry] : []))).toEqual([true]);
    expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
    await expectRebuilt(again, session.id, 4);
  });

  test('leaves the usage unknown', async () => {
    const { url } = await serve(refusing);
    const agent = agentAt(url);
    const session = await agent.open();
    const { totals } = await session.prompt('Look.');
    expect(totals.cost).toBeUndefined();
    const answers = (await recordsOf(agent, session.id)).flatMap((one) =>
      one.kind === 'answer.received' ? [one.data.usage] : [],
    );
    expect(answers).toEqual([{}, {}]);
  });

  test('gets a side call without it too', async () => {
    const { url, received } = await serve(refusing);
    const agent = agentAt(url, { tools: [] });
    const session = await agent.open();
    await session.side({ purpose: 'title', prompt: 'Name it.', maxOutputTokens: 50 });
    expect(await session.side({ purpose: 'title', prompt: 'Name it again.' })).toMatchObject({ text: 'Answer 2.' });
    expect(received.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false]);
  });

  test('fails the turn if it also refuses the request without it', async () => {
    const { url, received } = await serve((_count, _received, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      response.end('stream_options and everything else is refused');
    });
    const session = await agentAt(url).open();
    expect(await session.prompt('Look.')).toMatchObject({ outcome: 'failed', error: { code: 'provider/invalid' } });
    expect(received).toHaveLength(2);
  });
});

describe('reasoning', () => {
  const thinking: Answering = (count, _received, response) => {
    if (count === 0)
      stream(response, says({ reasoning_content: 'I look ' }), says({ reasoning_content: 'first.' }), calls('call_1'));
    else if (count === 1) stream(response, calls('call_2'));
    else stream(response, says({ reasoning_content: 'Done now.' }), says({ content: `Answer ${count}.` }, 'stop'));
  };

  test.each([
    ['compatible', [undefined, undefined, undefined]],
    ['ollama', [undefined, undefined, undefined]],
    ['groq', [undefined, undefined, undefined]],
    ['zai', ['I look first.', undefined, 'Done now.']],
    ['deepseek', ['I look first.', '', 'Done now.']],
    ['moonshot', ['I look first.', ' ', 'Done now.']],
  ] as const)('is sent back to %s as %j, and each request is rebuilt', async (provider, expected) => {
    const { url, received } = await serve(thinking);
    const agent = agentAt(url, { provider });
    const session = await agent.open();
    expect(await session.prompt('Look.')).toMatchObject({ outcome: 'completed', text: 'Answer 2.' });
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'Answer 3.' });
    const last = received.at(-1)?.body.messages.filter(({ role }) => role === 'assistant');
    expect(last?.map(({ reasoning_content }) => reasoning_content)).toEqual(expected);
    await expectRebuilt(agent, session.id, 4);
  });
});

describe('parameters', () => {
  const answering: Answering = (_count, _received, response) => stream(response, says({ content: 'Yes.' }, 'stop'));

  test('of `modelOptions.parameters` become fields of each body, with any name and value', async () => {
    const { url, received } = await serve(answering);
    const parameters = {
      temperature: 0.2,
      top_p: 0.9,
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: false },
    };
    const agent = agentAt(url, { modelOptions: { contextWindow: 32_768, parameters } });
    const session = await agent.open();
    await session.prompt('Is it?');
    await session.prompt('And now?');
    for (const { body } of received) expect(body).toMatchObject(parameters);
    await expectRebuilt(agent, session.id, 2);
  });

  test('are accepted for a preset with a catalog row', async () => {
    const { url, received } = await serve(answering);
    const agent = agentAt(url, {
      provider: 'deepseek',
      model: 'deepseek-flash',
      modelOptions: { parameters: { thinking: { type: 'disabled' } } },
    });
    await (await agent.open()).prompt('Is it?');
    expect(received[0]?.body['thinking']).toEqual({ type: 'disabled' });
  });

  test.each(['model', 'messages', 'tools', 'stream', 'stream_options', 'n', 'max_tokens', 'max_completion_tokens'])(
    'with the name %s are refused, because Tidemark writes this field',
    (name) => {
      const made = (): Agent =>
        agentAt('http://127.0.0.1:9/v1', { modelOptions: { contextWindow: 32_768, parameters: { [name]: 1 } } });
      expect(made).toThrow(expect.objectContaining({ code: 'kit/bad-options' }));
    },
  );
});

test('calls without ids in answers without ids get different ids', async () => {
  const { url, received } = await serve((count, _received, response) => {
    if (count < 2) stream(response, { id: undefined, ...calls(undefined) });
    else stream(response, { id: undefined, ...says({ content: 'Done.' }, 'stop') });
  });
  const agent = agentAt(url);
  const session = await agent.open();
  expect(await session.prompt('Look twice.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  const { messages = [] } = received.at(-1)?.body ?? {};
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(ids);
  await expectRebuilt(agent, session.id, 3);
});

test('the headers and the token of `connection` reach the server, and neither the log nor an error contains them', async () => {
  const secret = `gateway-${'w'.repeat(16)}`;
  const token = `token-${'t'.repeat(16)}`;
  const { url, received } = await serve((_count, { headers }, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' });
    response.end(`not allowed: ${JSON.stringify(headers)}`);
  });
  const connection = { headers: { 'x-gateway-key': secret, 'x-team': 'search-team' }, bearerToken: token };
  const agent = agentAt(url, { connection });
  const session = await agent.open();
  const turn = await session.prompt(`Is ${secret} right?`);
  expect(received[0]?.headers).toMatchObject({
    'x-gateway-key': secret,
    'x-team': 'search-team',
    authorization: `Bearer ${token}`,
  });
  const all = JSON.stringify([turn, await recordsOf(agent, session.id)]);
  for (const hidden of [secret, token, 'search-team']) expect(all).not.toContain(hidden);
});

test('the headers, the token and the key of a session do not follow it to another provider', async () => {
  const answering: Answering = (_count, _received, response) => stream(response, says({ content: 'Yes.' }, 'stop'));
  const [first, second] = [await serve(answering), await serve(answering)];
  const connection = { headers: { 'x-team': 'search-team' }, bearerToken: `token-${'t'.repeat(16)}` };
  const agent = agentAt(first.url, { connection, tools: [] });
  const session = await agent.open();
  await session.prompt('Is it?');
  await session.setModel('other-model', { provider: 'vllm', baseURL: second.url, contextWindow: 32_768 });
  await session.prompt('And you?');
  expect(first.received[0]?.headers).toMatchObject({ 'x-team': 'search-team' });
  expect(second.received[0]?.headers['x-team']).toBeUndefined();
  expect(second.received[0]?.headers['authorization']).toBe('Bearer none');
});
