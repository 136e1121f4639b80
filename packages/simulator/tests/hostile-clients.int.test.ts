// Tests for clients that are not trusted. Runs the contract tests that apply to every server of the project, and checks
// that refusals have each provider's form.

import Anthropic from '@anthropic-ai/sdk';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { openServer } from '@tidemark/http-server';
import {
  describeServerContract,
  dial,
  requestText,
  statusOf,
  upgrade,
  usualHeaders,
} from '@tidemark/http-server/contract';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { ListeningSimulator, ListenOptions, Simulator } from '../src/index.ts';
import { writeStream } from '../src/http/route-context.ts';
import { capabilitiesOf, simulate } from './conversation.ts';
import { openAICapabilitiesOf } from './openai-conversation.ts';

/** Number of tokens of the longest answer in these tests. */
const LONGEST = 16_000_000;

const MESSAGES = {
  path: '/v1/messages',
  headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: '{"model":"test-model","max_tokens":1000,"messages":[{"role":"user","content":"hello"}]}',
};

const BEARER = { authorization: 'Bearer k' };

const CREATE = { type: 'response.create', model: 'gpt-new', store: false, input: [{ role: 'user', content: 'hello' }] };

function simulateAll(): Simulator {
  return simulate({
    capabilities(model) {
      const row = capabilitiesOf(model) ?? openAICapabilitiesOf(model);
      const tokens = 2 * LONGEST;
      return row && { ...row, outputLimit: LONGEST, window: { tokens, sharedWithOutput: 'stops' } };
    },
  });
}

describeServerContract({
  name: 'the simulator',
  request: { ...MESSAGES, body: MESSAGES.body.replace('1000', String(LONGEST)) },
  webSocket: { path: '/v1/responses', headers: BEARER, message: JSON.stringify(CREATE) },
  async open(options) {
    const simulator = simulateAll();
    const listening = await simulator.listen(options);
    return {
      ...listening,
      silence: () => simulator.fail({ kind: 'silence' }),
      lengthen: (bytes) => simulator.next({ answer: { text: 'a'.repeat(bytes) } }),
    };
  },
});

const open: ListeningSimulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

async function start(options: ListenOptions = {}): Promise<ListeningSimulator> {
  const listening = await simulate().listen(options);
  open.push(listening);
  return listening;
}

async function refused(
  port: number,
  text: string,
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const client = await dial(port);
  client.send(text);
  const received = await client.ended;
  return { status: statusOf(received), body: JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4)) };
}

const TOO_LARGE = /larger than 1024 bytes/;

describe('a body above the limit', () => {
  const refuse = async (path: string): Promise<unknown> => {
    const { port } = await start({ limits: { bodyBytes: 1_024, lingerMs: 20 } });
    const own = { ...usualHeaders(port, ''), 'content-length': '1025' };
    return refused(port, requestText({ ...MESSAGES, path, body: '' }, own));
  };

  it.each(['/v1/messages', '/v1/messages/count_tokens'])('is refused in the form of Anthropic at %s', async (path) => {
    expect(await refuse(path)).toMatchObject({
      status: 413,
      body: {
        type: 'error',
        error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
        request_id: expect.stringMatching(/^req_/),
      },
    });
  });

  it.each(['/v1/responses', '/v1/responses/input_tokens', '/v1/chat/completions'])(
    'is refused in the form of OpenAI at %s',
    async (path) => {
      expect(await refuse(path)).toMatchObject({
        status: 413,
        body: {
          error: {
            type: 'invalid_request_error',
            code: 'request_too_large',
            param: null,
            message: expect.stringMatching(TOO_LARGE),
          },
        },
      });
    },
  );

  it('is refused in the form of OpenRouter at its path', async () => {
    expect(await refuse('/api/v1/chat/completions')).toMatchObject({
      status: 413,
      body: { error: { code: 413, message: expect.stringMatching(TOO_LARGE) } },
    });
  });

  it('makes the official SDKs throw an error with the status 413 and the error code of the provider', async () => {
    const { url } = await start({ limits: { bodyBytes: 64 * 1_024 } });
    const content = 'a'.repeat(4_000_000);
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0, logLevel: 'off' });
    const message = anthropic.messages.create({
      model: 'test-model',
      max_tokens: 10,
      messages: [{ role: 'user', content }],
    });
    await expect(message).rejects.toMatchObject({ status: 413, error: { error: { type: 'request_too_large' } } });
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
    const response = openai.responses.create({ model: 'gpt-new', input: content });
    await expect(response).rejects.toMatchObject({ status: 413, code: 'request_too_large' });
  });
});

describe('the limit on the size of a body', () => {
  it("is 32 MB, as on Anthropic's API, and a body of exactly 32 MB is read", async () => {
    const { port } = await start();
    const padding = 32_000_000 - Buffer.byteLength(MESSAGES.body);
    const body = MESSAGES.body + ' '.repeat(padding);
    const client = await dial(port);
    client.send(requestText({ ...MESSAGES, body }, usualHeaders(port, body)));
    expect(statusOf(await client.until(/\r\n\r\n/))).toBe(200);
    client.socket.destroy();
    const over = { ...usualHeaders(port, ''), 'content-length': '32000001' };
    expect(await refused(port, requestText({ ...MESSAGES, body: '' }, over))).toMatchObject({ status: 413 });
  });

  it('can be changed', async () => {
    const { port } = await start({ limits: { bodyBytes: 40_000_000 } });
    const head = requestText({ ...MESSAGES, body: '' }, { ...usualHeaders(port, ''), 'content-length': '39000000' });
    const client = await dial(port);
    client.send(head.replace('\r\n', '\r\nexpect: 100-continue\r\n'));
    expect(statusOf(await client.until(/\r\n\r\n/))).toBe(100);
    client.socket.destroy();
  });
});

describe('a request from a page of another site', () => {
  it('is refused if it reaches the simulator by DNS rebinding, and the error shows how to allow the host name', async () => {
    const { port } = await start();
    const own = { ...usualHeaders(port, MESSAGES.body), host: `evil.test:${port}` };
    expect(await refused(port, requestText(MESSAGES, own))).toMatchObject({
      status: 421,
      body: { error: { type: 'invalid_request_error', message: expect.stringMatching(/--allow-host evil\.test\b/) } },
    });
  });

  it('is refused because of its origin, over HTTP and on a WebSocket', async () => {
    const { port } = await start();
    const own = { ...usualHeaders(port, MESSAGES.body), origin: 'https://evil.test' };
    expect(await refused(port, requestText(MESSAGES, own))).toMatchObject({
      status: 403,
      body: { error: { type: 'permission_error' } },
    });
    const client = await upgrade(port, { path: '/v1/responses', headers: BEARER }, { origin: 'https://evil.test' });
    expect(await client.ended).toMatch(/^HTTP\/1\.1 403 [\s\S]*"type":"invalid_request_error"/);
  });
});

describe('listen', () => {
  it('throws `simulator/bad-options` for a wrong limit or host name', async () => {
    const bad = { code: 'simulator/bad-options' };
    await expect(simulate().listen({ limits: { bodyBytes: -1 } })).rejects.toMatchObject(bad);
    await expect(simulate().listen({ allowedHosts: ['http://ci.test'] })).rejects.toMatchObject(bad);
  });
});

describe('a stream', () => {
  it('is generated only as fast as its client reads, and ends when its connection ends', async () => {
    let made = 0;
    function* endless(): Generator<string> {
      for (;;) {
        made += 1;
        yield 'a'.repeat(64 * 1_024);
      }
    }
    const ended = Promise.withResolvers<void>();
    const server = await openServer(
      async (_request, { outgoing }) => {
        await writeStream(outgoing, { events: endless(), fault: undefined, malformed: '', errorEvent: () => '' });
        ended.resolve();
        return RESPONSE_ALREADY_SENT;
      },
      { port: 0, limits: { stalledMs: 500 } },
    );
    const client = await dial(server.port);
    client.socket.pause();
    client.send(`GET / HTTP/1.1\r\nhost: localhost:${server.port}\r\n\r\n`);
    await ended.promise;
    // The kernel buffers at both ends hold only a few MiB. So if fewer than 1,024 pieces of 64 KiB were generated, the
    // stream waited for its client.
    expect(made).toBeLessThan(1_024);
    client.socket.destroy();
    await server.close();
  });
});
