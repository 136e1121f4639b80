// `bash`: a command in the workspace, with what it wrote as it came, its exit, and nothing of it left running.

import type { Acts, Tool, ToolContext, ToolOutput, ToolProblem, ToolRun } from '@tidemark/agent';
import { z } from 'zod';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import type { CommandReach } from '../sandbox/sandbox.ts';
import { readCommands } from '../shell/read-commands.ts';
import { watchForHints } from './failure-hints.ts';
import type { Patience } from './run-command.ts';
import { runCommand } from './run-command.ts';
import { exitOf, sayEnd } from './say-end.ts';
import type { Shell, ShellOptions } from './shell.ts';
import { openShell } from './shell.ts';

/** What the tool is made with. */
export interface BashOptions extends ShellOptions {
  /** How long is waited after SIGTERM (2 s), and for output once the shell has ended (1 s); in milliseconds. */
  readonly patience?: Partial<Omit<Patience, 'timeoutMs'>>;
}

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
const MOST_PORTS = 8;
/** Linux refuses a single argument of 128 KiB. */
const MOST_BYTES = 100 * 1024;
const TITLE_LENGTH = 2_000;

const BASH = z.strictObject({
  command: z.string().min(1).describe('Run by bash -c in the workspace. No terminal and no input.'),
  timeout_s: z.number().positive().max(MOST_SECONDS).optional().describe('Seconds; 120 unless given.'),
  network: z.boolean().optional().describe('Use the network, which a sandbox does not have. The user is asked.'),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(MOST_PORTS)
    .optional()
    .describe('Ports of 127.0.0.1 that the user may open while this runs. The user is asked.'),
});

type BashInput = z.infer<typeof BASH>;

const bashArguments = argumentsOf(BASH);

const DESCRIPTION = [
  'Runs a shell command in the workspace and returns what it writes, stdout and stderr together, and its exit code.',
  'Each call is a fresh shell: a change of folder or a variable does not last.',
  'What is still running when the command ends is ended, so start, use and stop a server within one command.',
  'Of a long output you see the end. To look at files, rather use read, grep, find and ls.',
].join(' ');

/**
 * Makes the tool. Commands start in the folder of the workspace, and are confined to it by the sandbox alone.
 *
 * @throws WorkspaceError `workspace/secret-variable`.
 */
export function createBashTool(confinement: Confinement, options: BashOptions = {}): Tool {
  const shell = openShell(confinement.folder, options);
  return {
    name: 'bash',
    description: DESCRIPTION,
    schema: bashArguments.schema,
    effect: 'execute',
    alone: true,
    keeps: 'tail',
    touches: ['structure', 'content'],
    tells: ['commands'],
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
    // A sandbox lets nothing outside be changed.
    confined: shell.sandboxed,
    beyond,
    // Read only where there are rules to look at it.
    get acts(): Acts {
      return { commands: readCommands(command), ...(beyond.length > 0 && { beyond }) };
    },
    preview: async () => ({ kind: 'command', text: previewText(shell, asked) }),
    run: (context) => runBash(shell, { command, patience, reach }, context),
  };
}

function timeoutOf({ timeout_s: seconds = DEFAULT_SECONDS }: BashInput): number {
  return seconds * 1_000;
}

/** Without a sandbox a command has the network of this machine, whatever it asks for. */
function reachOf(shell: Shell, { network = false, ports = [] }: BashInput): Omit<CommandReach, 'session'> {
  const all = shell.network === 'on' || network;
  return { network: all, ports: all ? [] : [...new Set(ports)] };
}

function beyondOf(shell: Shell, { network, ports }: Omit<CommandReach, 'session'>): readonly string[] {
  if (!shell.sandboxed || shell.network === 'on') return [];
  return network ? ['the network'] : ports.map((port) => `port ${port} on this machine`);
}

/** Begin of the lines that a preview puts before the command. */
const GRANTED = /^(with the network$|opens port |may run for |runs:$)/;

/**
 * Returns what a person decides about: what the call is given beyond its sandbox, a line each, the time limit where the call
 * names one, and the whole command. A command that begins like such a line comes after a line `runs:`, so that two calls which
 * differ never have the same text.
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
  const end = await runCommand(entered.command, { signal, patience, write }).catch(async (error: unknown) => {
    await entered.leave();
    throw error;
  });
  const notes = await entered.leave();
  const exit = exitOf(end);
  const failed = exit !== 0 || end.stopped !== undefined;
  const hints = failed && shell.sandboxed ? watched.hints() : [];
  const text = `${sayEnd(end, patience)}${[...hints, ...notes].map((line) => `\n[${line}]`).join('')}`;
  return { ...(text !== '' && { text }), ...(exit !== undefined && { exit }), ...(failed && { failed }) };
}

function unusable(command: string): string | undefined {
  if (command.includes('\0')) return 'A command cannot hold a NUL character. Write it as an escape, as in printf.';
  const bytes = Buffer.byteLength(command);
  if (bytes <= MOST_BYTES) return undefined;
  return `A command of ${bytes} bytes is too long: at most ${MOST_BYTES}. Put it into a file with write, then run that.`;
}

function titleOf(command: string, reached: readonly string[]): string {
  const shown = showName(command);
  const more = shown.length - TITLE_LENGTH;
  const cut = more <= 0 ? shown : `${shown.slice(0, TITLE_LENGTH)} … and ${more} characters more`;
  return `bash${reached.length === 0 ? '' : ` with ${reached.join(' and ')}`} ${cut}`;
}
