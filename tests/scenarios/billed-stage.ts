// An agent as a person embeds it, whose calls arrive at a simulator on a port, on a clock that the test moves. What is
// judged is what the simulator billed and the bytes that arrived, never what the engine believes.

import type { Encoders } from '@tidemark/agent';
import { explainSession, verifySession } from '@tidemark/agent';
import type { Agent, AgentOptions, ForkOptions, AgentSession } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log, Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { AnswerPlan, LedgerCall, Simulator, SimulatorOptions } from '@tidemark/simulator';
import { createSimulator, totalInput } from '@tidemark/simulator';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { expect, onTestFinished } from 'vitest';
import type { VirtualTime } from '@tidemark/agent/contract';
import { virtualTime } from '@tidemark/agent/contract';

/** Changes settings of nobody, strips nothing, appends nothing: what the rules of most models have in common. */
export const PLAIN = 'claude-sonnet-4-6';
/** A system text above the floor of most models. */
export const ROLE: string = Array.from(
  { length: 60 },
  (_, rule) =>
    `Rule ${rule}: an order that was packed is not changed any more; what is missing goes out with the next one.`,
).join('\n');

/** One call as it was billed. */
export interface Billed {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly model: string;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  /** Of `written`, what lives longer than the shortest life. */
  readonly long: number;
  readonly fresh: number;
}

/** An embedded agent whose calls arrive at a simulator. */
export interface Stage {
  readonly simulator: Simulator;
  readonly clock: VirtualTime;
  /** Of the agent as it was staged. */
  readonly model: string;
  /** The one that sessions are opened with. */
  readonly provider: Provider;
  /** The provider of a model, at the same simulator, with a key of another account where one is named. */
  reach(model: string, key?: string): Provider;
  /** A new store over what is there. */
  log(): Log;
  /** Every body that went out, in order. */
  readonly bodies: string[];
  /** Every call that was answered. */
  billed(): readonly Billed[];
  /** Opens a session in a process of its own: a new one without an id. */
  open(options?: Opening): Promise<AgentSession>;
  /** Forks a session, in a process of its own. */
  fork(id: string, options?: ForkOptions): Promise<AgentSession>;
  /** A turn: what the user says, and what the model answers to each call. */
  turn(live: AgentSession, words: string, ...answers: readonly AnswerPlan[]): Promise<void>;
}

/** How a session is opened; the rest as it was staged. */
export interface Opening extends Partial<AgentOptions> {
  readonly id?: string;
}

/** Milliseconds from a request to the end of its answer. */
const ANSWER_MS = 4_000;

/** What stands behind the address that a stage calls. */
export interface Staging extends Pick<SimulatorOptions, 'onRequest' | 'firstByteMs'> {
  /** A gateway between the agent and the simulator. */
  readonly gateway?: typeof globalThis.fetch;
}

/** Makes a stage, whose sessions are opened with these options unless they are with others. */
export async function openStage(
  staged: Partial<AgentOptions> = {},
  { gateway, ...simulating }: Staging = {},
): Promise<Stage> {
  const { model = PLAIN } = staged;
  const clock = virtualTime();
  const capabilities = (name: string) => findModel(defaultCatalog(), name);
  const simulator = createSimulator({ capabilities, clock: () => clock.now, ...simulating });
  const listening = await simulator.listen();
  const reach = (name: string, key?: string): Provider =>
    timed(providerOf(name, listening.url, { ...(key !== undefined && { key }), gateway }), clock);
  const provider = reach(model);
  const shelf = createMemoryBackend();
  const bodies: string[] = [];
  const ends: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const end of ends) await end();
    await listening.close();
  });
  const agentOf = (options: Partial<AgentOptions>): Agent => {
    const agent = createAgent({
      model,
      instructions: ROLE,
      store: createMemoryStore(shelf),
      provider,
      permissions: { mode: 'auto', allowUnsandboxed: true },
      ...staged,
      ...options,
      cache: { ...staged.cache, ...options.cache },
      compaction: { ...staged.compaction, ...options.compaction },
      modelOptions: { ...staged.modelOptions, ...options.modelOptions },
      // The same front in every process, with a workspace and without.
      context: { runtimeInstructions: 'full', ...staged.context, ...options.context },
      host: { clock: clock.surroundings, ...staged.host, ...options.host },
      connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) },
    });
    ends.push(() => agent.close());
    return agent;
  };
  return {
    simulator,
    clock,
    model,
    provider,
    reach,
    bodies,
    log: () => createMemoryStore(shelf),
    billed: () => simulator.calls.filter(({ status }) => status === 200).map(billedFor),
    open: async ({ id, ...options } = {}) => agentOf(options).open(id),
    fork: async (id, options) => agentOf({}).fork(id, options),
    async turn(live, words, ...answers) {
      for (const answer of answers) simulator.next(answer);
      expect(await live.prompt(words)).toMatchObject({ outcome: 'completed' });
    },
  };
}

/** The key that reaches the simulator, and what stands before it. The simulator takes each key for an account of its own. */
export interface Reaching {
  readonly key?: string;
  readonly gateway?: typeof globalThis.fetch | undefined;
}

/** The provider of a model, at the simulator's address. */
export function providerOf(
  model: string,
  url: string,
  { key = 'the-account-of-the-simulator', gateway }: Reaching = {},
): Provider {
  const reached = { apiKey: key, ...(gateway !== undefined && { fetch: gateway }) };
  return findModel(defaultCatalog(), model)?.provider === 'openai'
    ? createOpenAIProvider({ ...reached, api: 'responses', baseURL: `${url}/v1` })
    : createAnthropicProvider({ ...reached, baseURL: url });
}

/** Each answer takes its time. */
function timed(provider: Provider, clock: VirtualTime): Provider {
  return {
    ...provider,
    async *send(outgoing) {
      for await (const part of provider.send(outgoing)) {
        if (part.type === 'finished') clock.pass(ANSWER_MS);
        yield part;
      }
    },
  };
}

function billedFor({ at, model, usage, counts }: LedgerCall): Billed {
  if (usage !== undefined) {
    const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
    const long = usage.cache_creation.ephemeral_1h_input_tokens;
    return { at, model, input: totalInput(usage), read, written, long, fresh };
  }
  if (counts === undefined) throw new Error('a call was answered and has no account');
  const { input, read, writtenShort, writtenLong } = counts;
  const written = writtenShort + writtenLong;
  return { at, model, input, read, written, long: writtenLong, fresh: input - read - written };
}

/** Tokens that are in the cache once a call was answered. */
export function held({ read, written }: Billed): number {
  return read + written;
}

/** Each call reads all that the one before it held, and writes all that is new: nothing is paid twice, nothing is fresh. */
export function expectOnlyGrowth(calls: readonly Billed[], firstRead = 0): void {
  const seen = calls.map(({ read, written, fresh }) => ({ read, written, fresh }));
  const ideal = calls.map(({ input }, index) => {
    const read = calls[index - 1]?.input ?? firstRead;
    return { read, written: input - read, fresh: 0 };
  });
  expect(seen).toEqual(ideal);
  expect(calls.length).toBeGreaterThan(1);
}

/** The frozen beginning of a body, as text without markers. */
export function frontOf(body: string): string {
  const { tools, system } = parsed(body);
  return JSON.stringify([tools, system]);
}

/** The blocks of the messages of a body, as texts without markers, each with its speaker. */
export function historyOf(body: string): readonly string[] {
  const { messages = [] } = parsed(body);
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [content] : content).map((block) => JSON.stringify([role, block])),
  );
}

/** One front in all bodies, and each history begins with the one before it, byte for byte. */
export function expectOnlyAppended(bodies: readonly string[]): void {
  expect(new Set(bodies.map(frontOf)).size).toBe(1);
  for (const [index, body] of bodies.entries()) {
    const before = historyOf(bodies[index - 1] ?? '{}');
    expect(historyOf(body).slice(0, before.length)).toEqual(before);
  }
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: unknown;
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly unknown[] }[];
}

function parsed(body: string): Body {
  const value: Body = JSON.parse(body, (key, field: unknown) => (key === 'cache_control' ? undefined : field));
  return value;
}

const REVISIONS = [anthropicEncoder, openaiResponsesEncoder];
/** Every encoder that a stage uses. */
export const encoders: Encoders = (revision) => REVISIONS.find((encoder) => encoder.revision === revision);

/** All records of a session. */
export function recordsOf(stage: Stage, id: string): Promise<readonly Recorded[]> {
  return Array.fromAsync(stage.log().read(sessionId(id)));
}

/** Causes of the epochs of a session, in order. */
export async function epochsOf(stage: Stage, id: string): Promise<readonly string[]> {
  return (await recordsOf(stage, id)).flatMap((one) => (one.kind === 'epoch.opened' ? [one.data.cause] : []));
}

/** Step and cause of what a session had to pay again, as it tells of itself. */
export async function missesOf(stage: Stage, id: string): Promise<readonly (readonly [step: number, cause: string])[]> {
  const { explained } = await explainSession(stage.log(), sessionId(id), encoders);
  return explained.flatMap(({ step, miss }) => (miss === undefined ? [] : [[step, miss.cause] as const]));
}

/** All bodies can be made again, and no prefix broke but where an epoch says why. */
export async function expectSound(stage: Stage, id: string): Promise<void> {
  const { differences, breaks } = await verifySession(stage.log(), sessionId(id), { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
}
