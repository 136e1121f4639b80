// Runs the demo: an agent repairs a sample project in a separate folder, with real tools and a scripted model. The
// first process of the agent is killed. A second process resumes the turn, and a third process runs the next prompt. At
// the end a summary is printed.

import { cp } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { defaultCatalog, findModel } from '@tidemark/model';
import type { Capabilities } from '@tidemark/model';
import { createSimulator } from '@tidemark/simulator';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { ownFile } from '../frame/own-file.ts';
import { withStyle } from '../frame/shown.ts';
import type { ProcessEnd, Workplace } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { conclude } from './conclude.ts';
import { inOwnFolder } from './own-folder.ts';
import { FATAL_CALL, PROMPT, SCENARIO, SECOND_PROMPT } from './scenario.ts';
import type { DemoView } from './show-work.ts';
import { createDemoView } from './show-work.ts';

const MODEL = 'claude-sonnet-5-5';
const PROJECT = ownFile('demo/project');

/** Runs the demo. With `keep`, the folder remains, and the output shows how to inspect it. */
export async function workOnProject(keep: boolean, context: CommandContext): Promise<CommandOutcome> {
  const capabilities = findModel(defaultCatalog(), MODEL, 'anthropic');
  if (capabilities === undefined)
    throw new CliError('cli/not-found', `the catalog has no ${MODEL}`, 'install tidemark again');
  return inOwnFolder(keep, (folder) => workIn({ folder, keep, capabilities }, context));
}

interface DemoWork {
  readonly folder: string;
  readonly keep: boolean;
  readonly capabilities: Capabilities;
}

async function workIn({ folder, keep, capabilities }: DemoWork, context: CommandContext): Promise<CommandOutcome> {
  let arrived = 0;
  let strike = (): void => undefined;
  const simulator = createSimulator({
    scenario: SCENARIO,
    onRequest: () => {
      if (arrived++ === FATAL_CALL) strike();
      return undefined;
    },
  });
  const listening = await simulator.listen();
  try {
    const place = placeIn(folder, listening.url, context);
    await cp(PROJECT, place.project, { recursive: true });
    introduce(place, context);
    const view = createDemoView(context.output, simulator.calls, capabilities);
    view.asked(PROMPT);
    await runUntilKilled(place, view, (kill) => (strike = kill));
    const [cut] = simulator.calls.slice(-1);
    if (cut !== undefined) view.killed(cut);
    await runToEnd(['resume'], place, view);
    view.asked(SECOND_PROMPT);
    await runToEnd(['run', '--continue', SECOND_PROMPT], place, view);
    return await conclude({ home: place.home, calls: simulator.calls, capabilities, keep }, context);
  } finally {
    await listening.close();
  }
}

function placeIn(folder: string, url: string, { environment, signal }: CommandContext): Workplace {
  return {
    project: join(folder, 'shop'),
    home: join(folder, 'home'),
    url,
    signal,
    environment: {
      // The Node executable that runs this command also runs the project's tests, even if another version is installed.
      PATH: [dirname(process.execPath), environment['PATH'] ?? ''].join(delimiter),
      // The demo starts the same program three times. Because of this cache, the second and third process do not
      // compile it again.
      NODE_COMPILE_CACHE: environment['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    },
  };
}

function introduce({ url }: Workplace, { output }: CommandContext): void {
  output.line([
    withStyle('bold', 'An agent fixes a small shop project'),
    ' in a temporary folder. Its tools are real. A\nscript replaces the model. Requests go through the official SDK to a simulator\n',
    `of the provider at ${url}. The project has its own skill, which\n--trust allows. Next to each answer: input tokens that were read from the cache,\nwritten to it, or fresh, and the cost of the call.`,
  ]);
}

/**
 * Starts the agent and waits until its process is killed. Calls `arm` with a function that kills the process. If the
 * process ends in any other way, this function fails.
 */
async function runUntilKilled(place: Workplace, view: DemoView, arm: (kill: () => void) => void): Promise<void> {
  const agent = startAgent(['run', '--model', MODEL, PROMPT], place, view.show);
  arm(() => agent.kill());
  const ended = await agent.ended;
  if (ended.signal !== 'SIGKILL') throw unexpectedEnd(ended);
}

/**
 * Runs another process on the session until its turn ends. If the exit code of the process is not 0, this function
 * fails.
 */
async function runToEnd(args: readonly string[], place: Workplace, view: DemoView): Promise<void> {
  const ended = await startAgent(args, place, view.show).ended;
  if (ended.exit !== 0) throw unexpectedEnd(ended);
}

function unexpectedEnd({ exit, signal, complaints }: ProcessEnd): CliError {
  const how = exit === null ? `was ended by the signal ${signal}` : `ended with exit code ${exit}`;
  return new CliError(
    'cli/refused',
    `the agent of the demo ${how}: ${complaints}`,
    'run the demo again; if it fails again, please report it',
  );
}
