// Front of an agent with only custom tools: contains the author's text and at most 150 tokens of the runtime, as the
// simulator counts and bills them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentOptions } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import { TM3_BRIEF, TM3_RUNTIME } from '@tidemark/context';
import type { Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { providerOf } from './billed-stage.ts';

const ROLE = 'You answer questions about the orders of a small shop. Be kind, be short, and name the order.';
const WORDS = 'What did I order?';
const MAX_RUNTIME_TOKENS = 150;

const orders = defineTool({
  name: 'orders',
  description: 'Lists the orders of a customer.',
  input: z.object({ customer: z.string() }),
  effect: 'read',
  run: () => 'none',
});

interface Played {
  readonly simulator: Simulator;
  readonly bodies: readonly string[];
  readonly records: readonly Recorded[];
}

interface Chat {
  readonly turns?: number;
  readonly words?: string;
  readonly options: Partial<AgentOptions>;
}

async function chat(model: string, { turns = 1, words = WORDS, options }: Chat): Promise<Played> {
  const simulator = createSimulator({ onRequest: () => ({ answer: { text: 'Nothing yet.' } }) });
  const { url, close } = await simulator.listen();
  const bodies: string[] = [];
  const agent = createAgent({
    model,
    provider: providerOf(model, url),
    instructions: ROLE,
    connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) },
    ...options,
    cache: { warm: 'off', ...options.cache },
  });
  onTestFinished(async () => {
    await agent.close();
    await close();
  });
  const live = await agent.open();
  for (let turn = 0; turn < turns; turn += 1) expect(await live.prompt(words)).toMatchObject({ outcome: 'completed' });
  return { simulator, bodies, records: await Array.fromAsync(agent.log.read(sessionId(live.id))) };
}

interface Text {
  readonly text: string;
}

/** Fields of a body that the tests read. Other fields are counted but not read. */
interface Counted {
  readonly system: readonly Text[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Text[] }[];
}

const Texts = z.array(z.looseObject({ text: z.string() }));
const Body = z.looseObject({
  system: Texts,
  messages: z.array(z.looseObject({ role: z.string(), content: Texts })),
});

/** Returns a body without the fields that a request for token counting must not have. */
function counted(body: string): Counted {
  const { stream: _stream, max_tokens: _most, diagnostics: _compared, ...rest } = Body.parse(JSON.parse(body));
  const { system, messages } = rest;
  return { ...rest, system, messages };
}

function tokensOf(simulator: Simulator, body: Counted): number {
  const counting = simulator.countTokens({ body: JSON.stringify(body) });
  return counting.outcome === 'counted' ? counting.inputTokens : expect.unreachable(counting.message);
}

/** Returns the same request with only the texts of the author and the user, without those of the runtime. */
function withoutRuntime(body: Counted): Counted {
  return {
    ...body,
    system: body.system.filter(({ text }) => text === ROLE),
    messages: body.messages.map(({ role, content }) => ({
      role,
      content: content.filter(({ text }) => text === WORDS),
    })),
  };
}

const opened = ({ records }: Played): RecordedOf<'epoch.opened'>['data'] =>
  records.find((one) => one.kind === 'epoch.opened')?.data ?? expect.unreachable();

describe('the front of an agent with only custom tools', () => {
  test.each(['claude-sonnet-4-6', 'claude-opus-5-5', 'claude-haiku-4-5'])(
    "contains the author's text and at most 150 tokens of the runtime, including the note on the mode: %s",
    async (model) => {
      const played = await chat(model, { options: { tools: [orders] } });
      const body = counted(played.bodies[0] ?? '');
      expect(body.system.map(({ text }) => text)).toEqual([TM3_BRIEF, ROLE]);
      const runtime = tokensOf(played.simulator, body) - tokensOf(played.simulator, withoutRuntime(body));
      expect(runtime).toBeGreaterThan(0);
      expect(runtime).toBeLessThanOrEqual(MAX_RUNTIME_TOKENS);
      expect(opened(played)).toMatchObject({ contract: 'tm3', padding: { setting: 'never' } });
    },
  );

  test('has the same brief runtime text at OpenAI', async () => {
    const { bodies, records } = await chat('gpt-6.1-sol', { options: { tools: [orders] } });
    expect(bodies[0]).toContain(JSON.stringify(TM3_BRIEF).slice(1, -1));
    expect(bodies[0]).not.toContain('Project instructions');
    expect(records.find((one) => one.kind === 'epoch.opened')?.data).toMatchObject({ contract: 'tm3' });
  });

  test('makes a chat of 120 turns at least 1% cheaper than the full runtime text does', async () => {
    const talk = { turns: 120, words: `${WORDS} ${'It was a gift, and it came late. '.repeat(12)}` };
    const cost = async (options: Partial<AgentOptions>): Promise<number> => {
      const { records } = await chat('claude-sonnet-4-6', { ...talk, options: { tools: [orders], ...options } });
      const costs = records.flatMap((one) => (one.kind === 'answer.received' ? [Number(one.data.cost)] : []));
      expect(costs).toHaveLength(120);
      return costs.reduce((sum, one) => sum + one, 0);
    };
    expect((await cost({})) / (await cost({ context: { runtimeInstructions: 'full' } }))).toBeLessThan(0.99);
  });
});

describe('the full runtime text', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'tidemark-front-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  test.each<[string, () => Partial<AgentOptions>]>([
    ['a workspace', () => ({ workspace: { folder: folder(), tools: false } })],
    ['skills', () => ({ skills: { roots: [{ folder: folder(), source: 'home' }] } })],
    ['an author who asks for it', () => ({ context: { runtimeInstructions: 'full' } })],
  ])('is in the front with %s', async (_what, options) => {
    const { bodies } = await chat('claude-sonnet-4-6', {
      options: { tools: [orders], cache: { padding: 'never' }, ...options() },
    });
    expect(counted(bodies[0] ?? '').system[0]?.text).toBe(TM3_RUNTIME);
  });
});
