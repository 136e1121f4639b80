// `bash` tool: runs a command in the workspace. Returns its exit code, and its output in the order in which it was
// written. If the command leaves processes running, the tool ends them.

import { defined } from '@tidemark/core';
import type { CallEffects, Tool, ToolContext, ToolOutput, ToolProblem, ToolRun } from '@tidemark/agent';
import { z } from 'zod';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import type { CommandReach } from '../sandbox/sandbox.ts';
import { readCommands } from '../shell/read-commands.ts';
import type { BackgroundStarter } from './background-starter.ts';
import { exitOf, sayEnd } from './describe-end.ts';
import { watchForHints } from './failure-hints.ts';
import type { Patience } from './run-command.ts';
import { runCommand } from './run-command.ts';
import type { Shell, ShellOptions } from './shell.ts';
import { openShell } from './shell.ts';

/** Options of `createBashTool`. */
export interface BashOptions extends ShellOptions {
  /**
   * Waiting times in milliseconds. The time from SIGTERM to SIGKILL has the default 2,000. The time to wait for output
   * after the shell has ended has the default 1,000.
   */
  readonly patience?: Partial<Omit<Patience, 'timeoutMs'>>;
  /** Starts background processes. Without it, the tool has no argument `background`. */
  readonly background?: BackgroundStarter;
}

const DEFAULT_SECONDS = 120;

const MAX_SECONDS = 600;

const MAX_PORTS = 8;

/** Maximum size of a command in bytes. Linux refuses a single argument of 128 KiB. */
const MAX_BYTES = 100 * 1024;

const TITLE_LENGTH = 2_000;

const FOREGROUND = {
  command: z.string().min(1).describe('Command for bash -c, without a terminal or input'),
  timeout_s: z.number().positive().max(MAX_SECONDS).optional().describe('Time limit in seconds. Default: 120'),
  network: z.boolean().optional().describe('Request the network, which the sandbox blocks. The user is asked'),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(MAX_PORTS)
    .optional()
    .describe('Ports of 127.0.0.1 that the user can open while this runs. The user is asked'),
};

const BASH = z.strictObject({
  ...FOREGROUND,
  background: z.boolean().optional().describe('Keep it running and return its id for the process tool'),
});

type BashInput = z.infer<typeof BASH>;

const bashArguments = argumentsOf(BASH);

const foregroundArguments = argumentsOf(z.strictObject(FOREGROUND));

const RUNS =
  'Runs a shell command in the workspace. Returns its exit code and its output (stdout and stderr together, at most the last 2000 lines or 50 KiB). Each call starts a new shell: changes of folder and variables do not persist. Processes still running at the end are killed, so start';

const LOOKS = 'To look at files, use read, grep, find and ls.';

const DESCRIPTION = `${RUNS} servers and watchers with background: true. They run until the session is closed, and other commands reach their ports. ${LOOKS}`;

const FOREGROUND_DESCRIPTION = `${RUNS}, use and stop a server in one command. ${LOOKS}`;

/**
 * Digests of earlier definitions. A session keeps such a definition until its next epoch. The last one is the definition
 * without background processes.
 */
const EARLIER = [
  'b19015eca12b74b458f9d69ab590db4b807b095ded3ed7bafa0c64245fe4ada3',
  '86db7108521da8ea0f3c3209a3eb38ee357436f792e4932576abd3fd1be216c1',
];

/**
 * Creates the `bash` tool. Commands start in the folder of the workspace. Without the sandbox, commands are not
 * restricted to this folder.
 *
 * @throws WorkspaceError `workspace/secret-variable` when `options.variables` contains the name of a secret.
 */
export function createBashTool(confinement: Confinement, options: BashOptions = {}): Tool {
  const { background } = options;
  const shell = background?.shell ?? openShell(confinement.folder, options);
  const known = background === undefined ? foregroundArguments : bashArguments;
  return {
    name: 'bash',
    description: background === undefined ? FOREGROUND_DESCRIPTION : DESCRIPTION,
    schema: known.schema,
    earlier: background === undefined ? EARLIER.slice(0, 1) : EARLIER,
    effect: 'execute',
    alone: true,
    truncate: 'start',
    terminal: true,
    touches: ['structure', 'content'],
    effectKinds: ['commands'],
    read(input): ToolRun | ToolProblem {
      const asked: BashInput | ToolProblem = known.read(input);
      if (isProblem(asked)) return asked;
      const problem = unusable(asked);
      return problem === undefined ? runOf(shell, asked, options) : { problem };
    },
  };
}

function runOf(shell: Shell, asked: BashInput, options: BashOptions): ToolRun {
  const { command } = asked;
  const reach = reachOf(shell, asked);
  const beyond = beyondOf(shell, reach);
  const patience = { termMs: 2_000, drainMs: 1_000, ...options.patience, timeoutMs: timeoutOf(asked) };
  return {
    title: titleOf(asked, shell.network === 'on' ? ['the network'] : beyond),
    sandboxed: shell.sandboxed,
    // A command in a sandbox cannot change anything outside the sandbox.
    confined: shell.sandboxed,
    beyond,
    // This is a getter, because the command is parsed only if there are permission rules.
    get effects(): CallEffects {
      const commands = { ...readCommands(command), script: previewText(shell, asked) };
      return { commands, ...(beyond.length > 0 && { beyond }) };
    },
    preview: async () => ({ kind: 'command', text: previewText(shell, asked) }),
    run: (context) =>
      asked.background === true && options.background !== undefined
        ? options.background.start({ command, reach }, context)
        : runBash(shell, { command, patience, reach }, context),
  };
}

function timeoutOf({ timeout_s: seconds = DEFAULT_SECONDS }: BashInput): number {
  return seconds * 1_000;
}

/**
 * Returns the network access of a call. Access to the whole network includes all ports. Only the sandbox applies the
 * result. Without a sandbox, a command always has the network of this machine.
 */
function reachOf(shell: Shell, { network = false, ports = [] }: BashInput): Omit<CommandReach, 'session'> {
  const all = shell.network === 'on' || network;
  return { network: all, ports: all ? [] : [...new Set(ports)] };
}

function beyondOf(shell: Shell, { network, ports }: Omit<CommandReach, 'session'>): readonly string[] {
  if (!shell.sandboxed || shell.network === 'on') return [];
  return network ? ['the network'] : ports.map((port) => `port ${port} on this machine`);
}

/** Pattern of the lines that a preview puts before the command. */
const GRANTED =
  /^(in the background$|with the network$|opens port |may run for |runs:$|input for p|closes the input of p)/;

/**
 * Returns the text that a person approves or refuses. It contains each permission beyond the sandbox on a separate
 * line, the time limit if the call sets one, and the whole command. If the first line of the command looks like one of
 * the lines before it, the line `runs:` separates them. Two different calls therefore never have the same text.
 */
function previewText(shell: Shell, asked: BashInput): string {
  const { command, timeout_s: seconds, background = false } = asked;
  const reach = reachOf(shell, asked);
  const [first = ''] = command.split('\n', 1);
  return [
    ...(background ? ['in the background'] : []),
    ...(reach.network ? ['with the network'] : []),
    ...reach.ports.map((port) => `opens port ${port} on this machine`),
    ...(seconds === undefined ? [] : [`may run for ${seconds} s`]),
    ...(GRANTED.test(first) ? ['runs:'] : []),
    command,
  ].join('\n');
}

interface BashCall {
  readonly command: string;
  readonly patience: Patience;
  readonly reach: Omit<CommandReach, 'session'>;
}

async function runBash(shell: Shell, call: BashCall, context: ToolContext): Promise<ToolOutput> {
  const { command, patience, reach } = call;
  const { signal, session } = context;
  const entered = await shell.enter(command, { ...reach, session }, context);
  const watched = watchForHints({ sandboxed: shell.sandboxed, offline: !reach.network, variables: shell.withheld });
  const write = (chunk: Uint8Array): Promise<void> => {
    watched.see(chunk);
    return context.write(chunk);
  };
  const end = await runCommand(entered.command, { signal, patience, sandboxed: shell.sandboxed, write }).catch(
    async (error: unknown) => {
      await entered.leave();
      throw error;
    },
  );
  const notes = await entered.leave();
  const exit = exitOf(end);
  const failed = exit !== 0 || end.stopped !== undefined;
  const hints = failed ? watched.hints() : [];
  const text = `${sayEnd(end, patience)}${[...hints, ...notes].map((line) => `\n[${line}]`).join('')}`;
  return { ...(text !== '' && { text }), ...defined({ exit }), ...(failed && { failed }) };
}

function unusable({ command, background = false, timeout_s: seconds }: BashInput): string | undefined {
  if (background && seconds !== undefined)
    return 'A background process has no time limit: leave out timeout_s, and stop the process when it is not needed any more.';
  if (command.includes('\0'))
    return 'A command cannot contain a NUL character. Write it as an escape sequence, for example with printf.';
  const bytes = Buffer.byteLength(command);
  if (bytes <= MAX_BYTES) return undefined;
  return `A command of ${bytes} bytes is too long: the maximum is ${MAX_BYTES}. Write it to a file with \`write\`, then run the file.`;
}

function titleOf({ command, background = false }: BashInput, reached: readonly string[]): string {
  const shown = showName(command);
  const more = shown.length - TITLE_LENGTH;
  const cut = more <= 0 ? shown : `${shown.slice(0, TITLE_LENGTH)} … and ${more} characters more`;
  return `bash${background ? ' in the background' : ''}${reached.length === 0 ? '' : ` with ${reached.join(' and ')}`} ${cut}`;
}
