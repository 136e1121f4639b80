// Tests deviations of compatible servers and of the caller's functions that would lose an answer, invent one, or hang.

import type { Answer, Outgoing, ProviderError } from '@tidemark/model';
import type { Reply } from '@tidemark/provider-wire/contract';
import { failureOf, partsOf, serve, streaming } from '@tidemark/provider-wire/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CompatibleOptions } from './provider.ts';
import { createCompatibleProvider } from './provider.ts';

const OUTGOING: Outgoing = { body: new TextEncoder().encode('{"model":"m","messages":[]}'), betas: [] };
const DONE = 'data: [DONE]\n\n';

type Options = Partial<CompatibleOptions>;
type CompatibleProvider = ReturnType<typeof createCompatibleProvider>;

async function providerOf(reply: Reply, options: Options = {}): Promise<CompatibleProvider> {
  const { baseURL, close } = await serve(reply);
  onTestFinished(close);
  return createCompatibleProvider({ apiKey: 'none', baseURL: `${baseURL}/v1`, ...options });
}

async function answerTo(reply: Reply, options: Options = {}): Promise<Answer> {
  const last = (await partsOf(await providerOf(reply, options), OUTGOING)).at(-1);
  if (last?.type !== 'finished') throw new Error('the answer did not finish');
  return last.answer;
}

async function errorOf(reply: Reply, options: Options = {}): Promise<ProviderError> {
  return failureOf(await providerOf(reply, options), OUTGOING);
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish_reason: unknown = null): string =>
  data({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const ending = (finish_reason: string): Reply =>
  streaming([chunk({ content: 'Half' }), chunk({}, finish_reason), DONE]);

describe('an error in the middle of an answer', () => {
  test('without the field `error` fails the call, although [DONE] follows', async () => {
    const error = { object: 'error', message: 'the maximum context length is 10 tokens', type: 'BadRequestError' };
    const reply = streaming([chunk({ content: 'Half' }), data({ ...error, param: null, code: 400 }), DONE]);
    expect(await errorOf(reply)).toMatchObject({ class: 'compaction', code: 'provider/too-long' });
  });

  test.each([
    ['a text', { error: 'out of memory' }],
    ['an object as its message', { error: { message: { detail: 'out of memory' } } }],
    ['a code that is no code', { error: { message: 'out of memory', code: false } }],
    ['only a message', { message: 'out of memory' }],
  ])('is reported with its text, as %s', async (_form, error) => {
    const failure = await errorOf(streaming([chunk({ content: 'Half' }), data(error), DONE]));
    expect(failure).toMatchObject({ class: 'retryable', code: 'provider/server' });
    expect(failure.message).toContain('out of memory');
  });

  test.each(['error', 'abort', 'insufficient_system_resource', 'network_error'])(
    'as the finish reason `%s` is retried instead of accepted',
    async (reason) => {
      const failure = await errorOf(ending(reason));
      expect(failure).toMatchObject({ class: 'retryable', code: 'provider/server', data: { type: reason } });
    },
  );
});

test.each([
  ['model_length', 'length', 'yes'],
  ['max_tokens', 'length', 'yes'],
  ['model_context_window_exceeded', 'length', 'yes'],
  ['eos', 'end', 'no'],
  ['STOP', 'end', 'no'],
  ['sensitive', 'refusal', 'unknown'],
])('the finish reason `%s` of other servers means `%s`', async (reason, stop, truncated) => {
  expect(await answerTo(ending(reason))).toMatchObject({ stop, truncated, stopRaw: reason });
});

test('a content that is a list of texts and thinking is read as text and reasoning', async () => {
  const thinking = [{ type: 'text', text: 'So' }];
  const answer = await answerTo(
    streaming([
      chunk({ content: [{ type: 'thinking', thinking }] }),
      chunk({ content: [{ type: 'thinking', thinking: ' be it.' }] }),
      chunk({ content: [{ type: 'text', text: 'Hi' }, '!'] }),
      chunk({ content: ' Bye.' }),
      chunk({ content: '' }, 'stop'),
      DONE,
    ]),
  );
  expect(answer.parts).toEqual([
    { type: 'reasoning', text: 'So be it.' },
    { type: 'text', text: 'Hi! Bye.' },
  ]);
});

describe('an answer whose finish reason has arrived', () => {
  const said = chunk({ content: 'All.' }, 'stop');
  const all = { parts: [{ type: 'text', text: 'All.' }], stop: 'end', usage: {} };

  test('is accepted if the connection then breaks', async () => {
    expect(await answerTo(streaming([said], (response) => response.destroy()))).toMatchObject(all);
  });

  test('is accepted if the server then sends nothing and keeps the connection open', async () => {
    expect(
      await answerTo(
        streaming([said], () => undefined),
        { idleMs: 100 },
      ),
    ).toMatchObject(all);
  });

  test('is not accepted above a limit', async () => {
    const reply = streaming([said, `data: "${'x'.repeat(40 * 1024 * 1024)}"\n\n`]);
    expect(await errorOf(reply)).toMatchObject({ code: 'provider/oversized' });
  });

  test('without a finish reason is not accepted if the connection breaks', async () => {
    const reply = streaming([chunk({ content: 'Half' })], (response) => response.destroy());
    expect(await errorOf(reply)).toMatchObject({ code: 'provider/cut' });
  });
});

describe("the caller's functions", () => {
  /** Options with a function that never answers. `called` runs when it is called. */
  type Silent = (called: () => void) => Options;
  const never = (called: () => void) => (): Promise<never> => {
    called();
    return new Promise<never>(() => undefined);
  };
  const silent: readonly (readonly [string, Silent])[] = [
    ['`fetch`', (called) => ({ fetch: never(called) })],
    ['`bearerToken`', (called) => ({ bearerToken: never(called) })],
  ];

  test.each(silent)('%s that never answers ends the call after the idle time', async (_name, options) => {
    const failure = await errorOf(streaming([DONE]), { ...options(() => undefined), idleMs: 50 });
    expect(failure).toMatchObject({ class: 'retryable', code: 'provider/timeout' });
  });

  test.each(silent)('%s that never answers does not outlive an interrupt', async (_name, options) => {
    const controller = new AbortController();
    const provider = await providerOf(
      streaming([DONE]),
      options(() => controller.abort()),
    );
    const failure = await failureOf(provider, { ...OUTGOING, signal: controller.signal });
    expect(failure).toMatchObject({ code: 'provider/aborted' });
  });

  test.each([undefined, null, 'text', { ok: true, status: 200, headers: {}, body: null }])(
    '`fetch` that returns %j instead of a Response is reported and not retried',
    async (value) => {
      // The types forbid such a function, but a program in JavaScript can pass one.
      const fetch = (): Promise<Response> => Promise.reject(new Error('unused'));
      const returned = new Proxy(fetch, { apply: () => Promise.resolve(value) });
      const failure = await errorOf(streaming([DONE]), { fetch: returned });
      expect(failure).toMatchObject({ class: 'refused', code: 'provider/unsupported' });
      expect(failure.message).toContain('the function `fetch`');
    },
  );
});

describe('an error of a server that repeats the credentials of a request', () => {
  const key = ['sk', 'quite', 'secret', 'word'].join('-');
  const header = 'quo"te\\secret';
  const options = { apiKey: key, headers: { 'x-team': header } };
  const body = { error: { message: `no ${key}`, type: key, code: key }, got: header };
  const refusing: Reply = (response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'x-request-id': key });
    response.end(JSON.stringify(body));
  };

  test.each<[string, Reply]>([
    ['as the code, the type and the id of the request', refusing],
    ['as the type of an event', streaming([data({ error: { message: 'no', type: key } })])],
    ['inside JSON that is kept as text', streaming([data({ error: { message: body } })])],
  ])('contains none of them: %s', async (_place, reply) => {
    const failure = await errorOf(reply, options);
    const all = [failure.message, JSON.stringify(failure), String(failure.cause)].join('\n');
    expect(all).not.toContain(key);
    expect(all).not.toContain(JSON.stringify(header).slice(1, -1));
    expect(all).toMatch(/\[key\]/);
  });
});
