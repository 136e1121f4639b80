import { createHash } from 'node:crypto';
import type { Outgoing, Provider, ProviderError, StreamPart } from '@tidemark/model';
import type { Reply, Served } from '@tidemark/provider-wire/contract';
import {
  describeHttpContract,
  failureOf,
  partsOf,
  serve as serveAll,
  streaming as stream,
} from '@tidemark/provider-wire/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyOf, FRONT, HISTORY, textPart, span } from '../tests/fixtures.ts';
import { openaiResponsesEncoder } from './responses/encoder.ts';
import type { OpenAIOptions } from './provider.ts';
import { createOpenAIProvider } from './provider.ts';

const KEY = 'sk-a-secret-key';

const served: Served[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(served.splice(0).map((one) => one.close()));
});

async function serve(reply: Reply): Promise<Served> {
  const server = await serveAll(reply);
  served.push(server);
  return { ...server, baseURL: `${server.baseURL}/v1` };
}

const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hé', annotations: [] }] };
const ANSWER = [
  { type: 'response.created', response: { id: 'resp_1', model: 'm' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
  { type: 'response.output_text.delta', output_index: 0, delta: 'Hé' },
  { type: 'response.output_item.done', output_index: 0, item: message },
  { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed', output: [message] } },
];
const CHUNKS = [
  { id: 'c1', model: 'm', choices: [{ index: 0, delta: { content: 'Hé' } }] },
  { id: 'c1', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];

const sse = (event: object): string => {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
};

const streaming = (events: readonly object[], after?: Reply): Reply => stream(events.map(sse), after);

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_9', ...headers });
    response.end(JSON.stringify(body));
  };

const failing = (status: number, error: object, headers: Record<string, string> = {}): Reply =>
  json(status, { error: { param: null, ...error } }, headers);

const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
  body: Buffer.from('{"model":"m","input":[]}'),
  betas: [],
  ...more,
});

type Options = Partial<OpenAIOptions>;
const provider = (options: Options): Provider => createOpenAIProvider({ apiKey: KEY, api: 'responses', ...options });

const parts = (options: Options, sent = outgoing()): Promise<readonly StreamPart[]> => partsOf(provider(options), sent);

const failure = (options: Options): Promise<ProviderError> => failureOf(provider(options), outgoing());

describeHttpContract('Responses', {
  make: provider,
  body: '{"model":"m","input":[]}',
  begun: ANSWER.slice(0, 3).map(sse),
  failing: (words) => sse({ type: 'error', code: 'server_error', message: words }),
  refusing: (words) => ({ error: { param: null, code: 'invalid_api_key', message: words } }),
});

describeHttpContract('Chat Completions', {
  make: (options) => provider({ api: 'chat', ...options }),
  body: '{"model":"m","messages":[]}',
  begun: CHUNKS.slice(0, 1).map(sse),
  failing: (words) => sse({ error: { code: 'server_error', message: words } }),
  refusing: (words) => ({ error: { param: null, code: 'invalid_api_key', message: words } }),
});

describe('sending a request', () => {
  it('the request is sent exactly once, with the bytes that the digest was computed from and without any value of the environment', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-the-machine');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-the-machine');
    const { baseURL, arrivals } = await serve(streaming(ANSWER));
    const long = span('user', 4, [textPart('é '.repeat(200_000))]);
    const body = Buffer.from(bodyOf(openaiResponsesEncoder, FRONT, [...HISTORY, long]));
    await parts({ baseURL }, { body, betas: ['a=v1'] });
    expect(arrivals).toHaveLength(1);
    const [arrival] = arrivals;
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    expect(digest(arrival?.body ?? Buffer.alloc(0))).toBe(digest(body));
    expect(arrival?.path).toBe('/v1/responses');
    expect(arrival?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'openai-beta': 'a=v1',
    });
    expect(JSON.stringify(arrival?.headers)).not.toContain('of-the-machine');
  });

  it('the answer is streamed up to `finished`', async () => {
    const { baseURL } = await serve(streaming(ANSWER));
    const arrived = await parts({ baseURL });
    expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    expect(arrived.at(-1)).toMatchObject({ answer: { parts: [{ type: 'text', text: 'Hé' }], response: 'resp_1' } });
  });

  it('Chat Completions works with a compatible server, with and without [DONE]', async () => {
    for (const done of ['data: [DONE]\n\n', '']) {
      const { baseURL, arrivals } = await serve(streaming(CHUNKS, (response) => response.end(done)));
      const arrived = await parts({ baseURL, api: 'chat' });
      expect(arrivals.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
      expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    }
  });

  it('an answer that is one whole JSON body instead of a stream is read', async () => {
    const whole = await serve(json(200, { id: 'resp_1', status: 'completed', output: [message] }));
    expect((await parts({ baseURL: whole.baseURL })).map(({ type }) => type)).toEqual(['began', 'part', 'finished']);
    const chat = await serve(json(200, { choices: [{ message: { content: 'Hé' }, finish_reason: 'stop' }] }));
    expect((await parts({ baseURL: chat.baseURL, api: 'chat' })).at(-1)).toMatchObject({ answer: { stop: 'end' } });
  });

  it('`countTokens` sends the body without the fields that only generation needs, and exists only for the Responses API', async () => {
    const { baseURL, arrivals } = await serve(json(200, { object: 'response.input_tokens', input_tokens: 42 }));
    const body = Buffer.from(bodyOf(openaiResponsesEncoder, FRONT, []));
    expect(await provider({ baseURL }).countTokens?.({ body, betas: [] })).toBe(42);
    expect(arrivals.map(({ path }) => path)).toEqual(['/v1/responses/input_tokens']);
    expect(Object.keys(JSON.parse(arrivals[0]?.body.toString() ?? ''))).toEqual([
      'model',
      'reasoning',
      'text',
      'tools',
      'input',
    ]);
    expect(provider({ baseURL, api: 'chat' }).countTokens).toBeUndefined();
  });
});

describe('errors of a call', () => {
  it('a refusal is sorted by code and status, and its error contains the request id and the time to wait', async () => {
    const error = { code: 'rate_limit_exceeded', type: 'tokens', message: 'slow down' };
    const { baseURL, arrivals } = await serve(failing(429, error, { 'retry-after': '7' }));
    const { message: words, ...error429 } = await failure({ baseURL });
    expect(error429).toMatchObject({
      class: 'retryable',
      code: 'provider/rate-limited',
      data: { provider: 'openai', status: 429, type: 'rate_limit_exceeded', request: 'req_9', afterMs: 7_000 },
    });
    expect(words).toContain('(429 rate_limit_exceeded): slow down.');
    expect(arrivals).toHaveLength(1);
  });

  it('a request that is too long throws an error of class `compaction`, whether a status or an event of the stream reports it', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' };
    const expected = { class: 'compaction', code: 'provider/too-long' };
    const refused = await serve(failing(400, { type: 'invalid_request_error', ...error }));
    expect(await failure({ baseURL: refused.baseURL })).toMatchObject(expected);
    const failed = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error } };
    const late = await serve(streaming([...ANSWER.slice(0, 1), failed]));
    expect(await failure({ baseURL: late.baseURL })).toMatchObject(expected);
  });

  it('an error of a compatible server is read in any of its shapes', async () => {
    const number = await serve(failing(400, { code: 400, type: 'exceed_context_size_error', message: 'too big' }));
    expect(await failure({ baseURL: number.baseURL })).toMatchObject({ code: 'provider/too-long' });
    const plain = await serve(json(404, { error: 'model "x" not found, try pulling it first' }));
    expect(await failure({ baseURL: plain.baseURL })).toMatchObject({ code: 'provider/not-found' });
    const other = await serve(json(400, { detail: 'no' }));
    expect(await failure({ baseURL: other.baseURL })).toMatchObject({ code: 'provider/invalid' });
  });

  it('an error after status 200 is thrown after the parts that had already arrived', async () => {
    const error = { type: 'error', code: 'server_error', message: 'oops' };
    const { baseURL } = await serve(streaming([...ANSWER.slice(0, 3), error]));
    const arrived: StreamPart[] = [];
    const call = async (): Promise<void> => {
      for await (const part of provider({ baseURL }).send(outgoing())) arrived.push(part);
    };
    await expect(call()).rejects.toMatchObject({ class: 'retryable', code: 'provider/server' });
    expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta']);
  });

  it('an error does not reveal the key if the server repeats the key in a whole answer', async () => {
    const { baseURL } = await serve(json(200, { error: { message: KEY, code: 500 } }));
    const { message: words, stack, cause } = await failure({ baseURL, api: 'chat' });
    expect([words, stack, String(cause)].join('\n')).not.toContain(KEY);
  });
});
