// `bash`: a command in the workspace, with what it wrote as it came, its exit, and nothing of it left running.

import type { Tool, ToolContext, ToolOutput, ToolProblem, ToolRun } from '@tidemark/agent';
import { z } from 'zod';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { readCommands } from '../shell/read-commands.ts';
import { bashEnvironment } from './bash-environment.ts';
import { bubblewrapArguments, findBubblewrap, hiddenPaths } from '../sandbox/bubblewrap.ts';
import { keptPaths } from '../sandbox/kept-paths.ts';
import { exitOf, sayEnd } from './say-end.ts';
import type { Patience } from './run-command.ts';
import { runCommand } from './run-command.ts';

/** What the tool is made with. */
export interface BashOptions {
  /** `auto`, unless said: in bubblewrap where it is installed and works. */
  readonly sandbox?: 'auto' | 'never';
  /** Whether a sandboxed command may change `.git`, where hooks and settings run outside of the sandbox later: `read-only`, unless said. */
  readonly repository?: 'read-only' | 'writable';
  /** Names of variables to pass besides the house's own. One that is named like a secret is refused. */
  readonly variables?: readonly string[];
  /** Where variables come from: this process's, unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Paths that no sandboxed command may see: the home of the logs. */
  readonly forbidden?: readonly string[];
  /** How long is waited after SIGTERM (2 s), and for output once the shell has ended (1 s); in milliseconds. */
  readonly patience?: Partial<Omit<Patience, 'timeoutMs'>>;
}

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
/** Linux refuses a single argument of 128 KiB. */
const MOST_BYTES = 100 * 1024;
const TITLE_LENGTH = 2_000;

const bashArguments = argumentsOf(
  z.strictObject({
    command: z.string().min(1).describe('Run by bash -c in the workspace. No terminal and no input.'),
    timeout_s: z.number().positive().max(MOST_SECONDS).optional().describe('Seconds; 120 unless given.'),
  }),
);

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
  const shell = shellOf(confinement.folder, options);
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
      if (problem !== undefined) return { problem };
      const timeoutMs = (asked.timeout_s ?? DEFAULT_SECONDS) * 1000;
      const patience = { termMs: 2_000, drainMs: 1_000, ...options.patience, timeoutMs };
      return {
        title: titleOf(asked.command),
        sandboxed: shell.sandboxed(),
        // A sandbox lets nothing outside be changed.
        confined: shell.sandboxed(),
        // Read only where there are rules to look at it.
        get acts() {
          return { commands: readCommands(asked.command) };
        },
        run: (context) => runBash(shell, asked.command, patience, context),
      };
    },
  };
}

const KEPT =
  '\n[.git is read-only in this sandbox, as are .tidemark, .agents and AGENTS.md: if that is why, ask the user to do it]';

async function runBash(shell: Shell, command: string, patience: Patience, context: ToolContext): Promise<ToolOutput> {
  const { signal } = context;
  const end = await runCommand(shell.command(command), { signal, patience, write: (chunk) => context.write(chunk) });
  const exit = exitOf(end);
  const failed = exit !== 0 || end.stopped !== undefined;
  const text = `${sayEnd(end, patience)}${failed && shell.keepsRepository(command) ? KEPT : ''}`;
  return { ...(text !== '' && { text }), ...(exit !== undefined && { exit }), ...(failed && { failed }) };
}

function unusable(command: string): string | undefined {
  if (command.includes('\0')) return 'A command cannot hold a NUL character. Write it as an escape, as in printf.';
  const bytes = Buffer.byteLength(command);
  if (bytes <= MOST_BYTES) return undefined;
  return `A command of ${bytes} bytes is too long: at most ${MOST_BYTES}. Put it into a file with write, then run that.`;
}

function titleOf(command: string): string {
  const shown = showName(command);
  const more = shown.length - TITLE_LENGTH;
  return more <= 0 ? `bash ${shown}` : `bash ${shown.slice(0, TITLE_LENGTH)} … and ${more} characters more`;
}

interface Shell {
  sandboxed(): boolean;
  /** Whether this command has to do with a repository that it cannot change. */
  keepsRepository(text: string): boolean;
  command(text: string): Parameters<typeof runCommand>[0];
}

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'];

function shellOf(folder: string, options: BashOptions): Shell {
  const from = options.environment ?? process.env;
  const environment = bashEnvironment(from, options.variables);
  const shell = SHELLS.find((path) => existsSync(path)) ?? '/bin/sh';
  const bwrap = options.sandbox === 'never' ? undefined : findBubblewrap(folder);
  const home = from['HOME'] ?? homedir();
  const { repository = 'read-only', forbidden = [] } = options;
  // Asked anew for each command: a file that came meanwhile is kept too.
  const sandbox = (): readonly string[] => {
    if (bwrap === undefined) return [];
    const kept = keptPaths({ workspace: folder, home, repository });
    return [bwrap, ...bubblewrapArguments({ workspace: folder, kept, hidden: hiddenPaths(home, forbidden) })];
  };
  return {
    sandboxed: () => bwrap !== undefined,
    keepsRepository: (text) => bwrap !== undefined && repository === 'read-only' && /\bgit\b/.test(text),
    command: (text) => ({ argv: [...sandbox(), shell, '-c', text], folder, environment }),
  };
}
