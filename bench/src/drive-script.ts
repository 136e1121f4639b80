// Runs a scripted session through an agent against the simulator in this process, on virtual time. Where the script
// stops the process, a new agent and store continue the session.

import type { Encoders, AgentSession, Tool } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import type { Bill } from '@tidemark/context';
import { NO_BILL } from '@tidemark/context';
import type { Agent, AgentOptions } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Capabilities } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { openaiResponsesEncoder, openrouterEncoder } from '@tidemark/provider-openai';
import type { PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';

import { billsOf, stepsOf } from './bill-calls.ts';
import type { Edit } from './edits-of.ts';
import { editsOf } from './edits-of.ts';
import { madeText } from './made-text.ts';
import type { MadeRun } from './made-tools.ts';
import { madeTools, moreTools, readsBack, ROLE, SKILL_LOAD, toolName } from './made-tools.ts';
import { upstreamOf } from './model-row.ts';
import type { Step } from './pause-sequences.ts';
import type { Script, ScriptedStep, Stop } from './scripted-turns.ts';
import { copyWithoutLocks } from './copy-backend.ts';
import type { SimulatedProvider } from './simulated-provider.ts';
import { simulatedProvider } from './simulated-provider.ts';
import type { VirtualTime } from '@tidemark/agent/contract';
import { virtualTime } from '@tidemark/agent/contract';

/** Result of running a script. */
export interface Driven {
  /** Number of calls that arrived at the provider, including those whose answer was lost. */
  readonly calls: number;
  readonly bill: Bill;
  /** Total bill after each call. */
  readonly bills: readonly Bill[];
  /** Edits of the history in order: results that were shortened, and compactions. */
  readonly edits: readonly Edit[];
  /** Calls of the main stream as steps: pause, input tokens and cached tokens. */
  readonly steps: readonly Step[];
  /** Number of times that the process was stopped. */
  readonly stopped: number;
  /** Number of requests that broke the prefix although no epoch opened. */
  readonly unlabelled: number;
  /** Number of requests that `verify` could not rebuild from the log. */
  readonly differences: number;
}

/** Agent options that can be set in addition to the script. */
export type DrivenOptions = Partial<Pick<AgentOptions, 'instructions' | 'cache' | 'compaction'>>;

/** State that survives a stop of the process: the provider, the time, and the progress of the script. */
interface World {
  readonly script: Script;
  readonly capabilities: Capabilities;
  readonly options: DrivenOptions;
  readonly simulator: Simulator;
  readonly time: VirtualTime;
  /** Side calls, by their index in the ledger. */
  readonly sideCalls: Set<number>;
  /** Steps of the turn that are still to be played. */
  steps: readonly ScriptedStep[];
  /** Number of answers that were delivered completely. */
  answers: number;
  results: number;
  stops: readonly Stop[];
  stopping: PromiseWithResolvers<Stop>;
}

interface Process {
  readonly reached: SimulatedProvider;
  readonly shelf: MemoryBackend;
  readonly agent: Agent;
  readonly session: AgentSession;
}

/** Milliseconds that a tool takes, and milliseconds before the user's next prompt. */
const TOOL_MS = 1_000;
const USER_MS = 20_000;
const SKILL_BYTES = 6_000;

const TASK = 'Your task: ';

const encoders: Encoders = (revision) =>
  [anthropicEncoder, openaiResponsesEncoder, openrouterEncoder].find((encoder) => encoder.revision === revision);

/**
 * Runs a script with the capabilities of a model's row.
 * @throws Error if the simulator refuses a request, or if a turn does not complete.
 */
export async function driveScript(script: Script, row: Capabilities, options: DrivenOptions = {}): Promise<Driven> {
  const capabilities = script.collapse === undefined ? row : { ...row, runsCollapse: script.collapse };
  const { stops = [] } = script;
  const world = newWorld(script, capabilities, options);
  let process = await startProcess(world, createMemoryBackend());
  for (const [index, steps] of script.turns.entries()) process = await driveTurn(world, process, index, steps);
  const { agent, session, reached } = process;
  await session.close();
  await reached.close();
  const { differences, breaks } = await verifySession(agent.log, session.id, { encoders });
  const { calls } = world.simulator;
  const bills = billsOf(calls, capabilities, (call) => world.sideCalls.has(call));
  return {
    calls: calls.length,
    bill: bills.at(-1) ?? NO_BILL,
    bills,
    edits: await editsOf(agent.log, session.id),
    steps: stepsOf(
      calls.filter((_, call) => !world.sideCalls.has(call)),
      capabilities,
    ),
    stopped: stops.length - world.stops.length,
    unlabelled: breaks.filter(({ cause }) => cause === undefined).length,
    differences: differences.length,
  };
}

function newWorld(script: Script, capabilities: Capabilities, options: DrivenOptions): World {
  const time = virtualTime();
  const world: World = {
    script,
    capabilities,
    options,
    simulator: createSimulator({
      idSeed: 'bench',
      clock: () => time.now,
      capabilities: () => ({ ...upstreamOf(capabilities), runsCollapse: capabilities.runsCollapse }),
      onRequest: (sent) => ({ answer: answerTo(world, sent) }),
    }),
    time,
    sideCalls: new Set(),
    steps: [],
    answers: 0,
    results: 0,
    stops: script.stops ?? [],
    stopping: Promise.withResolvers(),
  };
  return world;
}

async function startProcess(world: World, shelf: MemoryBackend, id?: string): Promise<Process> {
  const { capabilities, options, simulator, time } = world;
  const { provider, model, runsCollapse } = capabilities;
  const reached = await simulatedProvider(capabilities, { simulator, time, begun: () => answered(world) });
  const agent = createAgent({
    model,
    modelOptions: { catalog: { revision: 1, rows: [{ provider, model, runsCollapse }] } },
    provider: reached.provider,
    store: createMemoryStore(shelf),
    instructions: ROLE,
    tools: toolsAt(world, 0),
    permissions: { mode: 'auto' },
    host: { clock: time.surroundings },
    ...options,
    compaction: {
      // Pruning and compaction are off by default, because the result is compared with the cost of a prefix that only
      // grows. Both would break the prefix with a named cause and save more than the break costs.
      pruning: 'never',
      when: 'manual',
      ...options.compaction,
    },
  });
  return { reached, shelf, agent, session: await agent.open(id) };
}

function toolsAt(world: World, turn: number): readonly Tool[] {
  const { skills, extraTools = [], readsBack: reads } = world.script;
  const more = extraTools.findLast((one) => one.turn <= turn)?.tools ?? 0;
  const run: MadeRun = (...given) => runTool(world, ...given);
  return [
    ...madeTools(run),
    ...moreTools(more, skills !== undefined, run),
    ...(reads === true ? [readsBack(run)] : []),
  ];
}

async function driveTurn(
  world: World,
  process: Process,
  index: number,
  steps: readonly ScriptedStep[],
): Promise<Process> {
  const { script, time } = world;
  world.steps = steps;
  time.pass(script.pauses?.[index] ?? USER_MS);
  if (script.extraTools?.some(({ turn }) => turn === index) === true) process.session.setTools(toolsAt(world, index));
  let now = process;
  let turn = now.session.prompt(madeText(600, index));
  for (;;) {
    const end = await Promise.race([turn, world.stopping.promise]);
    if ('outcome' in end) {
      if (end.outcome === 'completed') {
        await fanOut(world, now.session, index);
        return now;
      }
      throw new Error(`turn ${index} ended as ${end.outcome}: ${end.error?.message ?? 'no error'}`);
    }
    world.stopping = Promise.withResolvers();
    now = await nextProcess(world, now, end);
    turn = now.session.resume();
  }
}

/**
 * Starts the next process on the log of the previous process. If the previous process did not close its session, the
 * new one uses a copy of the previous store, without its lock.
 */
async function nextProcess(world: World, { reached, shelf, session }: Process, { by }: Stop): Promise<Process> {
  if (by === 'close') await session.close();
  else world.time.forget();
  await reached.close();
  world.time.pass(USER_MS);
  return startProcess(world, by === 'close' ? shelf : copyWithoutLocks(shelf), session.id);
}

/** Starts the subagents of a turn at the same time and waits for all of them. The last turn starts none. */
async function fanOut({ script }: World, session: AgentSession, index: number): Promise<void> {
  const count = index + 1 < script.turns.length ? (script.subagents ?? 0) : 0;
  const tasks = Array.from({ length: count }, (_, task) => `${TASK}${madeText(400, 10 * index + task)}`);
  await Promise.all(tasks.map((prompt) => session.side({ purpose: 'task', prompt, history: 'main' })));
}

function answerTo(world: World, { lastUserText }: ReceivedRequest): PlannedAnswer {
  const { simulator, sideCalls, steps, answers, script } = world;
  if (lastUserText.includes(TASK)) {
    sideCalls.add(simulator.calls.length);
    return { text: madeText(200, simulator.calls.length) };
  }
  const [results = []] = steps;
  const loads = script.skills?.includes(answers) === true;
  const calls = results.map((bytes, index) => ({
    name: loads && index === 0 ? SKILL_LOAD : toolName(answers + index),
    arguments: { path: `src/${answers}/${index}.ts`, bytes: loads && index === 0 ? SKILL_BYTES : bytes },
  }));
  return { text: madeText(300, answers), calls };
}

/** Advances the script after an answer. A side call does not advance it. */
async function answered(world: World): Promise<void> {
  if (world.sideCalls.has(world.simulator.calls.length - 1)) return;
  await stopIfDue(world, 'answer');
  world.steps = world.steps.slice(1);
  world.answers += 1;
}

async function runTool(world: World, ...[{ bytes }, effect, { signal }]: Parameters<MadeRun>): Promise<string> {
  await stopIfDue(world, effect, signal);
  world.time.pass(TOOL_MS);
  world.results += 1;
  return madeText(bytes, world.results);
}

/**
 * Stops the process if the script stops it here. A process that is closed aborts its running tools. A process that is
 * killed never continues after this point.
 */
async function stopIfDue(world: World, during: Stop['during'], signal?: AbortSignal): Promise<void> {
  const [stop, ...later] = world.stops;
  if (stop?.during !== during || world.answers < stop.call) return;
  world.stops = later;
  world.stopping.resolve(stop);
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  throw new Error('the process ends');
}
