// Problems from public threads about gauges that count tokens twice or omit the system prompt (L7). Each problem is
// reproduced with an agent as an application embeds it. The gauge is compared with the simulator's own token count of
// every call.

import type { Gauge } from '@tidemark/context';
import { inputLimitOf } from '@tidemark/context';
import type { Agent, AgentOptions, AgentSession } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import type { Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider } from '@tidemark/provider-openai';
import type {
  AnswerPlan,
  Fault,
  LedgerCall,
  ListeningSimulator,
  ReceivedRequest,
  Simulator,
} from '@tidemark/simulator';
import { createSimulator, totalInput } from '@tidemark/simulator';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

type Wire = 'anthropic' | 'websocket';
const MODEL = { anthropic: 'claude-sonnet-4-5', websocket: 'gpt-5.6-sol' } as const;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** Results of a tool: prose, JSON, log lines, code and Chinese text, from two characters to a few thousand. */
const FOUND: readonly string[] = [
  'The tide came in at four and the boats went out with it, as they had every morning that year. '.repeat(30),
  JSON.stringify(
    Array.from({ length: 60 }, (_, id) => ({ id, name: `order-${id * 37}`, total: id * 12.5, open: id % 3 === 0 })),
  ),
  '2026-11-21T09:12:44.103Z WARN  [pool-3] retry 2/5 after 250ms: ECONNRESET 10.1.4.27:5432\n'.repeat(25),
  'ok',
  'export const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);\n'.repeat(40),
  '水位线是水曾经到达的地方。'.repeat(60),
];

const look = defineTool({
  name: 'look',
  description: 'Looks at what is there, and says what it has seen. '.repeat(20),
  input: z.object({ step: z.number() }),
  effect: 'none',
  run: ({ step }) => FOUND[step % FOUND.length] ?? '',
});

/**
 * Returns the answers of a model that calls `look` in `count` steps of each turn, with a little text. Every fourth step
 * calls `look` twice.
 */
function looks(count: number): (sent: ReceivedRequest) => AnswerPlan {
  let step = 0;
  return ({ toolResults, lastUserText }) => {
    if (lastUserText.includes('Name this.')) return { answer: { text: 'A name.' } };
    step = toolResults.length === 0 ? 1 : step + 1;
    if (step > count) return { answer: { text: `Done, ${'as was asked, '.repeat(step)}and that is all.` } };
    const calls = (step % 4 === 0 ? [step, step + 1] : [step]).map((at) => ({ name: 'look', arguments: { step: at } }));
    return { answer: { text: `Step ${step}.`, calls } };
  };
}

interface Stage {
  readonly simulator: Simulator;
  /** Creates another agent over the same log, as another process would. */
  start(): Promise<{ readonly agent: Agent; readonly live: AgentSession }>;
  records(): Promise<readonly Recorded[]>;
  /** Gauges of all `status.changed` events, in order. */
  readonly gauges: Gauge[];
}

async function stage(
  wire: Wire,
  answer: (sent: ReceivedRequest) => AnswerPlan,
  more: Partial<AgentOptions> = {},
): Promise<Stage> {
  const simulator = createSimulator({ onRequest: answer });
  const listening = await simulator.listen();
  open.push(listening);
  const shelf = createMemoryBackend();
  const gauges: Gauge[] = [];
  let id: string | undefined;
  const start: Stage['start'] = async () => {
    const agent = createAgent({
      model: MODEL[wire],
      provider: providerOf(wire, listening),
      store: createMemoryStore(shelf),
      permissions: { mode: 'auto', allowUnsandboxed: true },
      instructions: 'You keep the harbour book. '.repeat(400),
      tools: [look],
      ...more,
      cache: { warm: 'off', rewriteNotice: {}, ...more.cache },
    });
    open.push(agent);
    const live = await agent.open(id);
    id = live.id;
    void (async () => {
      for await (const event of live.events()) if (event.type === 'status.changed') gauges.push(event.gauge);
    })();
    return { agent, live };
  };
  const records = (): Promise<readonly Recorded[]> =>
    Array.fromAsync(createMemoryStore(shelf).read(sessionId(id ?? '')));
  return { simulator, start, records, gauges };
}

function providerOf(wire: Wire, { url }: ListeningSimulator): NonNullable<AgentOptions['provider']> {
  return wire === 'anthropic'
    ? createAnthropicProvider({ apiKey: 'simulated', baseURL: url })
    : createOpenAIProvider({ apiKey: 'simulated', baseURL: `${url}/v1`, api: 'responses', transport: 'auto' });
}

/**
 * A call of the main stream. `believed` is the size of its input that the gauge computed before the call was sent.
 * `input` is the size that the simulator counted.
 */
interface Judged {
  readonly request: RecordedOf<'request.prepared'>;
  readonly believed: number;
  /** Part of `believed` that comes from the usage of the call before. */
  readonly measured: number;
  readonly input: number;
  readonly output: number;
  readonly read: number;
  /** True if an earlier attempt of the same request reported its usage before the transport cut its answer. */
  readonly again: boolean;
}

async function judged({ simulator, records }: Stage): Promise<readonly Judged[]> {
  const all = await records();
  let cut: RecordedOf<'answer.interrupted'> | undefined;
  return all.flatMap((record) => {
    if (record.kind === 'answer.interrupted' && record.data.by === 'transport') cut = record;
    if (record.kind !== 'answer.received' || record.data.stream !== 'main') return [];
    const request = all[record.data.request ?? -1];
    const call = simulator.calls.find(({ message }) => message !== undefined && message === record.data.response);
    if (request?.kind !== 'request.prepared' || call === undefined)
      throw new Error('a call that the simulator never saw');
    const { size } = request.data;
    const again = cut?.data.usage?.fresh !== undefined;
    cut = undefined;
    return [{ again, request, believed: size?.input ?? NaN, measured: size?.measured ?? NaN, ...truthOf(call) }];
  });
}

function truthOf({ usage, counts }: LedgerCall): Pick<Judged, 'input' | 'output' | 'read'> {
  if (counts !== undefined) return { input: counts.input, output: counts.output, read: counts.read };
  if (usage === undefined) throw new Error('a call without an account');
  return { input: totalInput(usage), output: usage.output_tokens, read: usage.cache_read_input_tokens };
}

/**
 * Expects that the measured part of each gauge counts the input and the answer of the previous call exactly once. The
 * measured part is 0 after a new epoch. If an earlier attempt of the same request was counted, the measured part is the
 * input of this attempt.
 */
function expectEachOnce(calls: readonly Judged[]): void {
  for (const [index, { request, measured, again, input }] of calls.entries()) {
    const before = calls[index - 1];
    const anew = before === undefined || before.request.data.epoch !== request.data.epoch;
    expect([index, measured]).toEqual([index, anew ? 0 : again ? input : before.input + before.output]);
  }
}

const offBy = ({ believed, input }: Judged): number => Math.abs(believed - input) / input;

/**
 * Returns the share of calls whose gauge differs from the real input by at most the share `most` of that input. Calls
 * that begin an epoch do not count.
 */
function shareWithin(calls: readonly Judged[], most: number): number {
  const later = calls.filter(({ measured }) => measured > 0);
  return later.filter((call) => offBy(call) <= most).length / later.length;
}

describe.each(['anthropic', 'websocket'] as const)('over %s', (wire) => {
  it('anthropics/claude-code#82863: cache reads count once, in every step and after every restart', async () => {
    const played = await stage(wire, looks(7));
    for (let restart = 0; restart < 3; restart += 1) {
      const { agent, live } = await played.start();
      expect(await live.prompt('Look.')).toMatchObject({ outcome: 'completed' });
      expect(await live.prompt('Look again.')).toMatchObject({ outcome: 'completed' });
      await agent.close();
    }
    const calls = await judged(played);
    expect(calls).toHaveLength(6 * 8);
    // In nearly every call, more than half of the input is read from the cache.
    expect(calls.filter(({ read, input }) => read > input / 2).length).toBeGreaterThan(40);
    expectEachOnce(calls);
    expect(played.gauges.map(({ input }) => input)).toEqual(calls.map(({ believed }) => believed));
    expect(shareWithin(calls, 0.05)).toBeGreaterThanOrEqual(0.95);
  });

  it('openclaw#99843: side calls, failed calls and interrupted turns do not change the gauge', async () => {
    const faults: (Fault | undefined)[] = [
      undefined,
      { kind: 'overloaded' },
      undefined,
      { kind: 'cut', afterEvents: 4 },
    ];
    const answer = looks(4);
    const fails = (sent: ReceivedRequest): AnswerPlan => {
      const fault = sent.toolResults.length > 0 ? faults.shift() : undefined;
      return fault === undefined ? answer(sent) : { answer: { text: 'Words that are cut. '.repeat(40) }, fault };
    };
    const played = await stage(wire, fails, {
      connection: { retry: { attempts: 3, initialDelayMs: 1, maxDelayMs: 1 } },
    });
    const { live } = await played.start();
    await live.prompt('Look.');
    await live.side({ purpose: 'title', prompt: 'Name this.', history: 'main' });
    await live.side({ purpose: 'title', prompt: 'Name this.', history: 'none' });
    await live.prompt('Look again.');
    const turn = live.prompt('And again.');
    for await (const event of turn)
      if (event.type === 'recorded' && event.record.kind === 'tool.started') await live.interrupt();
    await live.prompt('On with it.');
    const calls = await judged(played);
    const ended = (await played.records()).filter(
      ({ kind }) => kind === 'answer.failed' || kind === 'answer.interrupted',
    );
    expect(ended.map(({ kind }) => kind)).toEqual(['answer.failed', 'answer.interrupted']);
    expect(played.simulator.calls.length).toBeGreaterThan(calls.length + 2);
    expectEachOnce(calls);
    expect(shareWithin(calls, 0.2)).toBe(1);
  });

  it('cloudflare/agents#1580: the gauge contains the system prompt and the tools from the first call on, and after a compaction', async () => {
    const played = await stage(wire, looks(6));
    const { live } = await played.start();
    await live.prompt('Look.');
    await live.prompt('Look again.');
    expect(await live.compact({ tailTokens: 500 })).toMatchObject({ outcome: 'compacted' });
    await live.prompt('And again.');
    const calls = await judged(played);
    const anew = calls.filter(({ measured }) => measured === 0);
    expect(anew.map(({ request }) => request.data.epoch)).toEqual([0, 1]);
    const front = anew[0]?.input ?? 0;
    expect(front).toBeGreaterThan(3_000);
    // After a new epoch, no earlier usage applies. The gauge of these requests is therefore an estimate of the whole
    // request, including the front.
    expect(anew[0] && offBy(anew[0])).toBeLessThan(0.25);
    expect(anew[1] && offBy(anew[1])).toBeLessThan(0.25);
    expectEachOnce(calls);
  });
});

describe('the input limit of a window', () => {
  const row = (shared: Capabilities['window']['sharedWithOutput']): Capabilities => {
    const whole = findModel(defaultCatalog(), MODEL.anthropic);
    if (whole === undefined) throw new Error(`the catalog has no ${MODEL.anthropic}`);
    return { ...whole, inputLimit: 5_000, outputLimit: 1_000, window: { tokens: 5_000, sharedWithOutput: shared } };
  };

  it.each(['refused', 'stops'] as const)(
    "equals the provider's own limit to the token, for a window whose sum of input and output is %s",
    (shared) => {
      const capabilities = row(shared);
      const simulator = createSimulator({
        capabilities: () => capabilities,
        onRequest: () => ({ answer: { text: 'yes' } }),
      });
      const status = (input: number, output: number): number => {
        const messages = [{ role: 'user', content: 'abcd'.repeat(input) }];
        return simulator.messages({ body: JSON.stringify({ model: 'm', max_tokens: output, messages }) }).status;
      };
      for (const output of [1, 600, 1_000]) {
        const limit = inputLimitOf(capabilities, output) ?? 0;
        expect([output, status(limit, output), status(limit + 1, output)]).toEqual([output, 200, 400]);
      }
    },
  );
});
