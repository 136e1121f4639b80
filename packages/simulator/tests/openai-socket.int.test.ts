// Tests for WebSocket mode (provider-facts §2.4), with the unmodified WebSocket class of the official SDK as the
// client.

import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterEach, describe, expect, it } from 'vitest';
import type { ListeningSimulator, Simulator, SimulatorOptions } from '../src/index.ts';
import { simulateOpenAI } from './openai-conversation.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

interface Started {
  readonly simulator: Simulator;
  readonly url: string;
}

async function start(options: SimulatorOptions = {}): Promise<Started> {
  const simulator = simulateOpenAI(options);
  const server: ListeningSimulator = await simulator.listen();
  open.push(server);
  return { simulator, url: `${server.url}/v1` };
}

interface Talk {
  /** Sends a call and resolves to all events of the answer, including the event that ends it. */
  readonly ask: (fields: object) => Promise<readonly Event[]>;
  readonly send: (text: string) => void;
  /** Resolves to the next events, up to and including an event that ends an answer. */
  readonly events: () => Promise<readonly Event[]>;
}

interface Event {
  readonly type: string;
  readonly status?: number;
  readonly sequence_number?: number;
  readonly error?: { readonly code: string | null; readonly message: string; readonly headers?: object };
  readonly response?: { readonly id: string; readonly output: readonly unknown[]; readonly usage: unknown };
}

const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

function connect({ url }: Pick<Started, 'url'>, apiKey = 'test-key'): Talk {
  const socket = new ResponsesWS(new OpenAI({ apiKey, baseURL: url, logLevel: 'off' }));
  open.push(socket);
  socket.on('error', () => undefined);
  const stream = socket.stream();
  const events = async (): Promise<readonly Event[]> => {
    const seen: Event[] = [];
    for (;;) {
      const next = await stream.next();
      if (next.done === true || next.value.type === 'close') return seen;
      if (next.value.type === 'error' && next.value.error.error === undefined) throw next.value.error;
      const event =
        next.value.type === 'message'
          ? next.value.message
          : next.value.type === 'error'
            ? next.value.error.error
            : undefined;
      if (event === undefined) continue;
      seen.push(JSON.parse(JSON.stringify(event)));
      if (LAST.includes(event.type)) return seen;
    }
  };
  const send = (text: string): void => socket.sendRaw(text);
  return {
    events,
    send,
    ask(fields) {
      send(JSON.stringify({ type: 'response.create', ...CREATE, ...fields }));
      return events();
    },
  };
}

const CREATE = { model: 'gpt-new', store: false, include: ['reasoning.encrypted_content'] };
const LONG = 'a long prompt that is worth a cache. '.repeat(200);
const says = (text: string): object => ({ role: 'user', content: text });
const idOf = (events: readonly Event[]): string => events.at(-1)?.response?.id ?? 'none';

describe('a WebSocket connection', () => {
  it('streams the same events as HTTP, numbered without a gap', async () => {
    const { simulator, url } = await start();
    simulator.next({ answer: { thinking: 'hm', text: 'Hello there.' } });
    const events = await connect({ url }).ask({ input: [says('hello')] });
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
    expect(events[0]?.type).toBe('response.created');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [{}, {}] } });
    expect(simulator.calls).toMatchObject([{ wire: 'openai', endpoint: 'responses', status: 200 }]);
  });

  it('accepts the fields `stream: true` and `client_metadata` of Codex CLI 0.169', async () => {
    const { url } = await start();
    const metadata = { 'x-codex-window-id': 'w:0' };
    const events = await connect({ url }).ask({ input: [says('one')], stream: true, client_metadata: metadata });
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  it('continues its latest response, even if nothing is stored', async () => {
    const { simulator, url } = await start();
    const talk = connect({ url });
    const seen: unknown[] = [];
    simulator.next({ answer: { thinking: 'hm', calls: [{ id: 'call_1', name: 'look', arguments: '{}' }] } });
    const first = await talk.ask({ input: [says(LONG)] });
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'seen' };
    const second = await talk.ask({ input: [output], previous_response_id: idOf(first) });
    seen.push(second.at(-1)?.type);
    seen.push((await talk.ask({ input: [says('and?')], previous_response_id: idOf(second) })).at(-1)?.type);
    expect(seen).toEqual(['response.completed', 'response.completed']);
    const [one, two, three] = simulator.calls.map(({ counts }) => counts);
    expect(two?.input).toBeGreaterThan(one?.input ?? 0);
    expect(two?.read).toBeGreaterThan(1_024);
    expect(three?.input).toBeGreaterThan(two?.input ?? 0);
  });

  it.each<readonly [string, string[]]>([
    ['of another connection', ['other']],
    ['that is not the latest', ['first']],
  ])('does not know a response %s as the response to continue', async (_name, [which]) => {
    const { url } = await start();
    const talk = connect({ url });
    const first = await talk.ask({ input: [says('one')] });
    await talk.ask({ input: [says('two')] });
    const asked = which === 'first' ? talk : connect({ url });
    const [event] = await asked.ask({ input: [says('three')], previous_response_id: idOf(first) });
    expect(event).toMatchObject({
      type: 'error',
      status: 400,
      error: {
        code: 'previous_response_not_found',
        message: `Previous response with id '${idOf(first)}' not found.`,
      },
    });
  });

  it('forgets the response that a refused call continued', async () => {
    const { url } = await start();
    const talk = connect({ url });
    const previous = idOf(await talk.ask({ input: [says('one')] }));
    const [refused] = await talk.ask({ input: [{ type: 'nonsense' }], previous_response_id: previous });
    expect(refused).toMatchObject({ type: 'error', status: 400, error: { code: 'invalid_value' } });
    const [lost] = await talk.ask({ input: [says('two')], previous_response_id: previous });
    expect(lost).toMatchObject({ error: { code: 'previous_response_not_found' } });
  });

  it('continues a response that another connection stored', async () => {
    const { url } = await start();
    const stored = idOf(await connect({ url }).ask({ input: [says('one')], store: true }));
    const events = await connect({ url }).ask({ input: [says('two')], previous_response_id: stored });
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  it('can prepare state without generating an answer', async () => {
    const { simulator, url } = await start();
    const talk = connect({ url });
    const prepared = await talk.ask({ input: [says(LONG)], generate: false });
    expect(prepared.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [] } });
    const events = await talk.ask({ input: [says('now')], previous_response_id: idOf(prepared) });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [{}] } });
    expect(simulator.calls[0]?.counts?.output).toBe(0);
    expect(simulator.calls[1]?.counts?.read).toBeGreaterThan(1_024);
  });

  it('reads entries that a call over HTTP wrote, because HTTP and WebSockets use the same cache', async () => {
    const { simulator, url } = await start();
    const http = new OpenAI({ apiKey: 'test-key', baseURL: url, maxRetries: 0, logLevel: 'off' });
    await http.responses.create({ model: 'gpt-new', store: false, input: [{ role: 'user', content: LONG }] });
    await connect({ url }).ask({ input: [says(LONG), says('more')] });
    expect(simulator.calls[1]?.counts?.read).toBe(simulator.calls[0]?.counts?.writtenShort);
  });

  it('answers simultaneous calls one after the other', async () => {
    const { simulator, url } = await start();
    simulator.next({ answer: { text: 'first '.repeat(40) } });
    simulator.next({ answer: { text: 'second' } });
    const talk = connect({ url });
    const one = talk.ask({ input: [says('one')] });
    talk.send(JSON.stringify({ type: 'response.create', ...CREATE, input: [says('two')] }));
    expect((await one).at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'first '.repeat(40) }] }] } });
    expect((await talk.events()).at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'second' }] }] } });
  });

  it('ends after 60 minutes, with an error for the next call', async () => {
    let now = 1_000;
    const { url } = await start({ clock: () => now });
    const talk = connect({ url });
    const first = await talk.ask({ input: [says('one')] });
    expect(first.at(-1)?.type).toBe('response.completed');
    now += 60 * 60_000;
    const [event] = await talk.ask({ input: [says('two')], previous_response_id: idOf(first) });
    expect(event).toMatchObject({ type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached' } });
    expect(await talk.events()).toEqual([]);
  });
});

describe('a refusal on a WebSocket', () => {
  it.each<readonly [object, string]>([
    [{ background: true }, 'unknown_parameter'],
    [{ type: 'response.delete' }, 'invalid_value'],
    [{ type: null }, 'missing_required_parameter'],
    [{ model: 'gpt-none' }, 'model_not_found'],
  ])('of a call with %j has the code %s, and the connection stays open', async (fields, code) => {
    const { url } = await start();
    const talk = connect({ url });
    expect(await talk.ask({ input: [says('one')], ...fields })).toMatchObject([
      { type: 'error', status: 400, error: { code } },
    ]);
    expect((await talk.ask({ input: [says('two')] })).at(-1)?.type).toBe('response.completed');
  });

  it('of `stream: false` states that a WebSocket always streams', async () => {
    const { url } = await start();
    const [event] = await connect({ url }).ask({ input: [says('one')], stream: false });
    expect(event).toMatchObject({ type: 'error', status: 400, error: { param: 'stream' } });
    expect(event?.error?.message).toMatch(/^simulator: a WebSocket always streams/);
  });

  it('for a rate limit contains the headers that HTTP would send', async () => {
    const { simulator, url } = await start();
    simulator.fail({ kind: 'rate-limited', retryAfter: 2 });
    expect(await connect({ url }).ask({ input: [says('one')] })).toMatchObject([
      { status: 429, error: { code: 'rate_limit_exceeded', headers: { 'retry-after': '2' } } },
    ]);
  });

  it('of the upgrade can be caused by a fault', async () => {
    const { simulator, url } = await start();
    simulator.fail({ kind: 'upgrade-refused' });
    await expect(connect({ url }).ask({ input: [says('one')] })).rejects.toThrow('426');
    expect((await connect({ url }).ask({ input: [says('one')] })).at(-1)?.type).toBe('response.completed');
  });
});

describe('a fault on a WebSocket connection', () => {
  it('with the kind `cut` cuts the connection during a stream', async () => {
    const { simulator, url } = await start();
    simulator.fail({ kind: 'cut', afterEvents: 3 });
    expect(await connect({ url }).ask({ input: [says('one')] })).toHaveLength(3);
  });

  it('with the kind `error-event` sends an error during a stream', async () => {
    const { simulator, url } = await start();
    simulator.fail({ kind: 'error-event', afterEvents: 2 });
    const events = await connect({ url }).ask({ input: [says('one')] });
    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'error']);
  });

  it('with the kind `forgotten` removes the latest response from the memory of the connection', async () => {
    const { simulator, url } = await start();
    const talk = connect({ url });
    const previous = idOf(await talk.ask({ input: [says('one')] }));
    simulator.fail({ kind: 'forgotten' });
    const [event] = await talk.ask({ input: [says('two')], previous_response_id: previous });
    expect(event).toMatchObject({ error: { code: 'previous_response_not_found' } });
  });

  it('records an error of a hook, so that a strict run fails', async () => {
    const onRequest = (): never => {
      throw new Error('the hook failed');
    };
    const { simulator, url } = await start({ onRequest });
    const [event] = await connect({ url }).ask({ input: [says('one')] });
    expect(event).toMatchObject({ type: 'error', status: 500, error: { message: 'simulator: the hook failed' } });
    expect(simulator.check()).toEqual(['a request was refused: /v1/responses 500: simulator: the hook failed']);
  });

  it('refuses a frame that is nested too deeply, and keeps the connection', async () => {
    const { url } = await start();
    const talk = connect({ url });
    talk.send(`{"type":"response.create","input":${'['.repeat(60_000)}${']'.repeat(60_000)}}`);
    expect((await talk.events())[0]?.error?.message).toContain('nested deeper than 1000 levels');
    expect((await talk.ask({ input: [says('two')] })).at(-1)?.type).toBe('response.completed');
  });

  it('refuses a `generate` that is no boolean', async () => {
    const { url } = await start();
    const [event] = await connect({ url }).ask({ input: [says('one')], generate: 'no' });
    expect(event?.error?.message).toBe("Invalid type for 'generate': expected a boolean, but got a string instead.");
  });
});
