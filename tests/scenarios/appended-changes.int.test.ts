// Tool and effort changes within a session: a tool is added and removed, and an effort is changed and changed back. If
// the model accepts such a change after its history, the change costs only its own bytes. Otherwise the change costs
// one labelled epoch. An agent plays each session against the simulator, which refuses the same requests as the real
// providers.

import type { AgentSession, Tool } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import type { Log, Recorded, RecordedOf } from '@tidemark/log';
import type { Encoder, Provider } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { AnswerPlan, LedgerCall, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator, totalInput } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, describe, expect, it } from 'vitest';

const APPENDS = 'claude-opus-5-5';
const EDITS = 'claude-haiku-4-5-20251001';
const GPT = 'gpt-6-sol';

const ROLE = 'You work on a small repository with great care. '.repeat(500);
const LEVEL = { [APPENDS]: 'effort', [EDITS]: 'effort', [GPT]: 'reasoning.effort' } as const;

type Model = keyof typeof LEVEL;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Played {
  readonly live: AgentSession;
  readonly simulator: Simulator;
  /** Requests received by the simulator, in order, each with its tools and its body. */
  readonly sent: ReceivedRequest[];
  readonly log: Log;
  readonly records: () => Promise<readonly Recorded[]>;
}

/**
 * Opens a session with these tools against a simulator. `answers` plans the answer to each request from the number of
 * requests received before.
 */
async function play(
  model: Model,
  answers: (arrived: number, sent: ReceivedRequest) => AnswerPlan,
  tools: readonly Tool[],
  parameters = {},
): Promise<Played> {
  const sent: ReceivedRequest[] = [];
  const simulator = createSimulator({
    capabilities: (name) => findModel(defaultCatalog(), name),
    onRequest: (request) => {
      sent.push(request);
      return answers(sent.length - 1, request);
    },
  });
  const server = await simulator.listen();
  const log = createMemoryStore();
  const provider = providerOf(model, server.url);
  const agent = createAgent({
    model,
    provider,
    store: log,
    instructions: ROLE,
    tools,
    modelOptions: { parameters },
    maxOutputTokens: 4_000,
    permissions: { mode: 'auto', allowUnsandboxed: true },
  });
  closing.push(
    () => agent.close(),
    () => server.close(),
  );
  const live = await agent.open();
  return { live, simulator, sent, log, records: () => Array.fromAsync(log.read(live.id)) };
}

function providerOf(model: Model, url: string): Provider {
  return model === GPT
    ? createOpenAIProvider({ apiKey: 'simulated', api: 'responses', baseURL: `${url}/v1` })
    : createAnthropicProvider({ apiKey: 'simulated', baseURL: url });
}

function tool(name: string, run: () => void = () => undefined, description = `The tool ${name}.`): Tool {
  return {
    name,
    description,
    schema: { type: 'object', properties: { path: { type: 'string' } } },
    effect: 'read',
    read: () => ({
      title: name,
      run: async () => {
        run();
        return { text: `${name} says: ${'a line of the file. '.repeat(30)}` };
      },
    }),
  };
}

const calling = (name: string, thinking = 'hm'): AnswerPlan => ({
  answer: { thinking, text: 'I look.', calls: [{ name, arguments: { path: 'a' } }] },
});
const saying = (text: string): AnswerPlan => ({ answer: { thinking: 'so', text } });

/**
 * Returns for each call, in tokens: the input that was read from the cache (`read`), the input in the cache after the
 * call (`left`), and the whole input. Checks that no call was refused.
 */
function reads({
  calls,
}: Simulator): readonly { readonly read: number; readonly left: number; readonly input: number }[] {
  return calls.map(({ status, refusal, usage, counts }: LedgerCall) => {
    expect({ status, refusal }).toEqual({ status: 200, refusal: undefined });
    if (usage !== undefined) {
      const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
      return { read, left: read + written, input: totalInput(usage) };
    }
    if (counts === undefined) throw new Error('a call without an account');
    const { read, writtenShort, writtenLong, input } = counts;
    return { read, left: read + writtenShort + writtenLong, input };
  });
}

/**
 * Returns the indexes of the calls that read less than the previous call left in the cache. Such a call wrote content
 * to the cache again that an earlier call had already sent.
 */
function rewrites(simulator: Simulator): readonly number[] {
  const all = reads(simulator);
  return all.flatMap(({ read }, index) => (index > 0 && read < (all[index - 1]?.left ?? 0) ? [index] : []));
}

function of<K extends Recorded['kind']>(
  records: readonly Recorded[],
  kind: K,
): readonly Extract<Recorded, { kind: K }>[] {
  return records.filter((one): one is Extract<Recorded, { kind: K }> => one.kind === kind);
}

function causes(records: readonly Recorded[]): readonly string[] {
  return of(records, 'epoch.opened').map(({ data }: RecordedOf<'epoch.opened'>) => data.cause);
}

describe('a tool added at call 20 and removed at call 31', () => {
  /** Plays 40 tool calls. The model calls `extra` while that tool is offered, and `look` otherwise. */
  async function work(model: Model): Promise<Played> {
    let looks = 0;
    const look = tool('look', () => {
      looks += 1;
      if (looks === 20) played.live.setTools([look, extra]);
    });
    const extra = tool('extra', () => {
      looks += 1;
      if (looks === 31) played.live.setTools([look]);
    });
    const played = await play(
      model,
      (arrived, { tools }) => {
        if (arrived === 40) return saying('done');
        return calling(tools.includes('extra') ? 'extra' : 'look');
      },
      [look],
    );
    expect(await played.live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    await expectSame(played);
    return played;
  }

  it('costs the minimum on a model that accepts appended changes: each new token is written once and each old token is read', async () => {
    const { simulator, records, sent } = await work(APPENDS);
    expect(rewrites(simulator)).toEqual([]);
    expect(reads(simulator).filter(({ left, input }) => left !== input)).toEqual([]);
    const found = await records();
    expect(causes(found)).toEqual(['initial']);
    expect(
      of(found, 'tools.changed').map(({ data }) => [data.added.map(({ name }) => name), data.removed, data.as]),
    ).toEqual([
      [['extra'], [], 'appended'],
      [[], ['extra'], 'appended'],
    ]);
    expect(sent.map(({ tools }) => tools.length)).toEqual([
      ...Array<number>(20).fill(1),
      ...Array<number>(11).fill(2),
      ...Array<number>(10).fill(1),
    ]);
  });

  it('sends the beta header only from the first request that needs it, as `request.prepared` records', async () => {
    const { records } = await work(APPENDS);
    const betas = of(await records(), 'request.prepared').map(({ data }) => data.betas ?? []);
    expect(betas.slice(0, 20).flat()).toEqual([]);
    expect(new Set(betas.slice(20).map(String))).toEqual(new Set(['inline-tools-2026-09-15']));
  });

  it('opens one labelled and priced epoch per change on a model that accepts no appended changes', async () => {
    const { simulator, records } = await work(EDITS);
    const found = await records();
    expect(causes(found)).toEqual(['initial', 'tools', 'tools']);
    expect(of(found, 'tools.changed')).toEqual([]);
    const forecasts = of(found, 'epoch.opened').map(({ data }) => data.forecast);
    // The second change returns to a front that is still in the cache, so it rewrites fewer tokens.
    expect(forecasts.map(({ rewrite }) => rewrite > 9_000)).toEqual([false, true, false]);
    expect(forecasts.map(({ cost }) => Number(cost) > 0)).toEqual([false, true, true]);
    expect(rewrites(simulator)).toEqual([20, 31]);
  });

  it('is appended on a model that accepts only added tools, and opens an epoch when it is removed', async () => {
    const { simulator, records } = await work(GPT);
    const found = await records();
    expect(of(found, 'tools.changed')).toHaveLength(1);
    expect(causes(found)).toEqual(['initial', 'tools']);
    expect(rewrites(simulator)).toEqual([31]);
  });
});

describe('an epoch opened after appended changes', () => {
  it('has the changes in its front, no longer packs them in the tail, and omits the thinking bound to them', async () => {
    const look = tool('look');
    const answers = (arrived: number): AnswerPlan =>
      arrived % 2 === 0 ? calling('look') : saying(`answer ${arrived}`);
    const played = await play(APPENDS, answers, [look], { effort: 'medium' });
    const { live, sent } = played;
    await live.prompt('one');
    live.setTools([look, tool('more')]);
    live.setReasoning({ effort: 'high' });
    await live.prompt('two');
    live.setReasoning({ thinking: { type: 'adaptive', display: 'summarized' } });
    expect(await live.prompt('three')).toMatchObject({ outcome: 'completed' });
    await expectSame(played);
    expect(causes(await played.records())).toEqual(['initial', 'reasoning']);
    const last = sent.at(-1);
    const body = JSON.stringify(last?.body);
    expect(last?.tools).toEqual(['look', 'more']);
    expect([body.includes('"role":"system"'), body.includes('tool_addition')]).toEqual([false, false]);
    expect(last?.body['output_config']).toEqual({ effort: 'high' });
    // Only the thinking of the turn that opened the epoch remains.
    expect(body.split('"type":"thinking"').length - 1).toBe(1);
    expect(reads(played.simulator)).toHaveLength(6);
  });
});

describe('an effort that is changed and changed back', () => {
  async function turns(model: Model): Promise<Played> {
    const played = await play(model, (arrived) => saying(`answer ${arrived}`), [tool('look')], {
      [LEVEL[model]]: 'medium',
    });
    for (const level of ['medium', 'high', 'high', 'medium']) {
      played.live.setReasoning({ [LEVEL[model]]: level });
      expect(await played.live.prompt(`Say something at ${level}. ${'Please. '.repeat(200)}`)).toMatchObject({
        outcome: 'completed',
      });
    }
    await expectSame(played);
    return played;
  }

  it.each([APPENDS, GPT] as const)('is appended after the history on %s, once per change', async (model) => {
    const { simulator, records } = await turns(model);
    const found = await records();
    expect(rewrites(simulator)).toEqual([]);
    expect(causes(found)).toEqual(['initial']);
    expect(of(found, 'reasoning.changed').map(({ data }) => [data.setting, data.as])).toEqual([
      ['high', 'appended'],
      ['medium', 'appended'],
    ]);
  });

  it('opens one epoch per change on a model that accepts no appended changes', async () => {
    const { records } = await turns(EDITS);
    expect(causes(await records())).toEqual(['initial', 'reasoning', 'reasoning']);
  });

  it('records no change if no request was sent between the two changes', async () => {
    const { live, records } = await play(APPENDS, () => saying('yes'), [tool('look')], { effort: 'medium' });
    await live.prompt('one');
    live.setReasoning({ effort: 'high' });
    live.setReasoning({ effort: 'medium' });
    live.setTools([tool('look'), tool('more')]);
    live.setTools([tool('look')]);
    await live.prompt('two');
    const found = await records();
    expect([...causes(found), ...of(found, 'tools.changed'), ...of(found, 'reasoning.changed')]).toEqual(['initial']);
  });
});

/**
 * Checks that every request can be rebuilt byte for byte from the log, and that every break has an epoch as its cause.
 */
async function expectSame({ live, log }: Played): Promise<void> {
  const made = [anthropicEncoder, openaiResponsesEncoder];
  const encoders = (revision: string): Encoder | undefined => made.find((one) => one.revision === revision);
  const { differences, breaks, problems } = await verifySession(log, live.id, { encoders });
  expect({ differences, problems, unlabelled: breaks.filter(({ cause }) => cause === undefined) }).toEqual({
    differences: [],
    problems: [],
    unlabelled: [],
  });
}
