// Billing of subagents: siblings share one front and one cache key, wait at the gate until the first sibling's answer
// begins, and write with the short TTL.

import { createAgentTool } from '@tidemark/agent';
import type { AgentOptions, Tool } from '@tidemark/kit';
import { defineTool } from '@tidemark/kit';
import type { Provider } from '@tidemark/model';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectSound, frontOf, openStage, PLAIN, recordsOf, ROLE } from './billed-stage.ts';
import type { Billed, Stage } from './billed-stage.ts';

const MINUTE = 60_000;
/**
 * Milliseconds from a request to the beginning of its answer. Other requests can read the cache entry of the request
 * only after this time.
 */
const FIRST_BYTE_MS = 20;
const SIBLINGS = 5;

interface Call extends Billed {
  readonly body: string;
}

/**
 * Runs a parent and its subagents. After any greetings, the parent calls `wait` and requests five subagents in one
 * answer. Each subagent makes one tool call and reports.
 */
async function playFamily(options: Playing): Promise<Family> {
  const { gapMs, pauses = [], added = [], reopens = false, ...staged } = options;
  const stage: Stage = await openStage(
    { tools: [wait(() => stage), look], subagents: { parallel: SIBLINGS }, ...staged },
    { firstByteMs: FIRST_BYTE_MS, onRequest: (sent) => answerTo(sent, gapMs) },
  );
  let live = await stage.open({ provider: begunLater(stage) });
  for (const pause of pauses) {
    await live.prompt(GREETING);
    stage.clock.pass(pause);
  }
  if (added.length > 0) {
    await live.prompt(GREETING);
    live.setTools([wait(() => stage), look, createAgentTool(), ...added], { when: 'next-epoch' });
  }
  if (reopens) {
    await live.prompt(GREETING);
    await live.close();
    const tools = [wait(() => stage), look, ...added];
    live = await stage.open({ id: live.id, provider: begunLater(stage), tools });
  }
  expect(await live.prompt('Count everything.')).toMatchObject({ outcome: 'completed', text: 'All counted.' });
  const billed = stage.billed();
  const calls = stage.bodies.map((body, index): Call => ({ ...(billed[index] ?? expect.unreachable()), body }));
  const started = (await recordsOf(stage, live.id)).flatMap((one) =>
    one.kind === 'subagent.started' ? [one.data] : [],
  );
  return { stage, id: live.id, calls, children: started.map(({ child }) => child) };
}

interface Playing extends Partial<AgentOptions> {
  readonly gapMs: number;
  /** Pauses before the main prompt, in milliseconds. Before each pause, the parent answers a greeting. */
  readonly pauses?: readonly number[];
  /** Tools that the parent gets from its next epoch on. They are set after its first greeting. */
  readonly added?: readonly Tool[];
  /**
   * True to reopen the parent in another process before the main prompt. That process has the added tools from its
   * start.
   */
  readonly reopens?: true;
}

interface Family {
  readonly stage: Stage;
  readonly id: string;
  readonly calls: readonly Call[];
  readonly children: readonly string[];
}

/**
 * `CHILD` is the beginning of each subagent's prompt. `SEEN` is the result of the subagent's tool call, so a body
 * without `SEEN` is the subagent's first request.
 */
const CHILD = 'You work as a subagent.';
const SEEN = 'Seven orders.';

const GREETING = 'Good morning.';

function answerTo(sent: ReceivedRequest, gapMs: number): AnswerPlan {
  const { toolResults } = sent;
  const body = JSON.stringify(sent.body);
  if (body.includes(GREETING) && !body.includes('Count everything.')) return answerWith('Good morning.');
  if (body.includes(CHILD))
    return toolResults.length === 0 ? { answer: { calls: [{ name: 'look', arguments: {} }] } } : answerWith('Counted.');
  if (toolResults.some(({ name }) => name === 'agent')) return answerWith('All counted.');
  const asked = Array.from({ length: SIBLINGS }, (_, index) => ({
    name: 'agent',
    arguments: {
      role: `counter ${index}`,
      task: `Count the orders of shop ${index}. ${'Mind the returns. '.repeat(index)}`,
    },
  }));
  return { answer: { text: 'I have them counted.', calls: [{ name: 'wait', arguments: { ms: gapMs } }, ...asked] } };
}

const answerWith = (text: string): AnswerPlan => ({ answer: { text } });

const look = defineTool({ name: 'look', description: 'Looks.', input: z.object({}), effect: 'read', run: () => SEEN });

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs.',
  input: z.object({}),
  effect: 'read',
  run: () => '1 kg',
});

/** Creates a tool that advances the clock, so that later calls start later. */
const wait = (stage: () => Stage) =>
  defineTool({
    name: 'wait',
    description: `Waits. ${ROLE.slice(0, 400)}`,
    input: z.object({ ms: z.number() }),
    effect: 'execute',
    run: ({ ms }) => stage().clock.pass(ms),
  });

function begunLater({ provider, clock }: Stage): Provider {
  return {
    ...provider,
    async *send(outgoing) {
      let begun = false;
      for await (const part of provider.send(outgoing)) {
        if (!begun) clock.pass(FIRST_BYTE_MS);
        begun = true;
        yield part;
      }
    },
  };
}

function firstCalls({ calls }: Family): readonly Call[] {
  return calls.filter(({ body }) => body.includes(CHILD) && !body.includes(SEEN));
}

async function firstCallOf({ stage }: Family, child: string) {
  const records = await recordsOf(stage, child);
  const prepared = records.find((one) => one.kind === 'request.prepared') ?? expect.unreachable();
  const received = records.find((one) => one.kind === 'answer.received') ?? expect.unreachable();
  return { forecast: prepared.data.forecast, usage: received.data.usage ?? expect.unreachable() };
}

/**
 * Returns the number of tokens in a subagent's first call that are the same for all siblings: all tokens except those
 * of the subagent's own prompt.
 */
function sharedTokens({ body, input }: Call): number {
  const own = /You work as a subagent\.(?:[^"\\]|\\.)*/.exec(body)?.[0] ?? '';
  return input - Math.ceil(Buffer.byteLength(own) / 4);
}

describe.each([PLAIN, 'claude-opus-5-5', 'gpt-5.1', 'gpt-6.1-sol'])('siblings on %s', (model) => {
  test('read the front that their parent still has in the cache, including the first sibling', async () => {
    const family = await playFamily({ model, gapMs: 0 });
    const firsts = firstCalls(family);
    expect(firsts).toHaveLength(SIBLINGS);
    for (const call of firsts) expect(call.read / sharedTokens(call)).toBeGreaterThanOrEqual(0.95);
    expect(new Set(family.calls.map(({ body }) => frontOf(body))).size).toBe(1);
    expect(new Set(family.calls.map(({ body }) => JSON.parse(body)['prompt_cache_key'])).size).toBe(1);
  });

  test('write the front once if it has left the cache, and the second and later siblings read it', async () => {
    const family = await playFamily({ model, gapMs: 6 * MINUTE });
    const [, ...later] = firstCalls(family);
    const shares = later.map((call) => call.read / sharedTokens(call));
    expect(shares).toHaveLength(SIBLINGS - 1);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
    const least = (100 * Math.min(...shares)).toFixed(1);
    process.stdout.write(`subagents: ${model}: siblings 2 to ${SIBLINGS} read at least ${least}% of what they share\n`);
  });
});

describe.each([PLAIN, 'claude-opus-5-5', 'gpt-5.1', 'gpt-6.1-sol'])('the forecast of a subagent on %s', (model) => {
  test('includes the front that its parent holds in the cache', async () => {
    const family = await playFamily({ model, gapMs: 0 });
    for (const child of family.children) {
      const { forecast, usage } = await firstCallOf(family, child);
      expect(forecast.read / (usage.read ?? 0)).toBeGreaterThan(0.8);
      expect(forecast.read / (usage.read ?? 0)).toBeLessThan(1.1);
    }
  });

  test('includes no read of a front that has expired', async () => {
    const family = await playFamily({ model, gapMs: 25 * 60 * MINUTE });
    const [first = expect.unreachable()] = family.children;
    const { forecast, usage } = await firstCallOf(family, first);
    expect([forecast.read, usage.read]).toEqual([0, 0]);
  });
});

test.each([
  ['appended to both', 'claude-opus-5-5', true],
  ['kept for a later front of both', PLAIN, false],
])(
  'a tool added after the front of a parent is %s, and its subagents read that front: %s',
  async (_what, model, shown) => {
    const family = await playFamily({ model, gapMs: 0, added: [weigh] });
    const firsts = firstCalls(family);
    expect(firsts).toHaveLength(SIBLINGS);
    for (const call of firsts) {
      expect(call.read / sharedTokens(call)).toBeGreaterThanOrEqual(shown ? 0.9 : 0.95);
      expect(call.body.includes('Weighs.')).toBe(shown);
    }
    expect(new Set(family.calls.map(({ body }) => frontOf(body))).size).toBe(1);
    for (const session of [family.id, ...family.children]) await expectSound(family.stage, session);
  },
);

test("a tool list that waits in a parent's log also waits in its subagents, without an explicit option", async () => {
  const family = await playFamily({ gapMs: 0, added: [weigh], reopens: true });
  expect(firstCalls(family)).toHaveLength(SIBLINGS);
  expect(new Set(family.calls.map(({ body }) => frontOf(body))).size).toBe(1);
});

test('every session of a family is rebuilt from its log byte for byte, and every break has a cause', async () => {
  const { stage, id, children } = await playFamily({ gapMs: 6 * MINUTE });
  for (const session of [id, ...children]) await expectSound(stage, session);
});

test('anthropics/claude-code#50213, #74318: a subagent pays only for its own content, and for nothing that its parent has sent', async () => {
  const family = await playFamily({ gapMs: 0 });
  for (const call of family.calls.filter(({ body }) => body.includes(CHILD))) {
    // The limit of 200 tokens covers the subagent's prompt, the notes before it, its answers and its results. It does
    // not cover the front.
    expect(call.written + call.fresh).toBeLessThan(200);
    expect(call.long).toBe(0);
  }
});

test('anthropics/claude-code#46829: the subagents of a conversation with the one-hour TTL use the five-minute TTL', async () => {
  const family = await playFamily({ gapMs: 20 * MINUTE, pauses: [20 * MINUTE, 20 * MINUTE] });
  const ofChildren = family.calls.filter(({ body }) => body.includes(CHILD));
  const [asks, ends] = family.calls.filter(({ body }) => !body.includes(CHILD)).slice(-2);
  expect(ofChildren.length).toBeGreaterThan(0);
  expect(ofChildren.map(({ long }) => long)).toEqual(ofChildren.map(() => 0));
  expect([asks, ends].map((call) => call !== undefined && call.long > 0)).toEqual([true, true]);
});
