// Tests the encoder and the decoder against the simulator's OpenAI endpoint, through the official SDK, with turns that
// contain reasoning, calls and results.

import type { Answer, Block, Encoder, Front, Lowering, Part, Provider, Span } from '@tidemark/model';
import { defaultCatalog, findModel, inputTokens, writtenTokens } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import type { Fault, ListeningSimulator, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import { FRONT, LOWERING, textPart, span } from '../tests/fixtures.ts';
import { createOpenAIProvider } from './index.ts';

const open: ListeningSimulator[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function start(
  api: 'responses' | 'chat',
): Promise<{ readonly simulator: Simulator; readonly provider: Provider }> {
  const simulator = createSimulator({ capabilities: (model) => findModel(defaultCatalog(), model) });
  const listening = await simulator.listen();
  open.push(listening);
  return {
    simulator,
    provider: createOpenAIProvider({ apiKey: 'a-key', api, baseURL: `${listening.url}/v1`, idleMs: 2_000 }),
  };
}

/** Builds and sends the requests of a conversation step by step, as the agent does. */
function converse(provider: Provider, model: string) {
  const row = findModel(defaultCatalog(), model, 'openai');
  if (row === undefined) throw new Error(`the catalog has no ${model}`);
  const lowering: Lowering = { ...LOWERING, model, capabilities: row };
  const text = 'A rule of the house. '.repeat(400);
  const origin = { from: 'layer', layer: 'runtime', revision: '1' } as const;
  const front: Front = { ...FRONT, model, parameters: {}, system: [{ text, stability: 'global', origin }] };
  const { encoder } = provider;
  const lowered = encoder.lowerFront(front, lowering);
  const writer: ReturnType<Encoder['join']> = encoder.join(lowered, sha256);
  let blocks: readonly Block[] = lowered.blocks;
  let group = 0;
  const add = (role: Span['role'], parts: readonly Part[]): void => {
    blocks = [...blocks, ...encoder.lowerSpan(span(role, group, parts), lowering)];
    group += 1;
  };
  return {
    add,
    body: () => writer.write(blocks, [], { outputLimit: 500, fields: { prompt_cache_key: 'tm1.a' }, betas: [] }).body,
    async ask(this: { body: () => Uint8Array }): Promise<Answer> {
      let answer: Answer | undefined;
      for await (const part of provider.send({ body: this.body(), betas: [] })) {
        if (part.type === 'finished') answer = part.answer;
      }
      if (answer === undefined) throw new Error('no answer');
      const bound = answer.parts.map((part): Part =>
        part.type === 'reasoning' ? { ...part, provider: 'openai', model } : part,
      );
      add('assistant', bound);
      return answer;
    },
  };
}

const CALLING = {
  thinking: 'hm, both',
  text: 'I read both.',
  calls: [
    { id: 'call_1', name: 'read', arguments: '{"path": "a"}' },
    { id: 'call_2', name: 'read', arguments: '{"path": "b"}' },
  ],
};
const result = (call: string): Part => ({
  type: 'result',
  call,
  error: false,
  content: [{ type: 'text', text: `what stands in the file of ${call}. `.repeat(60) }],
});

async function threeRequests(simulator: Simulator, provider: Provider, model: string): Promise<readonly Answer[]> {
  const talk = converse(provider, model);
  talk.add('user', [textPart('read a and b, please. '.repeat(50))]);
  simulator.next({ answer: CALLING });
  const first = await talk.ask();
  talk.add('user', [result('call_1'), result('call_2')]);
  simulator.next({ answer: { thinking: 'so', text: 'Both are the same.' } });
  const second = await talk.ask();
  talk.add('user', [textPart('And why? '.repeat(50))]);
  simulator.next({ answer: { text: 'By chance.' } });
  return [first, second, await talk.ask()];
}

describe('a session on the Responses API', () => {
  it('is accepted with its reasoning sent back, and each request reads the tokens that the request before it wrote', async () => {
    const { simulator, provider } = await start('responses');
    const answers = await threeRequests(simulator, provider, 'gpt-5.6-sol');
    expect(simulator.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ stop }) => stop)).toEqual(['calls', 'end', 'end']);
    expect(answers[0]?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'call', 'call']);
    const [first, second, third] = answers.map(({ usage }) => usage);
    expect(first).toMatchObject({ read: 0 });
    expect(second?.read).toBe(writtenTokens(first?.writes ?? []));
    expect(third?.read).toBe((second?.read ?? 0) + writtenTokens(second?.writes ?? []));
    expect(second?.read).toBeGreaterThan(1_024);
  });

  it.each(['gpt-5.6-sol', 'gpt-5.4'])("reports on %s the same usage as the provider's account", async (model) => {
    const { simulator, provider } = await start('responses');
    const answers = await threeRequests(simulator, provider, model);
    for (const [index, { usage }] of answers.entries()) {
      const counts = simulator.calls[index]?.counts;
      expect(inputTokens(usage)).toBe(counts?.input);
      expect(usage.read).toBe(counts?.read);
      expect((usage.answer ?? 0) + (usage.reasoning ?? 0)).toBe(counts?.output);
    }
    expect(answers[2]?.usage.read).toBeGreaterThan(1_024);
  });

  it('is billed for the number of tokens that `countTokens` returned', async () => {
    const { simulator, provider } = await start('responses');
    const talk = converse(provider, 'gpt-5.6-sol');
    talk.add('user', [textPart('hello')]);
    const counted = await provider.countTokens?.({ body: talk.body(), betas: [] });
    simulator.next({ answer: { text: 'hi' } });
    expect(inputTokens((await talk.ask()).usage)).toBe(counted);
  });

  it('stops at its output limit and reports the stop reason `length`', async () => {
    const { simulator, provider } = await start('responses');
    const talk = converse(provider, 'gpt-5.6-sol');
    talk.add('user', [textPart('hello')]);
    simulator.next({ answer: { text: 'word '.repeat(4_000) } });
    expect(await talk.ask()).toMatchObject({ stop: 'length', stopRaw: 'max_output_tokens', truncated: 'yes' });
  });
});

describe('a session on Chat Completions', () => {
  it("is accepted and reports the same usage as the provider's account", async () => {
    const { simulator, provider } = await start('chat');
    const answers = await threeRequests(simulator, provider, 'gpt-5.6-sol');
    expect(simulator.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ stop }) => stop)).toEqual(['calls', 'end', 'end']);
    for (const [index, { usage }] of answers.entries()) {
      expect(inputTokens(usage)).toBe(simulator.calls[index]?.counts?.input);
    }
    expect(answers[2]?.usage.read).toBeGreaterThan(1_024);
  });
});

describe.each(['responses', 'chat'] as const)('a fault on %s', (api) => {
  it.each<readonly [Fault, string, string]>([
    [{ kind: 'rate-limited', retryAfter: 3 }, 'retryable', 'provider/rate-limited'],
    [{ kind: 'overloaded' }, 'retryable', 'provider/overloaded'],
    [{ kind: 'server-error' }, 'retryable', 'provider/server'],
    [{ kind: 'cut', afterEvents: 3 }, 'retryable', 'provider/cut'],
    [{ kind: 'malformed-event', afterEvents: 2 }, 'retryable', 'provider/malformed'],
  ])('%j causes an error of class %s with code %s', async (fault, sorted, code) => {
    const { simulator, provider } = await start(api);
    const talk = converse(provider, 'gpt-5.6-sol');
    talk.add('user', [textPart('hello')]);
    simulator.next({ answer: { text: 'hi '.repeat(100) }, fault });
    await expect(talk.ask()).rejects.toMatchObject({ class: sorted, code });
  });

  it('in the middle of a stream throws an error of class `retryable`', async () => {
    const { simulator, provider } = await start(api);
    const talk = converse(provider, 'gpt-5.6-sol');
    talk.add('user', [textPart('hello')]);
    simulator.next({ answer: { text: 'hi '.repeat(100) }, fault: { kind: 'error-event', afterEvents: 2 } });
    await expect(talk.ask()).rejects.toMatchObject({ class: 'retryable' });
  });

  it('for a request that is too long throws an error of class `compaction`', async () => {
    const { provider } = await start(api);
    const talk = converse(provider, 'gpt-4o');
    talk.add('user', [textPart('a word or two '.repeat(60_000))]);
    await expect(talk.ask()).rejects.toMatchObject({ class: 'compaction', code: 'provider/too-long' });
  });
});
