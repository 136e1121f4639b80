// Tests the headers, the bearer token and the `fetch` of a caller, with all providers and a server on loopback.

import type { Outgoing, Provider } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createCompatibleProvider, createOpenAIProvider, createOpenRouterProvider } from '@tidemark/provider-openai';
import type { CallerConnection } from '@tidemark/provider-wire';
import type { Reply, Served } from '@tidemark/provider-wire/contract';
import { failureOf, partsOf, redirectTo, serve } from '@tidemark/provider-wire/contract';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

const served: Served[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(served.splice(0).map((one) => one.close()));
});

async function at(reply: Reply): Promise<Served> {
  const server = await serve(reply);
  served.push(server);
  return server;
}

const OUTGOING: Outgoing = { body: new TextEncoder().encode('{"model":"m","messages":[]}'), betas: [] };

const CHAT = { id: 'c', model: 'm', choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] };
const MESSAGE = { id: 'm', content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn', usage: {} };
const RESPONSE = {
  id: 'r',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }],
};

type Make = (baseURL: string, more: CallerConnection) => Provider;
const apiKey = `key-of-the-test-${'x'.repeat(8)}`;

const MADE: readonly (readonly [string, Make, object])[] = [
  ['Anthropic', (baseURL, more) => createAnthropicProvider({ apiKey, baseURL, ...more }), MESSAGE],
  ['OpenAI', (baseURL, more) => createOpenAIProvider({ apiKey, baseURL, api: 'responses', ...more }), RESPONSE],
  ['OpenRouter', (baseURL, more) => createOpenRouterProvider({ apiKey, baseURL, ...more }), CHAT],
  ['a compatible server', (baseURL, more) => createCompatibleProvider({ apiKey, baseURL, ...more }), CHAT],
];

const saying =
  (body: object, status = 200): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

const tenant = `tenant-${'q'.repeat(12)}`;

describe.each(MADE)('%s', (_name, make, answer) => {
  test('receives the headers of the caller with each request', async () => {
    const { baseURL, arrivals } = await at(saying(answer));
    await partsOf(make(baseURL, { headers: { 'X-Tenant': tenant, 'user-agent': 'mine/1' } }), OUTGOING);
    expect(arrivals[0]?.headers).toMatchObject({ 'x-tenant': tenant, 'user-agent': 'mine/1' });
  });

  test('receives a bearer token instead of the key', async () => {
    const { baseURL, arrivals } = await at(saying(answer));
    await partsOf(make(baseURL, { bearerToken: 'token-1-of-the-test' }), OUTGOING);
    expect(arrivals[0]?.headers['authorization']).toBe('Bearer token-1-of-the-test');
    expect(JSON.stringify(arrivals[0]?.headers)).not.toContain(apiKey);
  });

  test('the function for tokens is called once, and again after a 401, and the same bytes are sent again', async () => {
    const tokens = ['token-1-of-the-test', 'token-2-of-the-test'];
    const { baseURL, arrivals } = await at((response) => {
      const isGood = response.req.headers['authorization'] === 'Bearer token-2-of-the-test';
      saying(isGood ? answer : { error: { message: 'expired' } }, isGood ? 200 : 401)(response);
    });
    const bearerToken = vi.fn(async () => tokens.shift() ?? 'none-left-of-the-test');
    const provider = make(baseURL, { bearerToken });
    await partsOf(provider, OUTGOING);
    await partsOf(provider, OUTGOING);
    expect(bearerToken).toHaveBeenCalledTimes(2);
    expect(arrivals.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1-of-the-test',
      'Bearer token-2-of-the-test',
      'Bearer token-2-of-the-test',
    ]);
    expect(new Set(arrivals.map(({ body }) => body.toString()))).toEqual(new Set(['{"model":"m","messages":[]}']));
  });

  test('a second 401, or the same token again, is reported as `provider/authentication`', async () => {
    const { baseURL, arrivals } = await at(saying({ error: { message: 'expired' } }, 401));
    let count = 0;
    const fresh = make(baseURL, { bearerToken: () => `token-${(count += 1)}-of-the-test` });
    expect(await failureOf(fresh, OUTGOING)).toMatchObject({ class: 'stop', code: 'provider/authentication' });
    expect(arrivals).toHaveLength(2);
    const same = make(baseURL, { bearerToken: () => 'token-of-the-test' });
    expect(await failureOf(same, OUTGOING)).toMatchObject({ code: 'provider/authentication' });
    expect(arrivals).toHaveLength(3);
  });

  test('an error contains neither the headers nor the tokens, even if the server repeats them', async () => {
    const { baseURL } = await at((response) => {
      const message = `refused: ${JSON.stringify(response.req.headers)}`;
      saying({ type: 'error', error: { type: 'permission_error', message } }, 403)(response);
    });
    const headers = { 'x-tenant': tenant, 'x-short': 'ab-1' };
    const error = await failureOf(make(baseURL, { headers, bearerToken: () => 'token-1-of-the-test' }), OUTGOING);
    expect(error.code).toBe('provider/permission');
    expect(error.message).toContain('[x-tenant]');
    const all = [error.message, error.stack, String(error.cause), JSON.stringify(error.data)].join('\n');
    for (const secret of [tenant, 'ab-1', 'token-1-of-the-test', apiKey]) expect(all).not.toContain(secret);
  });

  test('the function `fetch` of the caller sends the requests, and the headers and the token pass through it', async () => {
    const { baseURL } = await at(saying(answer));
    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return globalThis.fetch(input, init);
    };
    await partsOf(
      make(baseURL, { fetch, headers: { 'x-tenant': tenant }, bearerToken: 'token-of-the-test' }),
      OUTGOING,
    );
    expect(sent.map((one) => [one.get('x-tenant'), one.get('authorization')])).toEqual([
      [tenant, 'Bearer token-of-the-test'],
    ]);
  });

  test('a `fetch` of the caller that follows redirects is refused', async () => {
    const target = await at(saying(answer));
    const { baseURL } = await at(redirectTo(`${target.baseURL}/elsewhere`));
    const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, { ...init, redirect: 'follow' });
    expect(await failureOf(make(baseURL, { fetch }), OUTGOING)).toMatchObject({
      class: 'stop',
      code: 'provider/address',
    });
  });

  test('the limits on answers stay in force with a `fetch` of the caller', async () => {
    const endless = async (): Promise<Response> =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x61)),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const error = await failureOf(make('http://127.0.0.1:9', { fetch: endless }), { ...OUTGOING, outputLimit: 10 });
    expect(error).toMatchObject({ code: 'provider/oversized' });
  });

  test('has no account name with a bearer token, because an expired token is replaced', () => {
    expect(make('http://127.0.0.1:9', { bearerToken: 'token-of-the-test' }).account).toBeUndefined();
    expect(make('http://127.0.0.1:9', {}).account).toMatch(/^[0-9a-f]{12}$/);
  });

  test.each([
    ['throws', () => Promise.reject(new RangeError(`no ${tenant}`)), 'threw RangeError'],
    ['returns an empty text', () => ' ', 'is empty'],
    ['returns a text with a line break', () => 'a\nb', 'cannot contain'],
  ])('a function for tokens that %s is reported without its words', async (_how, bearerToken, words) => {
    const { baseURL, arrivals } = await at(saying(answer));
    const error = await failureOf(make(baseURL, { bearerToken }), OUTGOING);
    expect(error).toMatchObject({ class: 'stop', code: 'provider/authentication' });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain(tenant);
    expect(arrivals).toEqual([]);
  });

  test('receives no headers from the variables of the SDKs, which may be meant for another address', async () => {
    const { baseURL, arrivals } = await at(saying(answer));
    for (const name of ['OPENAI_CUSTOM_HEADERS', 'ANTHROPIC_CUSTOM_HEADERS']) vi.stubEnv(name, `x-leak: ${tenant}`);
    await partsOf(make(baseURL, {}), OUTGOING);
    expect(arrivals[0]?.headers['x-leak']).toBeUndefined();
  });
});

test('parallel calls that are refused with 401 share one request for a token', async () => {
  let asked = 0;
  const { baseURL } = await at((response) => {
    const isGood = response.req.headers['authorization'] === 'Bearer token-2-of-the-test';
    saying(isGood ? CHAT : {}, isGood ? 200 : 401)(response);
  });
  const bearerToken = async (): Promise<string> => `token-${(asked += 1)}-of-the-test`;
  const provider = createCompatibleProvider({ apiKey: 'none', baseURL, bearerToken });
  await Promise.all([partsOf(provider, OUTGOING), partsOf(provider, OUTGOING), partsOf(provider, OUTGOING)]);
  expect(asked).toBe(2);
});

test('a WebSocket with a function for tokens is refused', () => {
  const make = (): Provider =>
    createOpenAIProvider({ apiKey, api: 'responses', transport: 'auto', bearerToken: () => 'token-of-the-test' });
  expect(make).toThrow(expect.objectContaining({ code: 'provider/unsupported' }));
  const plain = createOpenAIProvider({ apiKey, api: 'responses', transport: 'auto', bearerToken: 'token-of-the-test' });
  onTestFinished(() => plain.close?.());
  expect(plain.continues).toBe(true);
});
