import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Outgoing, ProviderError, StreamPart } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { BARE, LOWERING, span } from '../../tests/fixtures.ts';
import { anthropicEncoder } from '../encode/encoder.ts';
import type { AnthropicOptions } from './provider.ts';
import { createAnthropicProvider } from './provider.ts';

const KEY = 'sk-ant-a-secret-key';

/** What reached the server. */
interface Arrival {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
type Reply = (response: ServerResponse, arrival: Arrival) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(reply: Reply): Promise<{ baseURL: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const arrival = { path: request.url, headers: request.headers, body: Buffer.concat(chunks) };
      arrivals.push(arrival);
      reply(response, arrival);
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
  return { baseURL: `http://127.0.0.1:${port}`, arrivals };
}

const sse = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const ANSWER = [
  { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hé' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

const streaming =
  (
    events: readonly { readonly type: string }[],
    after: (response: ServerResponse) => void = (response) => response.end(),
  ): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(events.map(sse).join(''), () => after(response));
  };

const failing =
  (status: number, type: string, message: string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_9', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_9' }));
  };

function outgoing(more: Partial<Outgoing> = {}): Outgoing {
  return {
    body: new TextEncoder().encode('{"model":"m","messages":[],"max_tokens":1,"stream":true}'),
    betas: [],
    ...more,
  };
}

async function parts(options: Partial<AnthropicOptions>, sent: Outgoing = outgoing()): Promise<readonly StreamPart[]> {
  const said: StreamPart[] = [];
  for await (const part of createAnthropicProvider({ apiKey: KEY, ...options }).send(sent)) said.push(part);
  return said;
}

async function failure(options: Partial<AnthropicOptions>, sent?: Outgoing): Promise<ProviderError> {
  return parts(options, sent).then(
    () => Promise.reject(new Error('the call did not fail')),
    (error: ProviderError) => error,
  );
}

describe('sending', () => {
  it('sends exactly the bytes that were digested, once, with the beta headers beside', async () => {
    const { baseURL, arrivals } = await serve(streaming(ANSWER));
    const front = anthropicEncoder.lowerFront(BARE, LOWERING);
    const blocks = anthropicEncoder.lowerSpan(
      span('user', 0, [{ type: 'text', text: 'é '.repeat(200_000) }]),
      LOWERING,
    );
    const envelope = { outputLimit: 100, fields: {}, betas: ['a-1', 'b-2'] };
    const { body, digest } = anthropicEncoder.join(front, sha256).write(blocks, [{ block: 0, ttl: '5m' }], envelope);
    await parts({ baseURL }, { body, betas: envelope.betas });
    expect(arrivals).toHaveLength(1);
    const [arrival] = arrivals;
    expect(
      createHash('sha256')
        .update(arrival?.body ?? '')
        .digest('hex'),
    ).toBe(digest);
    expect(arrival?.path).toBe('/v1/messages');
    expect(arrival?.headers).toMatchObject({
      'anthropic-beta': 'a-1,b-2',
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    });
  });

  it('streams the answer up to `finished`', async () => {
    const { baseURL } = await serve(streaming(ANSWER));
    const said = await parts({ baseURL });
    expect(said.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    expect(said.at(-1)).toMatchObject({
      answer: { parts: [{ type: 'text', text: 'Hé' }], usage: { fresh: 1, answer: 2 } },
    });
  });

  it('reads an answer that did not come as a stream', async () => {
    const message = { id: 'msg_1', content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn', usage: {} };
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(message));
    });
    expect((await parts({ baseURL })).map(({ type }) => type)).toEqual(['began', 'part', 'finished']);
  });

  it('counts tokens of a body without what only generating needs', async () => {
    const { baseURL, arrivals } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"input_tokens":42}');
    });
    expect(await createAnthropicProvider({ apiKey: KEY, baseURL }).countTokens?.(outgoing())).toBe(42);
    expect(arrivals.map(({ path, body }) => [path, body.toString()])).toEqual([
      ['/v1/messages/count_tokens', '{"model":"m","messages":[]}'],
    ]);
  });
});

describe('failing', () => {
  it('sorts a refusal by status and type, and passes the wait and the request on', async () => {
    const { baseURL, arrivals } = await serve(failing(429, 'rate_limit_error', 'slow down', { 'retry-after': '7' }));
    expect(await failure({ baseURL })).toMatchObject({
      class: 'retryable',
      code: 'provider/rate-limited',
      data: { provider: 'anthropic', status: 429, type: 'rate_limit_error', request: 'req_9', afterMs: 7_000 },
    });
    expect(arrivals).toHaveLength(1);
  });

  it('reckons a wait that is given as a date by the date of the answer', async () => {
    const headers = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' };
    const { baseURL } = await serve(failing(529, 'overloaded_error', 'Overloaded', headers));
    expect(await failure({ baseURL })).toMatchObject({ code: 'provider/overloaded', data: { afterMs: 30_000 } });
  });

  it('takes a body that a proxy found too large for a reason to compact', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(413, { 'content-type': 'text/html' });
      response.end('<html>413</html>');
    });
    expect(await failure({ baseURL })).toMatchObject({ class: 'compaction', code: 'provider/too-large' });
  });

  it('throws an error that comes after 200, with what had arrived already said', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { baseURL } = await serve(streaming([...ANSWER.slice(0, 4), error]));
    const said: StreamPart[] = [];
    const call = async (): Promise<void> => {
      for await (const part of createAnthropicProvider({ apiKey: KEY, baseURL }).send(outgoing())) said.push(part);
    };
    await expect(call()).rejects.toMatchObject({ class: 'retryable', code: 'provider/overloaded' });
    expect(said.map(({ type }) => type)).toEqual(['began', 'text.delta']);
  });

  it('takes a stream that ends early, or breaks, for cut', async () => {
    const early = await serve(streaming(ANSWER.slice(0, 4)));
    expect(await failure({ baseURL: early.baseURL })).toMatchObject({ class: 'retryable', code: 'provider/cut' });
    const broken = await serve(streaming(ANSWER.slice(0, 4), (response) => response.destroy()));
    expect(await failure({ baseURL: broken.baseURL })).toMatchObject({ class: 'retryable', code: 'provider/cut' });
  });

  it('takes a malformed event for a reason to ask again', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: message_start\ndata: {"type":"message_st\n\n');
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
    const { baseURL, arrivals } = await serve(streaming(ANSWER.slice(0, 4), () => undefined));
    const never = AbortSignal.abort();
    expect(await failure({ baseURL }, outgoing({ signal: never }))).toMatchObject({ code: 'provider/aborted' });
    expect(arrivals).toHaveLength(0);
    const controller = new AbortController();
    const call = async (): Promise<void> => {
      const stream = createAnthropicProvider({ apiKey: KEY, baseURL }).send(outgoing({ signal: controller.signal }));
      for await (const part of stream) if (part.type === 'text.delta') controller.abort();
    };
    await expect(call()).rejects.toMatchObject({ class: 'stop', code: 'provider/aborted' });
  });

  it('lets go of the connection, and of the signal, when its listener leaves', async () => {
    const { baseURL } = await serve(streaming(ANSWER.slice(0, 4), () => undefined));
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
    for await (const part of createAnthropicProvider({ apiKey: KEY, baseURL, fetch }).send(outgoing({ signal }))) {
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
    const { baseURL } = await serve(failing(401, 'authentication_error', `invalid x-api-key ${KEY}`));
    const refused = await failure({ baseURL });
    expect(refused).toMatchObject({ class: 'stop', code: 'provider/authentication' });
    expect(everything(refused)).not.toContain(KEY);
    const socket = await failure({ baseURL, fetch: () => Promise.reject(new TypeError(`bad header "${KEY}"`)) });
    expect(everything(socket)).not.toContain(KEY);
    const event = { type: 'error', error: { type: 'api_error', message: KEY } };
    const { baseURL: loud } = await serve(streaming([event]));
    expect(everything(await failure({ baseURL: loud }))).not.toContain(KEY);
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
    for (const apiKey of ['', '  ', 'sk-ant\nx', 'schlüssel']) {
      expect(() => createAnthropicProvider({ apiKey })).toThrow(
        expect.objectContaining({ code: 'provider/authentication', message: expect.not.stringContaining('sk-ant') }),
      );
    }
  });
});
