// A scripted session driven through an agent against the simulator in this process, on virtual time. The process ends where
// the script says so, and another one goes on.

import type { Encoders, LiveSession } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import type { Bill } from '@tidemark/context';
import type { Agent } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Capabilities } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { ScriptedAnswer, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Shelf } from '@tidemark/store-memory';
import { createMemoryStore, createShelf } from '@tidemark/store-memory';

import { billCalls } from './bill-calls.ts';
import { madeText } from './made-text.ts';
import type { MadeRun } from './made-tools.ts';
import { madeTools, ROLE, toolName } from './made-tools.ts';
import type { Script, ScriptedStep, Stop } from './scripted-turns.ts';
import { shelfLeftBehind } from './shelf-left-behind.ts';
import { simulatedProvider } from './simulated-provider.ts';
import type { VirtualTime } from './virtual-time.ts';
import { virtualTime } from './virtual-time.ts';

/** What a driven script came to. */
export interface Driven {
  /** As they arrived at the provider, those whose answer was lost included. */
  readonly calls: number;
  readonly bill: Bill;
  /** How often the process ended on the way. */
  readonly stopped: number;
  /** Requests that broke the prefix although no epoch opened. */
  readonly unlabelled: number;
  /** Requests that `verify` could not make again from the log. */
  readonly differences: number;
}

/** What outlives a process: the provider, the time, and how far the script is. */
interface World {
  readonly capabilities: Capabilities;
  readonly simulator: Simulator;
  readonly time: VirtualTime;
  /** Steps of the turn that are still to come. */
  steps: readonly ScriptedStep[];
  /** Answers that were given to their end. */
  answers: number;
  results: number;
  stops: readonly Stop[];
  stopping: PromiseWithResolvers<Stop>;
}

interface Process {
  readonly shelf: Shelf;
  readonly agent: Agent;
  readonly session: LiveSession;
}

/** Milliseconds that a tool takes, and a user. */
const TOOL_MS = 1_000;
const USER_MS = 20_000;

const encoders: Encoders = (revision) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined);

/** Drives a script with a model's row. @throws Error when the simulator refuses a request, or a turn is not completed. */
export async function driveScript(script: Script, row: Capabilities): Promise<Driven> {
  const capabilities = script.collapse === undefined ? row : { ...row, runsCollapse: script.collapse };
  const { stops = [] } = script;
  const world = newWorld(capabilities, stops);
  let process = await startProcess(world, createShelf());
  for (const [index, steps] of script.turns.entries()) process = await driveTurn(world, process, index, steps);
  const { agent, session } = process;
  await session.close();
  const { differences, breaks } = await verifySession(agent.log, session.id, { encoders });
  const { calls } = world.simulator;
  return {
    calls: calls.length,
    bill: billCalls(calls, capabilities),
    stopped: stops.length - world.stops.length,
    unlabelled: breaks.filter(({ cause }) => cause === undefined).length,
    differences: differences.length,
  };
}

function newWorld(capabilities: Capabilities, stops: readonly Stop[]): World {
  return {
    capabilities,
    simulator: createSimulator({ clock: 'virtual', capabilities: () => capabilities, firstByteMs: 1 }),
    time: virtualTime(),
    steps: [],
    answers: 0,
    results: 0,
    stops,
    stopping: Promise.withResolvers(),
  };
}

async function startProcess(world: World, shelf: Shelf, id?: string): Promise<Process> {
  const { capabilities, simulator, time } = world;
  const { provider, model, runsCollapse } = capabilities;
  const answering = { answer: () => nextAnswer(world), begun: () => answered(world) };
  const agent = createAgent({
    model,
    catalog: { revision: 1, rows: [{ provider, model, runsCollapse }] },
    provider: simulatedProvider({ simulator, time, ...answering }),
    store: createMemoryStore(shelf),
    role: ROLE,
    tools: madeTools((...given) => runTool(world, ...given)),
    permissions: { mode: 'auto' },
    surroundings: time.surroundings,
  });
  return { shelf, agent, session: await agent.open(id) };
}

async function driveTurn(
  world: World,
  process: Process,
  index: number,
  steps: readonly ScriptedStep[],
): Promise<Process> {
  world.steps = steps;
  world.time.pass(USER_MS);
  let now = process;
  let turn = now.session.prompt(madeText(600, index));
  for (;;) {
    const end = await Promise.race([turn, world.stopping.promise]);
    if ('outcome' in end) {
      if (end.outcome === 'completed') return now;
      throw new Error(`turn ${index} ended as ${end.outcome}: ${end.error?.message ?? 'no error'}`);
    }
    world.stopping = Promise.withResolvers();
    now = await nextProcess(world, now, end);
    turn = now.session.resume();
  }
}

/** All that a process holds is gone but the log. */
async function nextProcess(world: World, { shelf, session }: Process, { by }: Stop): Promise<Process> {
  if (by === 'close') await session.close();
  else world.time.forget();
  world.time.pass(USER_MS);
  return startProcess(world, by === 'close' ? shelf : shelfLeftBehind(shelf), session.id);
}

function nextAnswer({ steps, answers }: World): ScriptedAnswer {
  const [results = []] = steps;
  const calls = results.map((bytes, index) => ({
    name: toolName(answers + index),
    arguments: { path: `src/${answers}/${index}.ts`, bytes },
  }));
  return { text: madeText(300, answers), calls };
}

async function answered(world: World): Promise<void> {
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

/** Where a process ends in order, its tools are told so; where it is lost, nothing goes on here. */
async function stopIfDue(world: World, during: Stop['during'], signal?: AbortSignal): Promise<void> {
  const [stop, ...later] = world.stops;
  if (stop?.during !== during || world.answers < stop.call) return;
  world.stops = later;
  world.stopping.resolve(stop);
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  throw new Error('the process ends');
}
