import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Outgoing, ProviderError, StreamPart } from '@tidemark/model';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyOf, FRONT, HISTORY, said, span } from '../../tests/fixtures.ts';
import { openaiResponsesEncoder } from '../responses/encoder.ts';
import type { OpenAIOptions } from './provider.ts';
import { createOpenAIProvider } from './provider.ts';

const KEY = 'sk-a-secret-key';

/** What reached the server. */
interface Arrival {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
type Reply = (response: ServerResponse) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(reply: Reply): Promise<{ baseURL: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      arrivals.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
      reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseURL: `http://127.0.0.1:${port}/v1`, arrivals };
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

const streaming =
  (events: readonly object[], after: Reply = (response) => response.end()): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(events.map(sse).join(''), () => after(response));
  };

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
const provider = (options: Options) => createOpenAIProvider({ apiKey: KEY, api: 'responses', ...options });

async function parts(options: Options, sent: Outgoing = outgoing()): Promise<readonly StreamPart[]> {
  const arrived: StreamPart[] = [];
  for await (const part of provider(options).send(sent)) arrived.push(part);
  return arrived;
}

async function failure(options: Options, sent?: Outgoing): Promise<ProviderError> {
  return parts(options, sent).then(
    () => Promise.reject(new Error('the call did not fail')),
    (error: ProviderError) => error,
  );
}

describe('sending', () => {
  it('sends exactly the bytes that were digested, once, and nothing of the environment', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-the-machine');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-the-machine');
    const { baseURL, arrivals } = await serve(streaming(ANSWER));
    const long = span('user', 4, [said('é '.repeat(200_000))]);
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

  it('streams the answer up to `finished`', async () => {
    const { baseURL } = await serve(streaming(ANSWER));
    const arrived = await parts({ baseURL });
    expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    expect(arrived.at(-1)).toMatchObject({ answer: { parts: [{ type: 'text', text: 'Hé' }], response: 'resp_1' } });
  });

  it('speaks Chat Completions to a compatible server, with [DONE] and without', async () => {
    for (const done of ['data: [DONE]\n\n', '']) {
      const { baseURL, arrivals } = await serve(streaming(CHUNKS, (response) => response.end(done)));
      const arrived = await parts({ baseURL, api: 'chat' });
      expect(arrivals.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
      expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    }
  });

  it('reads an answer that did not come as a stream', async () => {
    const whole = await serve(json(200, { id: 'resp_1', status: 'completed', output: [message] }));
    expect((await parts({ baseURL: whole.baseURL })).map(({ type }) => type)).toEqual(['began', 'part', 'finished']);
    const chat = await serve(json(200, { choices: [{ message: { content: 'Hé' }, finish_reason: 'stop' }] }));
    expect((await parts({ baseURL: chat.baseURL, api: 'chat' })).at(-1)).toMatchObject({ answer: { stop: 'end' } });
  });

  it('counts tokens of a body without what only generating needs, where the API counts', async () => {
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

describe('failing', () => {
  it('sorts a refusal by code and status, and passes the wait and the request on', async () => {
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

  it('takes an overflow for a reason to compact, in a status and inside the stream', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' };
    const expected = { class: 'compaction', code: 'provider/too-long' };
    const refused = await serve(failing(400, { type: 'invalid_request_error', ...error }));
    expect(await failure({ baseURL: refused.baseURL })).toMatchObject(expected);
    const failed = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error } };
    const late = await serve(streaming([...ANSWER.slice(0, 1), failed]));
    expect(await failure({ baseURL: late.baseURL })).toMatchObject(expected);
  });

  it('reads an error of a compatible server, whatever its shape', async () => {
    const number = await serve(failing(400, { code: 400, type: 'exceed_context_size_error', message: 'too big' }));
    expect(await failure({ baseURL: number.baseURL })).toMatchObject({ code: 'provider/too-long' });
    const plain = await serve(json(404, { error: 'model "x" not found, try pulling it first' }));
    expect(await failure({ baseURL: plain.baseURL })).toMatchObject({ code: 'provider/not-found' });
    const other = await serve(json(400, { detail: 'no' }));
    expect(await failure({ baseURL: other.baseURL })).toMatchObject({ code: 'provider/invalid' });
  });

  it('throws an error that comes after 200, with what had arrived already said', async () => {
    const error = { type: 'error', code: 'server_error', message: 'oops' };
    const { baseURL } = await serve(streaming([...ANSWER.slice(0, 3), error]));
    const arrived: StreamPart[] = [];
    const call = async (): Promise<void> => {
      for await (const part of provider({ baseURL }).send(outgoing())) arrived.push(part);
    };
    await expect(call()).rejects.toMatchObject({ class: 'retryable', code: 'provider/server' });
    expect(arrived.map(({ type }) => type)).toEqual(['began', 'text.delta']);
  });

  it.each(['responses', 'chat'] as const)('takes a stream of %s that ends early, or breaks, for cut', async (api) => {
    const events = api === 'chat' ? CHUNKS.slice(0, 1) : ANSWER.slice(0, 3);
    const early = await serve(streaming(events));
    expect(await failure({ api, baseURL: early.baseURL })).toMatchObject({ class: 'retryable', code: 'provider/cut' });
    const broken = await serve(streaming(events, (response) => response.destroy()));
    expect(await failure({ api, baseURL: broken.baseURL })).toMatchObject({ class: 'retryable', code: 'provider/cut' });
  });

  it('takes a malformed event for a reason to ask again', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: response.created\ndata: {"type":"response.cre\n\n');
    });
    expect(await failure({ baseURL })).toMatchObject({ class: 'retryable', code: 'provider/malformed' });
  });

  it('gives up on silence, before the answer and inside it', async () => {
    const mute = await serve(() => undefined);
    expect(await failure({ baseURL: mute.baseURL, idleMs: 50 })).toMatchObject({
      class: 'retryable',
      code: 'provider/timeout',
    });
    const stuck = await serve(streaming(ANSWER.slice(0, 3), () => undefined));
    expect(await failure({ baseURL: stuck.baseURL, idleMs: 1_000 })).toMatchObject({
      class: 'retryable',
      code: 'provider/silent',
    });
  });

  it('names a connection that cannot be made', async () => {
    const { baseURL } = await serve(() => undefined);
    await Promise.all(closers.splice(0).map((close) => close()));
    const error = await failure({ baseURL });
    expect(error).toMatchObject({ class: 'retryable', code: 'provider/connection' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('stops when its caller aborts, before and in the middle', async () => {
    const { baseURL, arrivals } = await serve(streaming(ANSWER.slice(0, 3), () => undefined));
    const never = AbortSignal.abort();
    expect(await failure({ baseURL }, outgoing({ signal: never }))).toMatchObject({ code: 'provider/aborted' });
    expect(arrivals).toHaveLength(0);
    const controller = new AbortController();
    const call = async (): Promise<void> => {
      for await (const part of provider({ baseURL }).send(outgoing({ signal: controller.signal }))) {
        if (part.type === 'text.delta') controller.abort();
      }
    };
    await expect(call()).rejects.toMatchObject({ class: 'stop', code: 'provider/aborted' });
  });

  it('lets go of the connection, and of the signal, when its listener leaves', async () => {
    const { baseURL } = await serve(streaming(ANSWER.slice(0, 3), () => undefined));
    const ours: (AbortSignal | null | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (url, init) => {
      ours.push(init?.signal);
      return globalThis.fetch(url, init);
    };
    const listeners = new Set<() => void>();
    const signal: NonNullable<Outgoing['signal']> = {
      aborted: false,
      addEventListener: (_type, listener) => listeners.add(listener),
      removeEventListener: (_type, listener) => listeners.delete(listener),
    };
    for await (const part of provider({ baseURL, fetch }).send(outgoing({ signal }))) {
      if (part.type === 'began') break;
    }
    expect(ours.map((one) => one?.aborted)).toEqual([true]);
    expect(listeners.size).toBe(0);
  });
});

describe('the key', () => {
  const everything = (error: ProviderError): string =>
    [
      error.message,
      error.stack,
      String(error.cause),
      error.cause instanceof Error ? error.cause.stack : '',
      JSON.stringify(error),
    ].join('\n');

  it('is in no error, even when the server or the socket says it', async () => {
    const error = { code: 'invalid_api_key', message: `Incorrect API key provided: ${KEY}` };
    const { baseURL } = await serve(failing(401, error));
    const refused = await failure({ baseURL });
    expect(refused).toMatchObject({ class: 'stop', code: 'provider/authentication' });
    expect(everything(refused)).not.toContain(KEY);
    const socket = await failure({ baseURL, fetch: () => Promise.reject(new TypeError(`bad header "${KEY}"`)) });
    expect(everything(socket)).not.toContain(KEY);
    const { baseURL: loud } = await serve(streaming([{ type: 'error', code: 'server_error', message: KEY }]));
    expect(everything(await failure({ baseURL: loud }))).not.toContain(KEY);
    const { baseURL: whole } = await serve(json(200, { error: { message: KEY, code: 500 } }));
    expect(everything(await failure({ baseURL: whole, api: 'chat' }))).not.toContain(KEY);
  });

  it('is not even quoted in part, when the server sends it where JSON should stand', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: message_start\ndata: ${KEY}\n\n`);
    });
    const malformed = await failure({ baseURL });
    expect(malformed).toMatchObject({ class: 'retryable', code: 'provider/malformed' });
    expect(everything(malformed)).not.toContain(KEY.slice(0, 8));
  });

  it('is refused at once, unsaid, when no header can hold it', () => {
    for (const apiKey of ['', '  ', 'sk-\nx', 'schlüssel']) {
      expect(() => provider({ apiKey })).toThrow(
        expect.objectContaining({ code: 'provider/authentication', message: expect.not.stringContaining('sk-') }),
      );
    }
  });
});
