// Stage for billed sessions: an embedded agent whose calls arrive at a simulator on a port, on a clock that the test
// controls. The tests check the simulator's bill and the bytes that arrived, never the engine's own estimates.

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

/**
 * Model whose row has only the rules that most models share: it strips nothing, accepts no appended changes, and needs
 * no special settings.
 */
export const PLAIN = 'claude-sonnet-4-6';
/** System text above the cache floor of most models. */
export const ROLE: string = Array.from(
  { length: 60 },
  (_, rule) =>
    `Rule ${rule}: an order that was packed is not changed any more; what is missing goes out with the next one.`,
).join('\n');

/** One call as the simulator billed it, in tokens. */
export interface Billed {
  /** Time of the call in milliseconds since 1970. */
  readonly at: number;
  readonly model: string;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  /** Part of `written` that has a longer TTL than the shortest one. */
  readonly long: number;
  readonly fresh: number;
}

/** An embedded agent whose calls arrive at a simulator. */
export interface Stage {
  readonly simulator: Simulator;
  readonly clock: VirtualTime;
  /** Model that the stage was opened with. */
  readonly model: string;
  /** Provider that sessions use by default. */
  readonly provider: Provider;
  /** Returns a provider of a model at the same simulator. With `key`, the provider uses another account. */
  reach(model: string, key?: string): Provider;
  /** Opens a new store over the same recorded sessions. */
  log(): Log;
  /** Bodies of all requests sent, in order. */
  readonly bodies: string[];
  /** Returns every call that was answered with status 200, in order. */
  billed(): readonly Billed[];
  /**
   * Opens a session with a new agent and a new store, as another process would. Creates a new session if `id` is
   * omitted.
   */
  open(options?: Opening): Promise<AgentSession>;
  /** Forks a session with a new agent and a new store, as another process would. */
  fork(id: string, options?: ForkOptions): Promise<AgentSession>;
  /**
   * Runs a turn with the user's prompt. `answers` holds the model's answer to each call of the turn. Fails if the turn
   * does not complete.
   */
  turn(live: AgentSession, words: string, ...answers: readonly AnswerPlan[]): Promise<void>;
}

/** Options for opening a session. An omitted option keeps the value passed to `openStage`. */
export interface Opening extends Partial<AgentOptions> {
  readonly id?: string;
}

/** Milliseconds from a request to the end of its answer. */
const ANSWER_MS = 4_000;

/** Options of the simulator, and an optional gateway between the agent and the simulator. */
export interface Staging extends Pick<SimulatorOptions, 'onRequest' | 'firstByteMs'> {
  /** Replacement for `fetch` that changes requests on their way to the simulator. */
  readonly gateway?: typeof globalThis.fetch;
}

/** Opens a stage. `staged` holds the default options of its sessions. The stage is closed when the test finishes. */
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
      // With `full`, the front is the same in every process, with a workspace and without one.
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

/** API key and gateway of a provider at the simulator. The simulator treats each key as a separate account. */
export interface Reaching {
  readonly key?: string;
  readonly gateway?: typeof globalThis.fetch | undefined;
}

/** Creates the provider of a model at the simulator's URL. */
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

/** Wraps a provider so that each answer takes `ANSWER_MS` on the clock of the test. */
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

/** Returns the number of tokens in the cache after the call. */
export function held({ read, written }: Billed): number {
  return read + written;
}

/**
 * Checks that each call reads the whole input of the call before it and writes all new input. No token is paid twice,
 * and no token is billed as fresh.
 */
export function expectOnlyGrowth(calls: readonly Billed[], firstRead = 0): void {
  const seen = calls.map(({ read, written, fresh }) => ({ read, written, fresh }));
  const ideal = calls.map(({ input }, index) => {
    const read = calls[index - 1]?.input ?? firstRead;
    return { read, written: input - read, fresh: 0 };
  });
  expect(seen).toEqual(ideal);
  expect(calls.length).toBeGreaterThan(1);
}

/** Returns the front of a body (tools and system text) as text without markers. */
export function frontOf(body: string): string {
  const { tools, system } = parsed(body);
  return JSON.stringify([tools, system]);
}

/** Returns the blocks of a body's messages in order, each as JSON with its role and without markers. */
export function historyOf(body: string): readonly string[] {
  const { messages = [] } = parsed(body);
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [content] : content).map((block) => JSON.stringify([role, block])),
  );
}

/**
 * Checks that all bodies have the same front, and that each history begins with the previous history, byte for byte.
 */
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
/** Finds an encoder by its revision, among the encoders that a stage uses. */
export const encoders: Encoders = (revision) => REVISIONS.find((encoder) => encoder.revision === revision);

/** Reads all records of a session. */
export function recordsOf(stage: Stage, id: string): Promise<readonly Recorded[]> {
  return Array.fromAsync(stage.log().read(sessionId(id)));
}

/** Returns the causes of a session's epochs, in order. */
export async function epochsOf(stage: Stage, id: string): Promise<readonly string[]> {
  return (await recordsOf(stage, id)).flatMap((one) => (one.kind === 'epoch.opened' ? [one.data.cause] : []));
}

/** Returns the step and the cause of each miss that `explainSession` reports for a session. */
export async function missesOf(stage: Stage, id: string): Promise<readonly (readonly [step: number, cause: string])[]> {
  const { explained } = await explainSession(stage.log(), sessionId(id), encoders);
  return explained.flatMap(({ step, miss }) => (miss === undefined ? [] : [[step, miss.cause] as const]));
}

/** Checks that all bodies can be rebuilt from the log, and that every break of the prefix has an epoch with a cause. */
export async function expectSound(stage: Stage, id: string): Promise<void> {
  const { differences, breaks } = await verifySession(stage.log(), sessionId(id), { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
}
