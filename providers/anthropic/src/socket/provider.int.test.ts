import { createHash } from 'node:crypto';
import type { Outgoing, Provider, ProviderError, StreamPart } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import type { Reply, Served } from '@tidemark/provider-wire/contract';
import {
  describeHttpContract,
  failureOf,
  partsOf,
  serve as serveAll,
  streaming as stream,
} from '@tidemark/provider-wire/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { BARE, LOWERING, span } from '../../tests/fixtures.ts';
import { anthropicEncoder } from '../encode/encoder.ts';
import type { AnthropicOptions } from './provider.ts';
import { createAnthropicProvider } from './provider.ts';

const KEY = 'sk-ant-a-secret-key';

const served: Served[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});

async function serve(reply: Reply): Promise<Served> {
  const server = await serveAll(reply);
  served.push(server);
  return server;
}

const sse = (event: { readonly type: string; readonly error?: object }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const ANSWER = [
  { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hé' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

const streaming = (events: readonly { readonly type: string }[]): Reply => stream(events.map(sse));

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

const provider = (options: Partial<AnthropicOptions>): Provider => createAnthropicProvider({ apiKey: KEY, ...options });

const parts = (options: Partial<AnthropicOptions>, sent = outgoing()): Promise<readonly StreamPart[]> =>
  partsOf(provider(options), sent);

const failure = (options: Partial<AnthropicOptions>): Promise<ProviderError> =>
  failureOf(provider(options), outgoing());

describeHttpContract('Anthropic', {
  make: createAnthropicProvider,
  body: '{"model":"m","messages":[],"max_tokens":1,"stream":true}',
  begun: ANSWER.slice(0, 4).map(sse),
  failing: (message) => sse({ type: 'error', error: { type: 'api_error', message } }),
  refusing: (message) => ({ type: 'error', error: { type: 'authentication_error', message } }),
});

describe('sending a request', () => {
  it('the request is sent exactly once, with the beta headers and with the bytes that the digest was computed from', async () => {
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

  it('the answer is streamed up to `finished`', async () => {
    const { baseURL } = await serve(streaming(ANSWER));
    const streamed = await parts({ baseURL });
    expect(streamed.map(({ type }) => type)).toEqual(['began', 'text.delta', 'part', 'finished']);
    expect(streamed.at(-1)).toMatchObject({
      answer: { parts: [{ type: 'text', text: 'Hé' }], usage: { fresh: 1, answer: 2 } },
    });
  });

  it('an answer that is one whole JSON body instead of a stream is read', async () => {
    const message = { id: 'msg_1', content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn', usage: {} };
    const { baseURL } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(message));
    });
    expect((await parts({ baseURL })).map(({ type }) => type)).toEqual(['began', 'part', 'finished']);
  });

  it('`countTokens` sends the body without the fields that only generation needs', async () => {
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

describe('errors of a call', () => {
  it('a refusal is sorted by status and type, and its error contains the request id and the time to wait', async () => {
    const { baseURL, arrivals } = await serve(failing(429, 'rate_limit_error', 'slow down', { 'retry-after': '7' }));
    expect(await failure({ baseURL })).toMatchObject({
      class: 'retryable',
      code: 'provider/rate-limited',
      data: { provider: 'anthropic', status: 429, type: 'rate_limit_error', request: 'req_9', afterMs: 7_000 },
    });
    expect(arrivals).toHaveLength(1);
  });

  it('a `retry-after` date is compared with the `date` header of the answer to compute the time to wait', async () => {
    const headers = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' };
    const { baseURL } = await serve(failing(529, 'overloaded_error', 'Overloaded', headers));
    expect(await failure({ baseURL })).toMatchObject({ code: 'provider/overloaded', data: { afterMs: 30_000 } });
  });

  it('a body that is too large for a proxy has class `compaction`', async () => {
    const { baseURL } = await serve((response) => {
      response.writeHead(413, { 'content-type': 'text/html' });
      response.end('<html>413</html>');
    });
    expect(await failure({ baseURL })).toMatchObject({ class: 'compaction', code: 'provider/too-large' });
  });

  it('an error after status 200 is thrown after the parts that had already arrived', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { baseURL } = await serve(streaming([...ANSWER.slice(0, 4), error]));
    const streamed: StreamPart[] = [];
    const call = async (): Promise<void> => {
      for await (const part of createAnthropicProvider({ apiKey: KEY, baseURL }).send(outgoing())) streamed.push(part);
    };
    await expect(call()).rejects.toMatchObject({ class: 'retryable', code: 'provider/overloaded' });
    expect(streamed.map(({ type }) => type)).toEqual(['began', 'text.delta']);
  });
});
