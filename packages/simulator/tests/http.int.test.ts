// Tests for the HTTP server, with the unmodified official SDK as the client: streams, whole answers, counts, errors and
// faults.

import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fault, ListeningSimulator, Simulator, SimulatorOptions } from '../src/index.ts';
import { mark, simulate, text, user } from './conversation.ts';

const open: ListeningSimulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function start(
  options: SimulatorOptions = {},
): Promise<{ readonly simulator: Simulator; readonly client: Anthropic; readonly url: string }> {
  const simulator = simulate(options);
  const listening = await simulator.listen();
  open.push(listening);
  const client = new Anthropic({ apiKey: 'test-key', baseURL: listening.url, maxRetries: 0, logLevel: 'off' });
  return { simulator, client, url: listening.url };
}

const REQUEST = { model: 'test-model', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'hello' }] };
const ANSWER = {
  thinking: 'a long thought that needs more than one delta to arrive, 🙂 included',
  text: 'Grüße 🙂 in more than forty-eight characters, so that it comes in pieces 🙂.',
  calls: [
    {
      id: 'c1',
      name: 'look',
      arguments: '{"path": "a.ts", "deep": {"lines": [1, 2, 3]}, "why": "to see more than one delta"}',
    },
    { id: 'c2', name: 'look', arguments: {} },
  ],
};

describe('the official SDK as a client', () => {
  it('receives a whole answer', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: ANSWER });
    const { data, response } = await client.messages.create(REQUEST).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: ANSWER.thinking },
        { type: 'text', text: ANSWER.text },
        { type: 'tool_use', id: 'c1', input: { path: 'a.ts', deep: { lines: [1, 2, 3] } } },
        { type: 'tool_use', id: 'c2', input: {} },
      ],
    });
    expect(response.headers.get('request-id')).toMatch(/^req_/);
  });

  it('receives the same answer as a stream, with the same usage', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: ANSWER });
    const whole = await client.messages.create({ ...REQUEST, max_tokens: 1001 });
    simulator.next({ answer: ANSWER });
    const streamed = await client.messages.stream(REQUEST).finalMessage();
    const plain = (message: Anthropic.Message): unknown =>
      message.content.map((block) => (block.type === 'thinking' ? { ...block, signature: 'any' } : block));
    expect(plain(streamed)).toEqual(plain(whole));
    expect([streamed.usage, streamed.stop_reason]).toMatchObject([whole.usage, whole.stop_reason]);
  });

  it('receives the events in the order of provider-facts §1.9', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: { thinking: 'hm', text: 'so', calls: [{ name: 'look', arguments: '{}' }] } });
    const names: string[] = [];
    for await (const event of await client.messages.create({ ...REQUEST, stream: true })) {
      names.push(event.type === 'content_block_delta' ? event.delta.type : event.type);
    }
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'thinking_delta',
      'signature_delta',
      'content_block_stop',
      'content_block_start',
      'text_delta',
      'content_block_stop',
      'content_block_start',
      'input_json_delta',
      'input_json_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('reads an entry of an earlier call only with the API key of that call', async () => {
    const { client, url } = await start();
    const messages = [user(mark(text('x'.repeat(8000))))];
    const body = { ...REQUEST, messages };
    const post = (by: Anthropic): Promise<Anthropic.Message> => by.post('/v1/messages', { body });
    expect((await post(client)).usage).toMatchObject({ cache_creation_input_tokens: 2000 });
    expect((await post(client)).usage).toMatchObject({ cache_read_input_tokens: 2000 });
    const stranger = new Anthropic({ apiKey: 'other-key', baseURL: url, maxRetries: 0 });
    expect((await post(stranger)).usage).toMatchObject({ cache_read_input_tokens: 0 });
  });

  it('counts input tokens', async () => {
    const { client } = await start();
    const counted = await client.messages.countTokens({ model: 'test-model', messages: REQUEST.messages });
    expect(counted).toEqual({ input_tokens: 2 });
  });

  it("throws the SDK's own error classes, with the type and the headers that the simulator sent", async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'rate-limited', retryAfter: 3 });
    const limited = client.messages.create(REQUEST);
    await expect(limited).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await limited.catch((error: unknown) => {
      expect(error instanceof Anthropic.APIError && error.headers?.get('retry-after')).toBe('3');
    });
    const bad = client.messages.create({ ...REQUEST, messages: [] });
    await expect(bad).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(bad).rejects.toThrow('messages: at least one message is required');
    await expect(client.messages.create({ ...REQUEST, model: 'claude-0' })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
  });

  it('counts tokens with context edits, and reports the tokens without them', async () => {
    const { client } = await start();
    const { max_tokens: _max, ...counted } = REQUEST;
    const count = await client.beta.messages.countTokens({
      ...counted,
      betas: ['context-management-2025-06-27'],
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    });
    expect(count).toEqual({ input_tokens: 2, context_management: { original_input_tokens: 2 } });
  });

  it('receives in a stream the applied context edits, and the stop sequence at which the answer ended', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: { text: 'one two' } });
    const stream = client.beta.messages.stream({
      ...REQUEST,
      betas: ['context-management-2025-06-27'],
      context_management: { edits: [] },
      stop_sequences: [' two'],
    });
    expect(await stream.finalMessage()).toMatchObject({
      content: [{ type: 'text', text: 'one' }],
      context_management: { applied_edits: [] },
      stop_reason: 'stop_sequence',
      stop_sequence: ' two',
    });
  });

  it.each<readonly [string, object]>([
    ['/v1/nothing', { type: 'error', error: { type: 'not_found_error', message: 'Not found' } }],
    [
      '/v1/responses/resp_1',
      { error: { message: 'simulator: no route for /v1/responses/resp_1 is simulated with this method.' } },
    ],
    ['/v1/chat/completions', { error: { type: 'invalid_request_error' } }],
    ['/api/v1/models', { error: { code: 404 } }],
  ])('gets 404 for `GET %s`, in the form of the provider', async (path, body) => {
    const { url } = await start();
    const reply = await fetch(`${url}${path}`);
    expect([reply.status, await reply.json()]).toMatchObject([404, body]);
  });

  it('is refused without an API key or a version header', async () => {
    const { url } = await start();
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(REQUEST) });
    expect((await post({})).status).toBe(401);
    expect((await post({ 'x-api-key': 'k' })).status).toBe(400);
    expect((await post({ authorization: 'Bearer k', 'anthropic-version': '2023-06-01' })).status).toBe(200);
    expect((await post({ authorization: 'Bearer k', 'anthropic-version': 'v1' })).status).toBe(400);
  });

  it('can set the time of a call on a virtual clock with a header', async () => {
    const { client, simulator } = await start();
    const at = (time: number): Promise<Anthropic.Message> =>
      client.post('/v1/messages', {
        body: { ...REQUEST, messages: [user(mark(text('x'.repeat(8000))))] },
        headers: { 'x-tidemark-at': String(time) },
      });
    expect((await at(0)).usage.cache_read_input_tokens).toBe(0);
    expect((await at(299_999)).usage.cache_read_input_tokens).toBe(2000);
    expect((await at(600_000)).usage.cache_read_input_tokens).toBe(0);
    await expect(at(5)).rejects.toThrow('after a call with the time 600000');
    expect(simulator.calls.map((seen) => seen.at)).toEqual([0, 299_999, 600_000]);
  });
});

describe('a fault during a stream', () => {
  async function events(fault: Fault): Promise<readonly string[]> {
    const { simulator, client } = await start();
    simulator.fail(fault);
    const seen: string[] = [];
    try {
      for await (const event of await client.messages.create({ ...REQUEST, stream: true })) seen.push(event.type);
      seen.push('end');
    } catch (error) {
      seen.push(error instanceof Error ? `error: ${error.message}` : 'error');
    }
    return seen;
  }

  it('with the kind `cut` cuts the connection after the given number of events', async () => {
    const seen = await events({ kind: 'cut', afterEvents: 2 });
    expect(seen[0]).toBe('message_start');
    expect(seen.at(-1)).toMatch(/^error: (terminated|aborted|other side closed)/);
  });

  it('with the kind `cut` can cut the connection after the last event', async () => {
    const whole = await events({ kind: 'evicted' });
    expect(whole.slice(-2)).toEqual(['message_stop', 'end']);
    // `whole` contains the item "end", which is not an event. It lacks the event "ping", which the client does not
    // yield. So the length of `whole` is the number of events.
    const seen = await events({ kind: 'cut', afterEvents: whole.length });
    expect(seen.slice(0, -1)).toEqual(whole.slice(0, -1));
    expect(seen.at(-1)).toMatch(/^error: (terminated|aborted|other side closed)/);
  });

  it('sends an overload error after the status 200', async () => {
    const seen = await events({ kind: 'error-event', afterEvents: 4 });
    expect(seen.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
    expect(seen.at(-1)).toContain('overloaded_error');
  });

  it('sends an event that is not valid JSON', async () => {
    const seen = await events({ kind: 'malformed-event', afterEvents: 3 });
    expect(seen.at(-1)).toMatch(/^error: .*JSON/);
  });

  it('with the kind `silence` stops the stream without closing it, and closing the server ends the wait of the client', async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'silence', afterEvents: 1 });
    const stream = await client.messages.create({ ...REQUEST, stream: true });
    const next = stream[Symbol.asyncIterator]();
    expect(await next.next()).toMatchObject({ value: { type: 'message_start' } });
    const waiting = next.next();
    await Promise.all(open.splice(0).map((listening) => listening.close()));
    await expect(waiting).rejects.toThrow();
  });

  it('can delay the first byte, and the entry is readable only after that delay', async () => {
    const { simulator, client } = await start({ clock: 'real' });
    const body = { ...REQUEST, messages: [user(mark(text('x'.repeat(8000))))] };
    const post = (): Promise<Anthropic.Message> => client.post('/v1/messages', { body });
    simulator.fail({ kind: 'slow-first-byte', ms: 300 });
    const slow = post();
    await vi.waitFor(() => expect(simulator.calls).toHaveLength(1), { timeout: 30_000 });
    expect((await post()).usage.cache_read_input_tokens).toBe(0);
    await slow;
    expect((await post()).usage.cache_read_input_tokens).toBe(2000);
  });

  it('takes effect before the first byte of an answer without a stream', async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'error-event', afterEvents: 2 });
    await expect(client.messages.create(REQUEST)).rejects.toMatchObject({ status: 529 });
    simulator.fail({ kind: 'cut', afterEvents: 2 });
    await expect(client.messages.create(REQUEST)).rejects.toThrow();
    simulator.fail({ kind: 'malformed-event', afterEvents: 2 });
    await expect(client.messages.create(REQUEST)).rejects.toThrow();
  });
});

describe("the simulator's port", () => {
  it('is on loopback, cannot be opened twice, and is free again after closing', async () => {
    const { url, simulator } = await start();
    const port = Number(new URL(url).port);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    await expect(simulate().listen({ port })).rejects.toMatchObject({ code: 'simulator/listen-failed' });
    await open.splice(0)[0]?.close();
    open.push(await simulator.listen({ port }));
    expect(open[0]?.port).toBe(port);
  });

  it('returns an error of the embedding process as an error text that starts with `simulator:`', async () => {
    const { client } = await start({
      onRequest: () => {
        throw new Error('the hook broke');
      },
    });
    await expect(client.messages.create(REQUEST)).rejects.toThrow('simulator: the hook broke');
  });
});
