// Runs a command whose clients call a simulator. The environment of the command contains the addresses and placeholder
// keys.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

import { CliError } from '../frame/failure.ts';
import type { CommandEnvironment } from '../frame/home.ts';
import { addressesOf, SIMULATOR_VARIABLE } from './simulator-addresses.ts';

/** A command to run against a simulator. */
export interface SimulatedCommand {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: CommandEnvironment;
  /** URL of the simulator. */
  readonly url: string;
  /** True if stdout contains JSON. The command must then not write to stdout, so its output goes to stderr. */
  readonly toStderr: boolean;
  /** When it aborts, the interruption is passed on to the command. The command then ends by itself. */
  readonly signal: AbortSignal;
}

/** Key that the command gets instead of a real key. The simulator accepts any key. */
const NO_KEY = 'simulated-key';

/**
 * Signals that are passed on to the command and do not end the simulator. After the command has ended, the simulator
 * reports.
 */
const FORWARDED = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command. Resolves with its exit code. If a signal ended the command, resolves with 128 plus the number of the
 * signal.
 *
 * @throws CliError `cli/not-found` when the command cannot be started.
 */
export function runSimulated({ words, folder, environment, url, toStderr, signal }: SimulatedCommand): Promise<number> {
  const [command = '', ...args] = words;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...environment, ...environmentFor(url) },
    stdio: ['inherit', toStderr ? 2 : 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const interrupt = (): void => {
    // At a terminal, the terminal has already sent Ctrl-C to the command.
    if (!process.stdin.isTTY) child.kill('SIGINT');
  };
  const forward = (received: NodeJS.Signals): void => void child.kill(received);
  signal.addEventListener('abort', interrupt);
  for (const each of FORWARDED) process.on(each, forward);
  return new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(cannotStart(command, error)));
    child.once('close', (code, ending) => resolve(code ?? 128 + (ending === null ? 0 : constants.signals[ending])));
  }).finally(() => {
    signal.removeEventListener('abort', interrupt);
    for (const each of FORWARDED) process.off(each, forward);
  });
}

function cannotStart(command: string, error: Error): CliError {
  const isMissing = 'code' in error && error.code === 'ENOENT';
  const message = isMissing ? `there is no program ${command}` : `${command} cannot be started: ${error.message}`;
  return new CliError('cli/not-found', message, 'check its name and the folders in PATH', error);
}

/** Returns the variables of the command. They replace or remove each variable of the user that can contain a real key. */
function environmentFor(url: string): { readonly [name: string]: string | undefined } {
  const addresses = addressesOf(url).flatMap((one) => (one.variable === undefined ? [] : [[one.variable, one.url]]));
  return {
    ...Object.fromEntries(addresses),
    ANTHROPIC_API_KEY: NO_KEY,
    ANTHROPIC_AUTH_TOKEN: undefined,
    OPENAI_API_KEY: NO_KEY,
    OPENROUTER_API_KEY: NO_KEY,
    [SIMULATOR_VARIABLE]: url,
  };
}
