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
import type { Patience, CommandEnd } from './run-command.ts';
import { runCommand } from './run-command.ts';
import type { Shell, ShellOptions } from './shell.ts';
import { openShell } from './shell.ts';
import { constants } from 'node:os';
import { cutBeforeWord } from '../page/cut-line.ts';
import type { Relative } from './family.ts';

/** Options of `createBashTool`. */
export interface BashOptions extends ShellOptions {
  /**
   * Waiting times in milliseconds. The time from SIGTERM to SIGKILL has the default 2,000. The time to wait for output
   * after the shell has ended has the default 1,000.
   */
  readonly patience?: Partial<Omit<Patience, 'timeoutMs'>>;
}

const DEFAULT_SECONDS = 120;

const MAX_SECONDS = 600;

const MAX_PORTS = 8;

/** Maximum size of a command in bytes. Linux refuses a single argument of 128 KiB. */
const MAX_BYTES = 100 * 1024;

const TITLE_LENGTH = 2_000;

const BASH = z.strictObject({
  command: z.string().min(1).describe('Command for bash -c, without a terminal or input'),
  timeout_s: z.number().positive().max(MAX_SECONDS).optional().describe('Time limit in seconds. Default: 120'),
  network: z.boolean().optional().describe('Request the network, which the sandbox blocks. The user is asked'),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(MAX_PORTS)
    .optional()
    .describe('Ports of 127.0.0.1 that the user can open while this runs. The user is asked'),
});

type BashInput = z.infer<typeof BASH>;

const bashArguments = argumentsOf(BASH);

const DESCRIPTION =
  'Runs a shell command in the workspace. Returns its exit code and its output (stdout and stderr together, at most the last 2000 lines or 50 KiB). Each call starts a new shell: changes of folder and variables do not persist. Processes still running at the end are killed, so start, use and stop a server in one command. To look at files, use read, grep, find and ls.';

/**
 * Creates the `bash` tool. Commands start in the folder of the workspace. Without the sandbox, commands are not
 * restricted to this folder.
 *
 * @throws WorkspaceError `workspace/secret-variable` when `options.variables` contains the name of a secret.
 */
export function createBashTool(confinement: Confinement, options: BashOptions = {}): Tool {
  const shell = openShell(confinement.folder, options);
  return {
    name: 'bash',
    description: DESCRIPTION,
    schema: bashArguments.schema,
    earlier: ['b19015eca12b74b458f9d69ab590db4b807b095ded3ed7bafa0c64245fe4ada3'],
    effect: 'execute',
    alone: true,
    truncate: 'start',
    terminal: true,
    touches: ['structure', 'content'],
    effectKinds: ['commands'],
    read(input): ToolRun | ToolProblem {
      const asked = bashArguments.read(input);
      if (isProblem(asked)) return asked;
      const problem = unusable(asked.command);
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
    title: titleOf(command, shell.network === 'on' ? ['the network'] : beyond),
    sandboxed: shell.sandboxed,
    // A command in a sandbox cannot change anything outside the sandbox.
    confined: shell.sandboxed,
    beyond,
    // This is a getter, because the command is parsed only if there are permission rules.
    get effects(): CallEffects {
      return { commands: readCommands(command), ...(beyond.length > 0 && { beyond }) };
    },
    preview: async () => ({ kind: 'command', text: previewText(shell, asked) }),
    run: (context) => runBash(shell, { command, patience, reach }, context),
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
const GRANTED = /^(with the network$|opens port |may run for |runs:$)/;

/**
 * Returns the text that a person approves or refuses. It contains each permission beyond the sandbox on a separate
 * line, the time limit if the call sets one, and the whole command. If the first line of the command looks like one of
 * the lines before it, the line `runs:` separates them. Two different calls therefore never have the same text.
 */
function previewText(shell: Shell, asked: BashInput): string {
  const { command, timeout_s: seconds } = asked;
  const reach = reachOf(shell, asked);
  const [first = ''] = command.split('\n', 1);
  return [
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
  const watched = watchForHints(!reach.network);
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
  const hints = failed && shell.sandboxed ? watched.hints() : [];
  const text = `${sayEnd(end, patience)}${[...hints, ...notes].map((line) => `\n[${line}]`).join('')}`;
  return { ...(text !== '' && { text }), ...defined({ exit }), ...(failed && { failed }) };
}

function unusable(command: string): string | undefined {
  if (command.includes('\0'))
    return 'A command cannot contain a NUL character. Write it as an escape sequence, for example with printf.';
  const bytes = Buffer.byteLength(command);
  if (bytes <= MAX_BYTES) return undefined;
  return `A command of ${bytes} bytes is too long: the maximum is ${MAX_BYTES}. Write it to a file with \`write\`, then run the file.`;
}

function titleOf(command: string, reached: readonly string[]): string {
  const shown = showName(command);
  const more = shown.length - TITLE_LENGTH;
  const cut = more <= 0 ? shown : `${shown.slice(0, TITLE_LENGTH)} … and ${more} characters more`;
  return `bash${reached.length === 0 ? '' : ` with ${reached.join(' and ')}`} ${cut}`;
}

/**
 * Watches the output of one command. If a failure looks like an effect of the sandbox, collects a hint for the model.
 * The program itself reports only that a name is unknown, or that a file cannot be written.
 */
export interface FailureHints {
  see(chunk: Uint8Array): void;
  /**
   * Returns the texts to add to the result, one per hint. If the output does not look like a failure caused by the
   * sandbox, the list is empty.
   */
  hints(): readonly string[];
}

/**
 * Errors for a name that cannot be looked up, or for a host that cannot be reached. Resolvers, curl, git, npm, pip, Go,
 * Java and Rust report them.
 */
const NO_NETWORK =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|getaddrinfo|[Cc]ould not resolve|[Tt]emporary failure (in name resolution|resolving)|[Nn]ame or service not known|[Nn]etwork is unreachable|[Nn]o route to host|[Uu]nable to (resolve|look ?up)|UnknownHostException|dns error|no such host|failed to lookup address/;

const READ_ONLY = /[Rr]ead-only file ?system|EROFS|[Dd]evice or resource busy|EBUSY/;

const KINDS = [
  {
    pattern: NO_NETWORK,
    offline: true,
    hint: 'this sandbox has no network: if the command needs it, call bash again with network: true (the user is asked)',
  },
  {
    pattern: READ_ONLY,
    offline: false,
    hint: 'in this sandbox a command can only write and move files of the workspace, except its repositories (.git), .tidemark, .agents, AGENTS.md, start files, folders of PATH and files that trusted settings start: if this is the cause, ask the user to make the change',
  },
] as const;

/**
 * Number of characters at the end of the previous chunk that are searched again. Therefore an error message in two
 * chunks is found too.
 */
const OVERLAP = 64;

/**
 * Creates a watcher for the output of one command.
 *
 * @param offline True if the command has no network.
 */
function watchForHints(offline: boolean): FailureHints {
  const wanted = KINDS.filter((kind) => offline || !kind.offline);
  const found = new Set<string>();
  const decoder = new TextDecoder();
  let last = '';
  return {
    see(chunk) {
      if (found.size === wanted.length) return;
      const text = last + decoder.decode(chunk, { stream: true });
      for (const { pattern, hint } of wanted) if (pattern.test(text)) found.add(hint);
      last = text.slice(-OVERLAP);
    },
    hints: () => [...found],
  };
}

// The functions below describe the end of a command for the model. The description comes after the output, because the
// model sees the end of a long output.

const MAX_NAMED = 10;

const COMMAND_LENGTH = 120;

const LINE_END = 0x0a;

/**
 * Returns the exit code as a shell reports it. If a signal ended the command, the code is 128 plus the signal number.
 * If the command did not end, returns `undefined`.
 */
function exitOf({ code, signal }: Pick<CommandEnd, 'code' | 'signal'>): number | undefined {
  return code ?? (signal === undefined ? undefined : 128 + constants.signals[signal]);
}

/**
 * Returns the lines that describe the end of a command. If the command wrote output, exited with 0 and left no process
 * running, returns an empty text.
 */
function sayEnd(end: CommandEnd, patience: Patience): string {
  const lines = [...sayOutput(end), ...sayExit(end), ...sayStop(end, patience), ...sayLeft(end)];
  if (lines.length === 0) return '';
  const apart = end.lastByte === undefined || end.lastByte === LINE_END ? '' : '\n';
  return `${apart}${lines.map((line) => `[${line}]`).join('\n')}`;
}

function sayOutput({ lastByte, outputLeft }: CommandEnd): readonly string[] {
  const none = lastByte === undefined ? ['no output'] : [];
  return outputLeft
    ? [...none, 'a process that could not be reached kept the output open, so its later output is not shown']
    : none;
}

function sayExit(end: CommandEnd): readonly string[] {
  if (end.code === undefined && end.signal === undefined) return ['the shell did not end'];
  if (end.signal !== undefined) return [`ended by ${end.signal}, exit ${exitOf(end)}`];
  return end.code === 0 && end.lastByte !== undefined ? [] : [`exit ${end.code}`];
}

function sayStop({ stopped }: CommandEnd, { timeoutMs }: Patience): readonly string[] {
  if (stopped === undefined) return [];
  if (stopped === 'interrupt') return ['interrupted: the command and all processes that it started were ended'];
  return [
    `timed out after ${timeoutMs / 1000} s: the command and all processes that it started were ended. Do less in one command, or set timeout_s`,
  ];
}

function sayLeft({ leftRunning, undying }: CommandEnd): readonly string[] {
  return [
    ...(leftRunning.length === 0 ? [] : [`processes that still ran and were ended: ${nameProcesses(leftRunning)}`]),
    ...(undying.length === 0 ? [] : [`processes that could not be ended: ${nameProcesses(undying)}`]),
  ];
}

function nameProcesses(relatives: readonly Relative[]): string {
  const names = relatives.slice(0, MAX_NAMED).map(({ pid, command }) => `${pid} ${shortCommand(showName(command))}`);
  const more = relatives.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

function shortCommand(command: string): string {
  return cutBeforeWord(command, COMMAND_LENGTH);
}
