// Padding up to the cache floor, played with the kit on the simulator: tests when call 2 reads the front, and what
// short sessions cost.

import type { Encoders } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import type { ShortSession } from './short-session.ts';
import { playShort } from './short-session.ts';

type Setting = ShortSession['padding'];

/** Returns a session of two short prompts without tools, whose front contains only the runtime's own text. */
const talk = (model: string, padding: Setting, options: ShortSession['options'] = {}): ShortSession => ({
  model,
  padding,
  role: 0,
  calls: 2,
  course: 'talk',
  options,
});

const readOf = (usages: readonly { readonly cache_read_input_tokens: number }[]): readonly number[] =>
  usages.map((usage) => usage.cache_read_input_tokens);

describe('call 2', () => {
  test.each([
    ['claude-haiku-4-5', 4_096],
    ['claude-opus-4-6', 4_096],
    ['claude-opus-4-7', 2_048],
    ['claude-sonnet-4-5', 1_024],
  ])('of %s reads the front if it was padded, and reads nothing otherwise', async (model, floor) => {
    const padded = await playShort(talk(model, 'always'));
    expect(padded.padding).toMatchObject({ setting: 'always', why: 'always', floor });
    expect(padded.layers).toContain('padding');
    expect(padded.usages[1]?.cache_read_input_tokens).toBeGreaterThan(floor);
    const plain = await playShort(talk(model, 'never'));
    expect(plain.padding).toMatchObject({ setting: 'never', why: 'never' });
    expect(plain.layers).not.toContain('padding');
    expect(readOf(plain.usages)).toEqual([0, 0]);
  });

  test('of opus 5.5 reads the unpadded front, which is already above the floor of 512 tokens', async () => {
    const { padding, layers, usages } = await playShort(
      talk('claude-opus-5-5', 'always', { context: { runtimeInstructions: 'full' } }),
    );
    expect(padding).toMatchObject({ why: 'above-floor', floor: 512 });
    expect(layers).not.toContain('padding');
    expect(usages[1]?.cache_read_input_tokens).toBeGreaterThan(512);
  });

  test('of opus 5.5 reads the minimal runtime text after padding', async () => {
    const minimal = { context: { runtimeInstructions: 'minimal' } } as const;
    const { padding, usages } = await playShort(talk('claude-opus-5-5', 'always', minimal));
    expect(padding).toMatchObject({ why: 'always', floor: 512 });
    expect(usages[1]?.cache_read_input_tokens).toBeGreaterThan(512);
  });
});

describe('a model with an unknown floor', () => {
  const haiku = findModel(defaultCatalog(), 'claude-haiku-4-5', 'anthropic');
  if (haiku === undefined) throw new Error('the catalog has no claude-haiku-4-5');
  const { floor: _, ...known } = haiku;
  const unknown = { ...known, model: 'claude-haiku-of-mine', aliases: [] };
  const options = { modelOptions: { catalog: { revision: 1, rows: [unknown] } } };

  test('is not padded by `auto`, and is padded to at least 4,500 tokens by `always`', async () => {
    const auto = await playShort({ ...talk(unknown.model, 'auto', options), as: haiku });
    expect(auto.padding).toEqual({
      setting: 'auto',
      natural: expect.any(Number),
      padded: expect.any(Number),
      why: 'unknown-floor',
    });
    const { padding, usages } = await playShort({ ...talk(unknown.model, 'always', options), as: haiku });
    expect(padding?.why).toBe('always');
    expect(padding?.padded).toBeGreaterThanOrEqual(4_500);
    expect(padding?.padded).toBeLessThanOrEqual(5_500);
    expect(usages[1]?.cache_read_input_tokens).toBeGreaterThan(4_096);
  });

  test('is not padded by `auto` if only its prices are unknown', async () => {
    const { padding } = await playShort({ ...talk('claude-haiku-4-9', 'auto'), as: haiku });
    expect(padding).toMatchObject({ why: 'unknown-price', calls: expect.any(Number) });
    expect(padding?.gain).toBeUndefined();
  });
});

describe('an epoch', () => {
  const haiku = { model: 'claude-haiku-4-5', apiKey: 'not-a-key' } as const;

  test.each<readonly [Setting, Setting]>([
    ['always', 'never'],
    ['never', 'always'],
  ])('opened with padding %s keeps its front when the session continues with padding %s', async (first, second) => {
    const simulator = createSimulator({ onRequest: () => ({ answer: { text: 'Done.' } }) });
    const server = await simulator.listen();
    const store = createMemoryStore();
    const seen: Uint8Array[] = [];
    const speak = async (padding: Setting, id?: string): Promise<string> => {
      const connection = { onRequest: (body: Uint8Array) => void seen.push(body) };
      const agent = createAgent({ ...haiku, connection, baseURL: server.url, store, cache: { padding } });
      const session = await agent.open(id);
      await session.prompt('Hello.');
      await agent.close();
      return session.id;
    };
    const id = await speak(first);
    await speak(second, id);
    await server.close();
    const opened: string[] = [];
    for await (const { kind } of store.read(sessionId(id))) if (kind === 'epoch.opened') opened.push(kind);
    expect(opened).toHaveLength(1);
    const [one, two] = seen.map((body) => textsOf(body));
    expect(two).toEqual(one);
    expect(one?.length).toBe(first === 'always' ? 2 : 1);
    const { requests, differences, breaks } = await verifySession(store, sessionId(id), { encoders });
    expect({ requests, differences, breaks }).toEqual({ requests: 2, differences: [], breaks: [] });
  });

  const encoders: Encoders = (revision) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined);

  function textsOf(body: Uint8Array): readonly string[] {
    const { system }: { readonly system: readonly { readonly text: string }[] } = JSON.parse(
      new TextDecoder().decode(body),
    );
    return system.map(({ text }) => text);
  }
});

describe('sessions of 1 to 6 calls on haiku 4.5', () => {
  /**
   * Sizes of the agent's own text in bytes. The resulting fronts are between one seventh and nine tenths of the floor.
   */
  const ROLES = [0, 6_000, 9_000, 11_000, 13_000];
  const COURSES = [
    ['talk', 'talk'],
    ['work with small results', { work: 1_000 }],
    ['work with large results', { work: 8_000 }],
  ] as const;

  interface Totals {
    readonly natural: number;
    readonly why: string;
    readonly cost: Readonly<Record<Setting, number>>;
  }

  /**
   * Returns, for each setting of `padding`, the sum of the costs of six sessions with 1 to 6 calls, in US dollars. Only
   * the longest session is played, because each shorter session equals its beginning.
   */
  async function totals(role: number, course: ShortSession['course']): Promise<Totals> {
    const play = (padding: Setting): ReturnType<typeof playShort> =>
      playShort({ model: 'claude-haiku-4-5', padding, role, calls: 6, course });
    const [auto, always, never] = await Promise.all([play('auto'), play('always'), play('never')]);
    const sum = (costs: readonly (number | undefined)[]): number =>
      costs.reduce<number>((total, cost, call) => total + (cost ?? NaN) * (costs.length - call), 0);
    const cost = { auto: sum(auto.costs), always: sum(always.costs), never: sum(never.costs) };
    expect([auto.costs.length, always.costs.length, never.costs.length]).toEqual([6, 6, 6]);
    return { natural: auto.padding?.natural ?? 0, why: auto.padding?.why ?? '', cost };
  }

  test.each(COURSES)(
    'with `auto` cost at most 2% more than the cheaper of `always` and `never`: %s',
    async (name, course) => {
      const sum = { auto: 0, always: 0, never: 0 };
      for (const role of ROLES) {
        const { natural, why, cost } = await totals(role, course);
        for (const setting of ['auto', 'always', 'never'] as const) sum[setting] += cost[setting];
        const cents = Object.entries(cost).map(([setting, dollars]) => `${setting} ${(dollars * 100).toFixed(2)}¢`);
        process.stdout.write(`${name}, front of ${natural}: ${cents.join(', ')} (${why})\n`);
        if (natural < 4_096 / 4) expect(why).toBe('costs');
      }
      expect(sum.auto).toBeLessThanOrEqual(1.02 * Math.min(sum.always, sum.never));
    },
  );
});
