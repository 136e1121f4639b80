// Tests WebSocket mode against the simulator: every case in which a call continues from an earlier answer, is sent
// whole again, or is sent over HTTP.

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Answer, Outgoing, Provider, Transport } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { Fault, ListeningSimulator, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenAIOptions } from '../provider.ts';
import { createOpenAIProvider } from '../provider.ts';

const run = promisify(execFile);
const open: ListeningSimulator[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

interface Started {
  readonly simulator: Simulator;
  readonly listening: ListeningSimulator;
  readonly provider: Provider;
  /** Advances the simulator's clock. */
  readonly pass: (ms: number) => void;
}

async function start(options: Partial<OpenAIOptions> = {}): Promise<Started> {
  let now = 1_000;
  const simulator = createSimulator({
    capabilities: (model) => findModel(defaultCatalog(), model),
    clock: () => now,
  });
  const listening = await simulator.listen();
  open.push(listening);
  const settings = { apiKey: 'a-key', api: 'responses', transport: 'auto', idleMs: 5_000 } as const;
  const provider = createOpenAIProvider({ ...settings, baseURL: `${listening.url}/v1`, ...options });
  return { simulator, listening, provider, pass: (ms) => void (now += ms) };
}

const body = (...input: readonly object[]): Uint8Array => bytes({ ...FIELDS, input });
const FIELDS = { model: 'gpt-5.6-sol', store: false, stream: true };
const bytes = (fields: object): Uint8Array => Buffer.from(JSON.stringify(fields));
const says = (content: string, role = 'user'): object => ({ role, content });

const FIRST: Outgoing = { body: body(says('one')), betas: [], lane: 's1' };

function after({ response = '' }: Answer): Outgoing {
  const input = [says('two')];
  return {
    ...FIRST,
    body: body(says('one'), says('I say.', 'assistant'), ...input),
    continues: { response, body: bytes({ ...FIELDS, input, previous_response_id: response }) },
  };
}

async function ask(provider: Provider, outgoing: Outgoing): Promise<Answer> {
  for await (const part of provider.send(outgoing)) if (part.type === 'finished') return part.answer;
  throw new Error('no answer');
}

const WHOLE: Transport = { kind: 'websocket', continuation: false };

describe('a lane', () => {
  it('continues from its last answer over the same connection and sends only the new items', async () => {
    const { simulator, provider } = await start();
    simulator.next({ answer: { text: 'I say.' } });
    const first = await ask(provider, FIRST);
    const second = await ask(provider, after(first));
    const third = await ask(provider, after(second));
    expect([first, second, third].map(({ transport }) => transport)).toEqual([
      WHOLE,
      { kind: 'websocket', continuation: true },
      { kind: 'websocket', continuation: true },
    ]);
    expect(simulator.calls[1]?.counts?.input).toBeGreaterThan(simulator.calls[0]?.counts?.input ?? 0);
    expect(simulator.calls[1]?.bytes).toBeLessThan(after(first).body.length + 60);
  });

  it('keeps its connection when the caller aborts after the end of the answer', async () => {
    const { provider } = await start();
    const abort = new AbortController();
    let first: Answer | undefined;
    for await (const part of provider.send({ ...FIRST, signal: abort.signal })) {
      if (part.type !== 'finished') continue;
      first = part.answer;
      abort.abort();
    }
    expect(first && (await ask(provider, after(first))).transport).toMatchObject({ continuation: true });
  });

  it('does not continue from an answer of another lane', async () => {
    const { provider } = await start();
    const first = await ask(provider, FIRST);
    const other = await ask(provider, { ...after(first), lane: 's2' });
    expect(other.transport).toEqual({ ...WHOLE, reset: 'connection' });
    expect((await ask(provider, after(first))).transport).toMatchObject({ continuation: true });
  });

  it('is required for a WebSocket: a call without a lane uses HTTP', async () => {
    const { provider } = await start();
    const { lane: _lane, ...beside } = FIRST;
    expect((await ask(provider, beside)).transport).toEqual({ kind: 'http' });
  });

  it('uses a separate connection for each of two simultaneous calls', async () => {
    const { provider } = await start();
    const both = await Promise.all([ask(provider, FIRST), ask(provider, FIRST)]);
    expect(both.map(({ transport }) => transport)).toEqual([WHOLE, WHOLE]);
  });

  it('opens a new connection when the betas differ', async () => {
    const { provider } = await start();
    const first = await ask(provider, FIRST);
    const second = await ask(provider, { ...after(first), betas: ['b=1'] });
    expect(second.transport).toEqual({ ...WHOLE, reset: 'connection' });
  });
});

describe('a call is sent whole with the reset', () => {
  it('`connection` if its connection was idle for too long and was closed', async () => {
    const { provider } = await start({ keepMs: 0 });
    const first = await ask(provider, FIRST);
    await delay(0);
    expect((await ask(provider, after(first))).transport).toEqual({ ...WHOLE, reset: 'connection' });
  });

  it('`connection` if its connection is closed during the call', async () => {
    const { simulator, provider } = await start();
    const first = await ask(provider, FIRST);
    simulator.fail({ kind: 'cut', afterEvents: 0 });
    expect((await ask(provider, after(first))).transport).toEqual({ ...WHOLE, reset: 'connection' });
  });

  it('`not-found` if the service no longer remembers the answer', async () => {
    const { simulator, provider } = await start();
    const first = await ask(provider, FIRST);
    simulator.fail({ kind: 'forgotten' });
    expect((await ask(provider, after(first))).transport).toEqual({ ...WHOLE, reset: 'not-found' });
    expect(simulator.calls.map(({ status }) => status)).toEqual([200, 400, 200]);
  });

  it('`connection-limit` if the connection is 60 minutes old', async () => {
    const { provider, pass } = await start();
    const first = await ask(provider, FIRST);
    pass(3_600_000);
    const second = await ask(provider, after(first));
    expect(second.transport).toEqual({ ...WHOLE, reset: 'connection-limit' });
    expect((await ask(provider, after(second))).transport).toMatchObject({ continuation: true });
  });

  it('`connection` if the call before it was refused', async () => {
    const { simulator, provider } = await start();
    const first = await ask(provider, FIRST);
    simulator.fail({ kind: 'rate-limited', retryAfter: 2 });
    await expect(ask(provider, after(first))).rejects.toMatchObject({
      code: 'provider/rate-limited',
      data: { status: 429, afterMs: 2_000 },
    });
    expect((await ask(provider, after(first))).transport).toEqual({ ...WHOLE, reset: 'connection' });
  });
});

describe('a call that received nothing is sent over HTTP with the fallback', () => {
  it.each<readonly [string, Fault, number]>([
    ['refused', { kind: 'upgrade-refused', status: 503 }, 5_000],
    ['closed', { kind: 'cut', afterEvents: 0 }, 5_000],
    ['silent', { kind: 'silence' }, 1_500],
  ])('`%s`', async (fallback, fault, idleMs) => {
    const { simulator, provider } = await start({ idleMs });
    simulator.fail(fault);
    expect((await ask(provider, FIRST)).transport).toEqual({ kind: 'http', fallback });
    expect((await ask(provider, FIRST)).transport).toEqual(WHOLE);
  });

  it('`unreachable`', async () => {
    const toServer: typeof fetch = (_url, init) => fetch(`${listening.url}/v1/responses`, init);
    const { provider, listening } = await start({ baseURL: 'http://127.0.0.1:1/v1', fetch: toServer });
    expect((await ask(provider, FIRST)).transport).toEqual({ kind: 'http', fallback: 'unreachable' });
  });

  it('`given-up` after two such calls in a row, or if the server does not support WebSockets', async () => {
    const { simulator, provider } = await start();
    const fallbacks: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      simulator.fail({ kind: 'upgrade-refused', status: 502 });
      fallbacks.push((await ask(provider, FIRST)).transport?.fallback);
    }
    expect(fallbacks).toEqual(['refused', 'refused', 'given-up']);
    const plain = await start();
    plain.simulator.fail({ kind: 'upgrade-refused', status: 426 });
    expect((await ask(plain.provider, FIRST)).transport).toMatchObject({ fallback: 'refused' });
    expect((await ask(plain.provider, FIRST)).transport).toMatchObject({ fallback: 'given-up' });
  });
});

describe('a failed call that is not sent again', () => {
  it.each<readonly [Fault, string]>([
    [{ kind: 'cut', afterEvents: 3 }, 'provider/cut'],
    [{ kind: 'silence', afterEvents: 3 }, 'provider/silent'],
    [{ kind: 'error-event', afterEvents: 3 }, 'provider/server'],
    [{ kind: 'malformed-event', afterEvents: 3 }, 'provider/malformed'],
    [{ kind: 'overloaded' }, 'provider/overloaded'],
  ])('the failure %j throws `%s`', async (fault, code) => {
    const { simulator, provider } = await start({ idleMs: 1_500 });
    simulator.fail(fault);
    await expect(ask(provider, FIRST)).rejects.toMatchObject({ class: 'retryable', code });
    expect(simulator.calls).toHaveLength(1);
    expect((await ask(provider, FIRST)).transport).toEqual(WHOLE);
  });

  it('a refused key throws `provider/authentication`, and no HTTP request is sent', async () => {
    const { simulator, provider } = await start();
    simulator.fail({ kind: 'upgrade-refused', status: 401 });
    await expect(ask(provider, FIRST)).rejects.toMatchObject({ class: 'stop', code: 'provider/authentication' });
    expect(simulator.calls).toEqual([]);
  });

  it('a call with transport `websocket` throws the error of the connection', async () => {
    const { simulator, provider } = await start({ transport: 'websocket' });
    simulator.fail({ kind: 'upgrade-refused', status: 503 });
    await expect(ask(provider, FIRST)).rejects.toMatchObject({ code: 'provider/overloaded', data: { status: 503 } });
    simulator.fail({ kind: 'cut', afterEvents: 0 });
    await expect(ask(provider, FIRST)).rejects.toMatchObject({ code: 'provider/connection' });
    const { lane: _lane, ...beside } = FIRST;
    expect((await ask(provider, beside)).transport).toEqual(WHOLE);
  });

  it('an aborted call throws `provider/aborted`, and its unfinished answer does not disturb the next call', async () => {
    const { simulator, provider } = await start();
    simulator.next({ answer: { text: 'word '.repeat(2_000) } });
    const abort = new AbortController();
    const stopped = (async () => {
      for await (const part of provider.send({ ...FIRST, signal: abort.signal })) {
        if (part.type === 'text.delta') abort.abort();
      }
    })();
    await expect(stopped).rejects.toMatchObject({ code: 'provider/aborted' });
    simulator.next({ answer: { text: 'another' } });
    expect(await ask(provider, FIRST)).toMatchObject({ parts: [{ text: 'another' }], transport: WHOLE });
  });
});

describe('a provider that uses WebSockets', () => {
  it('does not keep the process alive, and keeps its connection open for the next call', async () => {
    const { simulator, listening } = await start();
    const script = `
      import { createOpenAIProvider } from '@tidemark/provider-openai';
      const options = { apiKey: 'k', api: 'responses', baseURL: '${listening.url}/v1', transport: 'websocket' };
      const { send } = createOpenAIProvider(options);
      const body = Buffer.from(${JSON.stringify(Buffer.from(FIRST.body).toString())});
      for await (const part of send({ body, betas: [], lane: 's1' })) if (part.type === 'finished') console.log(part.type);
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname });
    expect(stdout).toBe('finished\n');
    expect(simulator.calls).toHaveLength(1);
  });

  it('closes all connections when it is closed, and keeps none afterwards', async () => {
    const { listening, provider } = await start();
    const first = await ask(provider, FIRST);
    await ask(provider, { ...FIRST, lane: 's2' });
    expect(listening.webSockets()).toBe(2);
    await provider.close?.();
    await expect.poll(() => listening.webSockets()).toBe(0);
    expect((await ask(provider, after(first))).transport).toEqual({ ...WHOLE, reset: 'connection' });
    await expect.poll(() => listening.webSockets()).toBe(0);
  });

  it('throws `provider/unsupported` for Chat Completions', () => {
    expect(() => createOpenAIProvider({ apiKey: 'k', api: 'chat', transport: 'auto' })).toThrow(
      expect.objectContaining({ code: 'provider/unsupported' }),
    );
  });
});
