// Tests the smoke test against the simulator: hits, cache faults, and an engine that changes its prefix. For promotion,
// the test moves a clock.

import type { Provider } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { THIS_MACHINE } from '@tidemark/agent';
import { timestamp } from '@tidemark/log';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider } from '@tidemark/provider-openai';
import type { ListeningSimulator, Simulator, SimulatorOptions } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, describe, expect, test } from 'vitest';

import type { SmokeEngine } from './engine.ts';
import type { SmokeResult } from './measure.ts';
import { measureSmoke } from './measure.ts';
import { createMeter } from './meter.ts';
import { planSmoke } from './plan.ts';
import { PROMOTION_PAUSE_MS, tryPromotion } from './promotion.ts';
import { smokeWords } from './words.ts';

const open: ListeningSimulator[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Stage {
  readonly simulator: Simulator;
  readonly engine: SmokeEngine;
  pause(ms: number): Promise<void>;
}

interface Staging {
  readonly model: string;
  readonly options?: SimulatorOptions;
  readonly through?: (provider: Provider) => Provider;
}

async function stage({ model, options = {}, through = (provider) => provider }: Staging): Promise<Stage> {
  const row = findModel(defaultCatalog(), model);
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const simulator = createSimulator({ capabilities: () => row, clock: now, ...options });
  const listening = await simulator.listen();
  open.push(listening);
  const provider =
    row?.provider === 'openai'
      ? createOpenAIProvider({ apiKey: 'k', api: 'responses', baseURL: `${listening.url}/v1` })
      : createAnthropicProvider({ apiKey: 'k', baseURL: listening.url });
  const engine: SmokeEngine = {
    meter: createMeter(through(provider)),
    model,
    words: smokeWords(row?.floor, crypto.randomUUID()),
    log: createMemoryStore(),
    surroundings: { ...THIS_MACHINE, now: () => timestamp(new Date(now()).toISOString()) },
    ttl: '5m',
  };
  return { simulator, engine, pause: async (ms) => void (passed += ms) };
}

function reads({ probes }: SmokeResult): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(probes.map(({ name, read }) => [name, read]));
}

describe('a smoke test', () => {
  test.each(['claude-haiku-4-5-20251001', 'claude-sonnet-4-5-20250929', 'claude-opus-5-5', 'claude-opus-4-6'])(
    'with %s reads everything that the first request left, and after a change only the part before the change',
    async (model) => {
      const { engine, simulator } = await stage({ model });
      const result = await measureSmoke(engine, 6);
      expect(result).toMatchObject({ transport: 'hit', contract: 'hit' });
      const [first] = result.probes;
      expect(first).toMatchObject({ read: 0, fresh: 0 });
      expect(reads(result)).toMatchObject({
        'same-bytes': first?.input,
        'next-request': first?.input,
        'front-end': 0,
        'first-sentence': 0,
      });
      const tail = result.probes.find(({ name }) => name === 'tail');
      expect(tail?.read).toBeGreaterThan(0);
      expect(tail?.read).toBeLessThan(first?.input ?? 0);
      expect(simulator.calls).toHaveLength(6);
    },
  );

  test('writes an entry just above the floor, less than 1.5 times as large', async () => {
    for (const { provider, model, floor } of defaultCatalog().rows.filter((row) => row.provider === 'anthropic')) {
      const { engine, simulator } = await stage({ model });
      await measureSmoke(engine, 3);
      const written = simulator.calls[0]?.usage?.cache_creation_input_tokens ?? 0;
      expect([provider, model, written >= (floor ?? 0)]).toEqual([provider, model, true]);
      expect(written).toBeLessThan(1.5 * Math.max(floor ?? 0, 700));
    }
  });

  test.each(['gpt-6-luna', 'gpt-5.6-terra', 'gpt-5.5', 'gpt-5.1', 'gpt-4o'])(
    'hits the cache of %s too',
    async (model) => {
      const { engine } = await stage({ model });
      expect(await measureSmoke(engine, 3)).toMatchObject({ transport: 'hit', contract: 'hit' });
    },
  );

  test('never reads an entry that another run wrote', async () => {
    const { engine } = await stage({ model: 'claude-opus-5-5' });
    await measureSmoke(engine, 3);
    const again = { ...engine, words: smokeWords(512, crypto.randomUUID()), meter: createMeter(engine.meter.provider) };
    expect((await measureSmoke(again, 3)).probes[0]?.read).toBe(0);
  });
});

describe('a miss', () => {
  test('of the transport is reported if the entry was gone when the same bytes were sent again', async () => {
    const { engine, simulator } = await stage({ model: 'claude-opus-5-5' });
    simulator.next({});
    simulator.next({ fault: { kind: 'evicted' } });
    expect(await measureSmoke(engine, 3)).toMatchObject({ transport: 'miss', contract: 'hit' });
  });

  test("of the contract is reported if the engine's next request begins differently", async () => {
    let sent = 0;
    const through = (provider: Provider): Provider => ({
      ...provider,
      send(outgoing) {
        const clock = `It is now ${(sent += 1)} o'clock. You are`;
        const body = new TextDecoder().decode(outgoing.body);
        // The second call repeats the bytes of the first one, so the third call is the engine's next request.
        const bytes = sent === 3 ? new TextEncoder().encode(body.replace('You are', clock)) : outgoing.body;
        return provider.send({ ...outgoing, body: bytes });
      },
    });
    const { engine } = await stage({ model: 'claude-opus-5-5', through });
    expect(await measureSmoke(engine, 3)).toMatchObject({ transport: 'hit', contract: 'miss' });
  });

  test('of the transport and of the contract is reported if the cache holds nothing', async () => {
    const { engine, simulator } = await stage({ model: 'claude-opus-5-5' });
    for (let call = 0; call < 3; call += 1) simulator.next({ fault: { kind: 'evicted' } });
    expect(await measureSmoke(engine, 3)).toMatchObject({ transport: 'miss', contract: 'miss' });
  });

  test('is not reported if the provider does not report its usage', async () => {
    const { engine } = await stage({ model: 'claude-opus-5-5', through: silent });
    expect(await measureSmoke(engine, 3)).toMatchObject({ transport: 'unknown', contract: 'unknown' });
  });

  test('is not reported if the provider fails, and the error reaches the caller', async () => {
    const { engine, simulator } = await stage({ model: 'claude-opus-5-5' });
    simulator.fail({ kind: 'server-error' });
    await expect(measureSmoke(engine, 3)).rejects.toMatchObject({ code: expect.stringMatching(/^provider\//) });
    expect(simulator.calls).toHaveLength(1);
  });
});

/** Returns a provider that does not report its cache usage. */
function silent(provider: Provider): Provider {
  return {
    ...provider,
    async *send(outgoing) {
      for await (const part of provider.send(outgoing))
        yield part.type === 'finished' ? { ...part, answer: { ...part.answer, usage: { answer: 1 } } } : part;
    },
  };
}

describe('promotion', () => {
  test('is confirmed if everything that the promoting call left is read after the pause', async () => {
    const { engine, simulator, pause } = await stage({ model: 'claude-opus-5-5', options: { promotion: 'works' } });
    const promotion = await tryPromotion(engine, pause);
    expect(promotion.outcome).toBe('promotes');
    expect(promotion.read).toBe(promotion.held);
    const [written, promoting] = simulator.calls.map(({ usage }) => usage);
    expect(written?.cache_creation.ephemeral_1h_input_tokens).toBe(0);
    expect(promoting?.cache_read_input_tokens).toBe(written?.cache_creation.ephemeral_5m_input_tokens);
    expect(promoting?.cache_creation.ephemeral_5m_input_tokens).toBe(0);
    expect(simulator.calls).toHaveLength(3);
  });

  test('is not confirmed if nothing is read after the pause', async () => {
    const { engine, pause } = await stage({ model: 'claude-opus-5-5', options: { promotion: 'fails' } });
    expect(await tryPromotion(engine, pause)).toMatchObject({ outcome: 'does not', read: 0 });
  });

  test('is unclear if the short-lived entry was lost before it was promoted', async () => {
    const { engine, simulator, pause } = await stage({ model: 'claude-opus-5-5', options: { promotion: 'works' } });
    simulator.next({});
    simulator.next({ fault: { kind: 'evicted' } });
    expect(await tryPromotion(engine, pause)).toMatchObject({ outcome: 'unclear' });
  });

  test('is tested with a pause longer than the short lifetime and shorter than the long one', () => {
    expect(PROMOTION_PAUSE_MS).toBeGreaterThan(300_000);
    expect(PROMOTION_PAUSE_MS).toBeLessThan(3_600_000);
  });
});

describe('the maximum price', () => {
  test('is at most five cents for each model of the catalog, or nothing is sent', () => {
    const day = '2026-11-21';
    const plans = defaultCatalog().rows.flatMap((row) => {
      if (row.provider !== 'anthropic' && row.provider !== 'openai') return [];
      const { tokens } = smokeWords(row.floor, 'name');
      try {
        return [planSmoke({ row, simulated: false, promotion: false, tokens, day })];
      } catch (error) {
        expect(error).toMatchObject({ code: 'cli/refused', next: expect.stringContaining('--model') });
        return [];
      }
    });
    expect(plans.length).toBeGreaterThan(20);
    for (const { most, calls, leftOut } of plans) {
      expect(Number(most)).toBeLessThanOrEqual(0.05);
      expect(calls + leftOut.length).toBe(6);
    }
  });

  test('covers the input of the actual calls', async () => {
    const model = 'claude-haiku-4-5-20251001';
    const row = findModel(defaultCatalog(), model);
    if (row === undefined) throw new Error('no row');
    const { engine, simulator } = await stage({ model });
    const { tokens } = engine.words;
    const { calls } = planSmoke({ row, simulated: false, promotion: false, tokens, day: '2026-11-21' });
    await measureSmoke(engine, calls);
    for (const { usage } of simulator.calls) {
      const input = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
      expect(input).toBeLessThan(1.5 * tokens + 300);
    }
  });
});
