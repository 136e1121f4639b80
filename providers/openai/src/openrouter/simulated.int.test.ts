// Tests the encoder and the decoder against the simulator's OpenRouter endpoint, through the official SDK. Covers an
// upstream provider that honours markers, and failures.

import type { Answer, Marker, Provider, Span } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import type { Fault, ListeningSimulator, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textPart, span } from '../../tests/fixtures.ts';
import { blocksOf, bodyOf, FRONT, result } from '../../tests/openrouter-fixtures.ts';
import { createOpenRouterProvider } from './provider.ts';

let simulator: Simulator;
let listening: ListeningSimulator;
let provider: Provider;

beforeEach(async () => {
  simulator = createSimulator();
  listening = await simulator.listen();
  provider = createOpenRouterProvider({ apiKey: 'a-secret-key', baseURL: `${listening.url}/api/v1`, idleMs: 2_000 });
});

afterEach(() => listening.close());

async function ask(spans: readonly Span[], ttls: readonly Marker['ttl'][]): Promise<Answer> {
  const last = blocksOf(FRONT, spans).length - 1;
  const markers = ttls.map((ttl, index) => ({ block: index === ttls.length - 1 ? last : index, ttl }));
  let answer: Answer | undefined;
  for await (const part of provider.send({ body: bodyOf(FRONT, spans, markers), betas: [] }))
    if (part.type === 'finished') answer = part.answer;
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

const PROMPT = span('user', 0, [textPart('read a, please. '.repeat(400))], true);
const CALLED = span('assistant', 1, [{ type: 'call', call: 'call_1', name: 'read', arguments: '{"path":"a"}' }]);
const TOLD = span('user', 2, [result('call_1', 'what stands in a. '.repeat(400))]);

describe('an upstream that honours markers', () => {
  it('accepts markers on a part and on a tool message, and each call reads the tokens that the call before it wrote', async () => {
    simulator.next({
      answer: { thinking: 'hm', text: 'I read.', calls: [{ id: 'call_1', name: 'read', arguments: {} }] },
    });
    const first = await ask([PROMPT], ['5m']);
    const second = await ask([PROMPT, CALLED, TOLD], ['5m']);
    const third = await ask([PROMPT, CALLED, TOLD], ['5m']);
    expect(first.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'call']);
    expect(first.usage).toMatchObject({ read: 0, writes: [{ ttl: '5m', tokens: expect.any(Number) }] });
    expect(second.usage.read).toBe(first.usage.writes?.[0]?.tokens);
    expect(third.usage).toMatchObject({ fresh: 0, writes: [] });
    for (const [index, { usage }] of [first, second, third].entries())
      expect(inputTokens(usage)).toBe(simulator.calls[index]?.counts?.input);
  });

  it('reports writes with a lifetime of one hour if every marker asks for an hour, and no writes if the lifetimes of the markers differ (L7)', async () => {
    const long = await ask([PROMPT], ['1h', '1h']);
    const mixed = await ask([PROMPT, CALLED, TOLD], ['1h', '5m']);
    expect(long.usage.writes?.map(({ ttl }) => ttl)).toEqual(['1h']);
    expect(mixed.usage).not.toHaveProperty('writes');
    expect(mixed.usage.read).toBe(long.usage.writes?.[0]?.tokens);
  });
});

describe('a failure', () => {
  it.each<readonly [Fault, string, string]>([
    [{ kind: 'rate-limited', retryAfter: 3 }, 'retryable', 'provider/rate-limited'],
    [{ kind: 'overloaded' }, 'retryable', 'provider/overloaded'],
    [{ kind: 'server-error' }, 'retryable', 'provider/server'],
    [{ kind: 'cut', afterEvents: 3 }, 'retryable', 'provider/cut'],
    [{ kind: 'malformed-event', afterEvents: 2 }, 'retryable', 'provider/malformed'],
    [{ kind: 'error-event', afterEvents: 2 }, 'retryable', 'provider/server'],
  ])('%j has class %s and code %s, and the message names OpenRouter', async (fault, sorted, code) => {
    simulator.next({ answer: { text: 'hi '.repeat(100) }, fault });
    const failed = expect.objectContaining({ class: sorted, code, message: expect.stringContaining('OpenRouter') });
    await expect(ask([PROMPT], [])).rejects.toEqual(failed);
  });

  it('with the key in the address does not reveal the key', async () => {
    const broken = createOpenRouterProvider({ apiKey: 'a-secret-key', baseURL: 'http://a-secret-key.invalid/api/v1' });
    const sending = Array.fromAsync(broken.send({ body: bodyOf(FRONT, [PROMPT]), betas: [] }));
    await expect(sending).rejects.toMatchObject({ code: 'provider/address' });
    await sending.catch((error: unknown) => expect(String(error)).not.toContain('a-secret-key'));
  });

  it('is refused with status 400 for a model that no upstream serves', async () => {
    const body = bodyOf({ ...FRONT, model: 'nobody/none' }, [PROMPT]);
    const sending = Array.fromAsync(provider.send({ body, betas: [] }));
    await expect(sending).rejects.toMatchObject({ class: 'refused', data: { provider: 'openrouter', status: 400 } });
  });
});
