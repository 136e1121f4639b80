// Runs a command whose clients reach a simulator: its environment contains the addresses, and placeholder keys.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

import { CliError } from '../frame/failure.ts';
import type { CommandEnvironment } from '../frame/home.ts';
import { addressesOf } from './simulator-addresses.ts';

/** A command to run against a simulator. */
export interface SimulatedCommand {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: CommandEnvironment;
  /** URL of the simulator. */
  readonly url: string;
  /** True if the command must not write to stdout, which then contains JSON. Its output goes to stderr. */
  readonly toStderr: boolean;
  /** Passes an interruption on to the command, which then ends by itself. */
  readonly signal: AbortSignal;
}

/** Key that the command gets instead of a real one. The simulator accepts any key. */
const NO_KEY = 'simulated-key';

/** Signals that end the command instead of the simulator, which then reports. */
const FORWARDED = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command and resolves with its exit code, or with 128 plus the number of the signal that ended it.
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
    // A terminal has sent Ctrl-C to the command already.
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
    TIDEMARK_SIMULATOR_URL: url,
  };
}
