// Tests for the routes of the OpenAI part, with the unmodified official SDK as the client: streams, whole answers,
// counts, errors and faults.

import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Fault, ListeningSimulator, Simulator, SimulatorOptions } from '../src/index.ts';
import { simulateOpenAI } from './openai-conversation.ts';

const open: ListeningSimulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function start(
  options: SimulatorOptions = {},
): Promise<{ readonly simulator: Simulator; readonly client: OpenAI; readonly router: OpenAI; readonly url: string }> {
  const simulator = simulateOpenAI(options);
  const listening = await simulator.listen();
  open.push(listening);
  const settings = { apiKey: 'test-key', maxRetries: 0, logLevel: 'off' } as const;
  const client = new OpenAI({ ...settings, baseURL: `${listening.url}/v1` });
  const router = new OpenAI({ ...settings, baseURL: `${listening.url}/api/v1` });
  return { simulator, client, router, url: listening.url };
}

const REQUEST = {
  model: 'gpt-new',
  input: 'hello',
  store: false,
  include: ['reasoning.encrypted_content' as const],
  reasoning: { summary: 'auto' as const },
};
const CHAT = { model: 'gpt-new', messages: [{ role: 'user' as const, content: 'hello' }] };
const ANSWER = {
  thinking: 'a long thought that needs more than one delta to arrive, 🙂 included',
  text: 'Grüße 🙂 in more than forty-eight characters, so that it comes in pieces 🙂.',
  calls: [
    { id: 'call_1', name: 'look', arguments: '{"path": "a.ts", "why": "to see more than one delta of it all"}' },
    { id: 'call_2', name: 'look', arguments: {} },
  ],
};

describe('the official SDK as a client of Responses', () => {
  it('receives a whole answer', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: ANSWER });
    const { data, response } = await client.responses.create(REQUEST).withResponse();
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'gpt-new',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: ANSWER.thinking }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWER.text }] },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: ANSWER.calls[0]?.arguments },
        { type: 'function_call', call_id: 'call_2', arguments: '{}' },
      ],
    });
    expect(data.output_text).toBe(ANSWER.text);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('receives the same answer as a stream, with the same usage', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: ANSWER });
    const whole = await client.responses.create(REQUEST);
    simulator.next({ answer: ANSWER });
    const streamed = await client.responses.stream(REQUEST).finalResponse();
    const plain = (response: OpenAI.Responses.Response): unknown =>
      response.output.map((item) => {
        if (item.type === 'reasoning') return item.summary;
        return item.type === 'message' ? item.content : { ...item, id: 'any', parsed_arguments: 'any' };
      });
    expect(JSON.stringify(plain(streamed)).replaceAll(',"parsed":null', '')).toBe(JSON.stringify(plain(whole)));
    expect(streamed.usage).toEqual(whole.usage);
  });

  it('receives the events in the order of provider-facts §2.6, numbered without a gap', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: { thinking: 'hm', text: 'so', calls: [{ name: 'look', arguments: '{}' }] } });
    const seen: { readonly type: string; readonly number: number }[] = [];
    for await (const event of await client.responses.create({ ...REQUEST, stream: true })) {
      seen.push({ type: event.type, number: 'sequence_number' in event ? event.sequence_number : -1 });
    }
    expect(seen.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, i) => i));
  });

  it('receives the whole encrypted content only when the item is done', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: { thinking: 'hm', text: 'so' } });
    const seals: string[] = [];
    for await (const event of await client.responses.create({ ...REQUEST, stream: true })) {
      if (event.type !== 'response.output_item.added' && event.type !== 'response.output_item.done') continue;
      if (event.item.type === 'reasoning') seals.push(event.item.encrypted_content ?? '');
    }
    expect(seals).toHaveLength(2);
    expect(seals[1]).toMatch(/^gAAAAAB/);
    expect(seals[1]).not.toBe(seals[0]);
  });

  it('can continue a conversation with the items that it sends back, and a stored response by its id', async () => {
    const { simulator, client } = await start();
    const question = { role: 'user' as const, content: 'x'.repeat(8000) };
    simulator.next({ answer: { thinking: 'hm', calls: [{ id: 'call_1', name: 'look', arguments: '{}' }] } });
    const first = await client.responses.create({ ...REQUEST, store: true, input: [question] });
    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'seen' };
    const given = first.output.filter((item) => item.type === 'reasoning' || item.type === 'function_call');
    const whole = await client.responses.create({ ...REQUEST, input: [question, ...given, result] });
    const chained = await client.responses.create({ ...REQUEST, previous_response_id: first.id, input: [result] });
    expect(whole.usage?.input_tokens_details.cached_tokens).toBe(2000);
    expect(chained.usage?.input_tokens).toBe(whole.usage?.input_tokens);
    expect(chained.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(2000);
  });

  it('receives an incomplete response if the answer reaches the output limit', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: { text: 'word '.repeat(200) } });
    const cut = await client.responses.create({ ...REQUEST, max_output_tokens: 16 });
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', status: 'incomplete' }],
    });
    expect(cut.usage?.output_tokens).toBe(16);
    const names: string[] = [];
    simulator.next({ answer: { text: 'word '.repeat(200) } });
    const stream = await client.responses.create({ ...REQUEST, max_output_tokens: 17, stream: true });
    for await (const event of stream) names.push(event.type);
    expect(names.at(-1)).toBe('response.incomplete');
  });

  it('counts input tokens', async () => {
    const { client } = await start();
    const counted = await client.responses.inputTokens.count({ model: 'gpt-new', input: 'hello' });
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: 2 });
  });

  it('can set the time of a call on a virtual clock with a header, and reads entries only with the API key that wrote them', async () => {
    const { client, simulator, url } = await start();
    const body = { ...REQUEST, input: 'x'.repeat(8000) };
    const at = async (time: number, by: OpenAI = client): Promise<number | undefined> => {
      const response = await by.responses.create(body, { headers: { 'x-tidemark-at': String(time) } });
      return response.usage?.input_tokens_details.cached_tokens;
    };
    expect(await at(0)).toBe(0);
    expect(await at(1_799_999)).toBe(2000);
    expect(await at(1_800_000, new OpenAI({ apiKey: 'other', baseURL: `${url}/v1`, maxRetries: 0 }))).toBe(0);
    expect(await at(3_599_999)).toBe(0);
    await expect(at(5)).rejects.toThrow('after a call with the time 3599999');
    expect(simulator.calls.map((call) => [call.wire, call.endpoint])).toEqual(
      Array.from({ length: 4 }, () => ['openai', 'responses']),
    );
  });
});

describe('the official SDK as a client of Chat Completions', () => {
  it('receives a whole answer, and the same answer with its usage as a stream', async () => {
    const { simulator, client } = await start();
    simulator.next({ answer: ANSWER });
    const whole = await client.chat.completions.create(CHAT);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { role: 'assistant', content: ANSWER.text, tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
    });
    simulator.next({ answer: ANSWER });
    const stream = client.chat.completions.stream({ ...CHAT, stream_options: { include_usage: true } });
    const last = await stream.finalChatCompletion();
    expect(last.choices[0]?.message.content).toBe(ANSWER.text);
    expect(last.choices[0]?.message.tool_calls).toMatchObject(whole.choices[0]?.message.tool_calls ?? []);
    expect(last.usage).toEqual(whole.usage);
  });

  it('receives no usage in a stream if the request does not ask for it', async () => {
    const { client } = await start();
    const usages: unknown[] = [];
    for await (const chunk of await client.chat.completions.create({ ...CHAT, stream: true })) usages.push(chunk.usage);
    expect(usages.every((usage) => usage === undefined)).toBe(true);
  });

  it('receives the usage in an extra chunk at the end of a stream if the request asks for it', async () => {
    const { client } = await start();
    const usages: unknown[] = [];
    const request = { ...CHAT, stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create(request)) usages.push(chunk.usage);
    expect(usages.slice(0, -1).every((usage) => usage === null)).toBe(true);
    expect(usages.at(-1)).toMatchObject({ prompt_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } });
  });

  it('reaches the router at `/api/v1`, and the router sends reasoning and usage even if the request does not ask for them', async () => {
    const { simulator, router } = await start();
    simulator.next({ answer: ANSWER });
    const chunks: unknown[] = [];
    const stream = await router.chat.completions.create({ ...CHAT, model: 'anthropic/claude-test', stream: true });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[1]).toMatchObject({ choices: [{ delta: { reasoning: ANSWER.thinking.slice(0, 48) } }] });
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 2 } });
    expect(simulator.calls[0]).toMatchObject({ wire: 'openrouter', endpoint: 'chat/completions' });
  });
});

describe('an error of the simulator', () => {
  it("becomes an error of the SDK, with the simulator's text, code and headers", async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'rate-limited', retryAfter: 3 });
    const limited = client.responses.create(REQUEST);
    await expect(limited).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'tokens' });
    await limited.catch((error: unknown) => {
      expect(error instanceof OpenAI.APIError && error.headers?.get('retry-after')).toBe('3');
    });
    simulator.fail({ kind: 'rate-limited' });
    await expect(client.responses.create(REQUEST)).rejects.toMatchObject({ code: 'insufficient_quota' });
    simulator.fail({ kind: 'overloaded' });
    await expect(client.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 503 });
    simulator.fail({ kind: 'server-error' });
    await expect(client.responses.create(REQUEST)).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(client.responses.create({ ...REQUEST, model: 'gpt-0' })).rejects.toMatchObject({
      status: 400,
      code: 'model_not_found',
    });
    await expect(client.chat.completions.create({ ...CHAT, model: 'gpt-0' })).rejects.toMatchObject({ status: 404 });
  });

  it('from the router has its HTTP status as its `code`', async () => {
    const { router } = await start();
    const lost = router.chat.completions.create({ ...CHAT, model: 'nobody/none' });
    await expect(lost).rejects.toMatchObject({ status: 400, code: 400 });
  });

  it('is returned for a missing API key, and for a hook that throws', async () => {
    const { url, client } = await start({
      onRequest: () => {
        throw new Error('the hook broke');
      },
    });
    const body = JSON.stringify(CHAT);
    expect((await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).status).toBe(401);
    await expect(client.responses.create(REQUEST)).rejects.toThrow('simulator: the hook broke');
  });
});

describe('a fault during a stream', () => {
  async function events(fault: Fault): Promise<readonly string[]> {
    const { simulator, client } = await start();
    simulator.fail(fault);
    const seen: string[] = [];
    try {
      for await (const event of await client.responses.create({ ...REQUEST, stream: true })) seen.push(event.type);
      seen.push('end');
    } catch (error) {
      seen.push(error instanceof Error ? `error: ${error.message}` : 'error');
    }
    return seen;
  }

  it('with the kind `cut` cuts the connection after the given number of events', async () => {
    const seen = await events({ kind: 'cut', afterEvents: 2 });
    expect(seen.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(seen.at(-1)).toMatch(/^error: (terminated|aborted|other side closed)/);
  });

  it('with the kind `error-event` sends an error after the status 200, as a separate event or as the end of the response', async () => {
    const failed = await events({ kind: 'error-event', afterEvents: 3, form: 'failed' });
    expect(failed.at(-2)).toBe('response.failed');
    const error = await events({
      kind: 'error-event',
      afterEvents: 3,
      type: 'rate_limit_exceeded',
      message: 'slow down',
    });
    expect(error.slice(3).join()).toContain('error');
  });

  it('with the kind `malformed-event` sends an event that is not valid JSON', async () => {
    expect((await events({ kind: 'malformed-event', afterEvents: 3 })).at(-1)).toMatch(/^error: .*JSON/);
  });

  it('with the kind `silence` stops the stream without closing it, and closing the server ends the wait of the client', async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'silence', afterEvents: 1 });
    const stream = await client.responses.create({ ...REQUEST, stream: true });
    const next = stream[Symbol.asyncIterator]();
    expect(await next.next()).toMatchObject({ value: { type: 'response.created' } });
    const waiting = next.next();
    await Promise.all(open.splice(0).map((listening) => listening.close()));
    await expect(waiting).rejects.toThrow();
  });

  it('affects a chat stream too', async () => {
    const { simulator, client } = await start();
    const read = async (): Promise<void> => {
      for await (const _chunk of await client.chat.completions.create({ ...CHAT, stream: true }));
    };
    simulator.fail({ kind: 'error-event', afterEvents: 1, message: 'lost' });
    await expect(read()).rejects.toThrow('lost');
    simulator.fail({ kind: 'malformed-event', afterEvents: 1 });
    await expect(read()).rejects.toThrow(/JSON/);
  });

  it('takes effect before the first byte of an answer without a stream', async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'error-event', afterEvents: 2 });
    await expect(client.responses.create(REQUEST)).rejects.toMatchObject({ status: 500 });
    simulator.fail({ kind: 'cut', afterEvents: 2 });
    await expect(client.responses.create(REQUEST)).rejects.toThrow();
    simulator.fail({ kind: 'malformed-event', afterEvents: 2 });
    await expect(client.responses.create(REQUEST)).rejects.toThrow();
  });

  it('with the kind `wrong-usage` reports wrong numbers, while the ledger has the true counts', async () => {
    const { simulator, client } = await start();
    simulator.fail({ kind: 'wrong-usage', usage: { input_tokens: 7, cache_read_input_tokens: 5 } });
    const { usage } = await client.responses.create(REQUEST);
    expect(usage).toMatchObject({ input_tokens: 7, input_tokens_details: { cached_tokens: 5 } });
    expect(simulator.calls[0]?.counts).toMatchObject({ input: 2, read: 0 });
  });
});
