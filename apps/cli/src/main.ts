// The process around a run: its streams, its signals, its exit code.

import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { homedir } from 'node:os';

import { systemKeyring } from '@tidemark/settings';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import { EXIT } from './frame/exit-codes.ts';
import { CliError, failureOf } from './frame/failure.ts';
import { watchInterrupts } from './frame/interruption.ts';
import type { Sink } from './frame/output.ts';
import type { ProcessEnvironment } from './run.ts';
import { run } from './run.ts';
import { terminalInput } from './present/terminal-input.ts';
import { VERSION } from './frame/version.ts';

/**
 * How long a command has to end by itself after Ctrl-C, in milliseconds: a tool gets five seconds to end what it
 * runs, and the turn is recorded behind it.
 */
const GRACE_MS = 8000;

/**
 * Runs the command line of this process and ends it: a command that fails may leave a server or a timer behind. `shim` is the
 * file descriptor of the pipe from the process that started this one under an older Node, where one did.
 */
export async function main(shim?: number): Promise<void> {
  process.stdout.on('error', endUnwritten);
  process.stderr.on('error', endUnwritten);
  const exit = await run(process.argv.slice(2), processEnvironmentOrEnd(interruption(shim)));
  await Promise.all([flushStream(process.stdout), flushStream(process.stderr)]);
  process.exit(exit);
}

/** The folder that a process works in may be deleted, and a user may have no folder. */
function processEnvironmentOrEnd(signal: AbortSignal): ProcessEnvironment {
  try {
    return processEnvironmentOf(signal);
  } catch (error) {
    return endWith(error);
  }
}

/** Ends the process with the words and the exit code of an error. */
function endWith(error: unknown): never {
  const { message, next, exit } = failureOf(error);
  try {
    writeSync(2, `error: ${message}\nnext: ${next}\n`);
  } catch {
    // It cannot be said: the exit code says it.
  }
  process.exit(exit);
}

/** @throws CliError `cli/not-found` where the system has no such folder. */
function folderBy(read: () => string, what: string, next: string): string {
  try {
    return read();
  } catch (error) {
    throw new CliError('cli/not-found', `${what} is not there`, next, error);
  }
}

function processEnvironmentOf(signal: AbortSignal): ProcessEnvironment {
  return {
    environment: process.env,
    folder: folderBy(process.cwd, 'the folder that this command works in', 'change to another folder'),
    input: terminalInput(process.stdin, process.stderr),
    userFolder: folderBy(homedir, 'the folder of this user', 'set HOME to a folder'),
    out: { ...sinkOf(process.stdout), columns: process.stdout.columns ?? 80 },
    err: sinkOf(process.stderr),
    signal,
    keyring: systemKeyring(),
    version: VERSION,
    openStore: async (home) => openNdjsonStore({ home }),
  };
}

function sinkOf(stream: NodeJS.WriteStream): Sink {
  const terminal = stream.isTTY;
  return {
    write: (text) => void stream.write(text),
    terminal,
    colour: terminal && stream.hasColors() && (process.env['NO_COLOR'] ?? '') === '',
  };
}

/** When everything said so far has left the process; pipes are not synchronous everywhere. */
function flushStream(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** Ctrl-C asks the command to end, and so does the end of the shim; it is ended when it does not, or at the second Ctrl-C. */
function interruption(shim: number | undefined): AbortSignal {
  const controller = new AbortController();
  const end = (): void => process.exit(EXIT.interrupted);
  const pipe = shim === undefined ? undefined : new Socket({ fd: shim, readable: true, writable: false });
  pipe?.unref();
  watchInterrupts({
    signals: process,
    shim: pipe,
    interrupt: () => {
      controller.abort();
      setTimeout(end, GRACE_MS).unref();
    },
    end,
  });
  return controller.signal;
}

/** The reader of the output is gone (`tidemark … | head`), or the disk that it goes to is full. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.unread);
  endWith(error);
}
