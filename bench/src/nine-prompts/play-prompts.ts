// Plays a coding session through an agent with the options of the command, against the simulator in this process, on
// virtual time. The files are real and in a temporary workspace. The tools are real except `bash`, which returns the
// outputs of the script.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Tool } from '@tidemark/agent';
import { virtualTime } from '@tidemark/agent/contract';
import type { VirtualTime } from '@tidemark/agent/contract';
import type { Agent, AgentOptions, AgentSession } from '@tidemark/kit';
import { createAgent, createPlanTool } from '@tidemark/kit';
import type { Log, SessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { LedgerCall, PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { createBashTool, createConfinement } from '@tidemark/tools-workspace';

import { simulatedProvider } from '../simulated-provider.ts';
import { watchedLog } from '../watched-log.ts';
import type { CodingPrompt, CodingSession } from './coding-prompts.ts';

/** A session that was played to its end. */
export interface PlayedSession {
  readonly log: Log;
  readonly id: SessionId;
  /** Calls that arrived at the simulator, grouped by turn. */
  readonly calls: readonly (readonly LedgerCall[])[];
  /** All calls in the simulator's ledger. */
  readonly ledger: readonly LedgerCall[];
}

/** Agent options that can differ from those of the command. */
export type PlayOptions = Partial<Pick<AgentOptions, 'cache' | 'compaction'>>;

interface Stage {
  readonly simulator: Simulator;
  readonly time: VirtualTime;
  readonly session: CodingSession;
  prompt: CodingPrompt | undefined;
  /** Number of the prompt's steps that were answered. */
  step: number;
  /** Stream of the last prepared request. */
  stream: string;
}

/** Milliseconds that a call of a file tool takes, and that a command takes. */
const FILE_MS = 500;
const COMMAND_MS = 20_000;

/** Built-in workspace tools without `bash`, in their usual order. */
const BUILT_IN = 'read write edit ls grep find output_read history_read history_search'.split(' ');

/**
 * Plays a session.
 * @throws Error if a request is refused, a turn does not complete, or a call other than `bash` fails.
 */
export function playPrompts(
  session: CodingSession,
  capabilities: Capabilities,
  options: PlayOptions = {},
): Promise<PlayedSession> {
  return withNumberedHome(async (home) => {
    const workspace = join(home, 'shop');
    for (const [path, text] of session.files) await writeInto(workspace, path, text);
    const stage = newStage(session, capabilities);
    const log = watchedLog(createMemoryStore(), { appending: (events) => watchStream(stage, events) });
    const { agent, close } = await agentOn(stage, { log, workspace, home, capabilities, options });
    try {
      const live = await agent.open();
      const ends: number[] = [];
      for (const prompt of session.prompts) ends.push(await playPrompt(stage, live, prompt));
      const ledger = [...stage.simulator.calls];
      const calls = ends.map((end, turn) => ledger.slice(ends[turn - 1] ?? 0, end));
      return { log, id: live.id, calls, ledger };
    } finally {
      await agent.close();
      await close();
    }
  });
}

/**
 * Passes a new folder to `use`, and removes the folder afterwards. Its path has a fixed length and no random letters.
 * The log contains paths, so random letters would change the cost from run to run.
 */
async function withNumberedHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = join(tmpdir(), `tidemark-nine-prompts-${String(process.pid).padStart(10, '0')}`);
  await mkdir(home);
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function writeInto(workspace: string, path: string, text: string): Promise<void> {
  const file = join(workspace, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function newStage(session: CodingSession, capabilities: Capabilities): Stage {
  const time = virtualTime();
  const stage: Stage = {
    time,
    simulator: createSimulator({
      idSeed: 'bench',
      clock: () => time.now,
      capabilities: () => capabilities,
      onRequest: (sent) => ({ answer: answerTo(stage, sent) }),
    }),
    session,
    prompt: undefined,
    step: 0,
    stream: 'main',
  };
  return stage;
}

function watchStream(
  stage: Stage,
  events: Parameters<NonNullable<Parameters<typeof watchedLog>[1]['appending']>>[0],
): [] {
  const request = events.find((event) => event.kind === 'request.prepared');
  stage.stream = request?.data.stream ?? stage.stream;
  return [];
}

interface AgentParts {
  readonly log: Log;
  readonly workspace: string;
  readonly home: string;
  readonly capabilities: Capabilities;
  readonly options: PlayOptions;
}

async function agentOn(
  stage: Stage,
  { log, workspace, home, capabilities, options }: AgentParts,
): Promise<{ readonly agent: Agent; close(): Promise<void> }> {
  const { simulator, time } = stage;
  const { provider, close } = await simulatedProvider(capabilities, { simulator, time });
  const agent = createAgent({
    model: capabilities.model,
    provider,
    store: log,
    workspace: { folder: workspace, tools: BUILT_IN },
    tools: [scriptedBash(stage, workspace, home), createPlanTool()],
    subagents: {},
    host: { client: 'cli', environment: { HOME: home }, clock: time.surroundings },
    permissions: { mode: 'auto' },
    ...options,
  });
  return { agent, close };
}

/** Creates a tool with the real definition of `bash` and the outputs of the script. */
function scriptedBash(stage: Stage, folder: string, home: string): Tool {
  const environment = { HOME: home };
  const real = createBashTool(createConfinement({ folder, forbidden: [], home, environment }), { environment });
  return {
    ...real,
    read: (input) => {
      const call = callsNow(stage).find(
        ({ arguments: given }) => isCommand(input) && given['command'] === input.command,
      );
      if (call === undefined) return { problem: 'the script has no such command' };
      const { output = '', exit = 0 } = call;
      return {
        title: 'bash',
        sandboxed: true,
        async run() {
          stage.time.pass(COMMAND_MS);
          const end = exit === 0 ? (output === '' ? '[no output]' : '') : `[exit ${exit}]`;
          return { text: `${output}${end}`, exit, ...(exit !== 0 && { failed: true }) };
        },
      };
    },
  };
}

function isCommand(input: unknown): input is { readonly command: unknown } {
  return typeof input === 'object' && input !== null && 'command' in input;
}

function callsNow({ prompt, step }: Stage): CodingPrompt['steps'][number]['calls'] {
  return prompt?.steps[step - 1]?.calls ?? [];
}

/** Plays one prompt. Returns the number of calls that had arrived at the simulator by the end of the turn. */
async function playPrompt(stage: Stage, live: AgentSession, prompt: CodingPrompt): Promise<number> {
  stage.time.pass(prompt.pause);
  stage.prompt = prompt;
  stage.step = 0;
  const { outcome, error } = await live.prompt(prompt.words);
  if (outcome !== 'completed') throw new Error(`a turn ended as ${outcome}: ${error?.message ?? 'no error'}`);
  if (stage.step <= prompt.steps.length)
    throw new Error(`a turn ended after ${stage.step} of ${prompt.steps.length} steps`);
  return stage.simulator.calls.length;
}

/**
 * Returns the next step of the script for a request on the main stream, or a checkpoint for a request on any other
 * stream.
 */
function answerTo(stage: Stage, { toolResults }: ReceivedRequest): PlannedAnswer {
  const { prompt, step, stream, time } = stage;
  if (stream !== 'main') return { text: JSON.stringify(checkpointOf(stage)) };
  const broken = toolResults.find(({ error, name }) => error && name !== 'bash');
  if (broken !== undefined) throw new Error(`the script's call of ${broken.name} failed: ${broken.text}`);
  stage.step = step + 1;
  const next = prompt?.steps[step];
  if (next === undefined) return { text: prompt?.closing ?? '' };
  time.pass(FILE_MS * next.calls.length);
  return { text: next.text, calls: next.calls.map(({ name, arguments: given }) => ({ name, arguments: given })) };
}

/**
 * Returns the model's fields of a checkpoint, with a line or two for each prompt so far. The length is like that of a
 * real model's answer.
 */
function checkpointOf({ session, prompt }: Stage): object {
  const given = session.prompts.slice(0, session.prompts.findIndex((one) => one === prompt) + 1);
  return {
    objective: prompt?.words,
    decisions: given.map(({ words, closing }) => ({ what: words, why: closing, status: 'settled' })),
    work: given.slice(0, -1).map(({ words }) => ({ what: `Done, with tests that pass: ${words}` })),
    tasks: given.slice(-1).map(({ words }) => ({ task: words, status: 'active' })),
    questions: [],
    risks: ['The areas share helpers: a change of one may break the tests of another.'],
    limitations: [],
  };
}
