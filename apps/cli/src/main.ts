// Runs the command line in a process: its streams, its signals and its exit code.

import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { homedir } from 'node:os';

import { tryPromises } from '@tidemark/kit';
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
 * Time that a command has after Ctrl-C to end by itself, in milliseconds. A tool gets five seconds to end its
 * processes. After that, the turn is recorded.
 */
const GRACE_MS = 8000;

/**
 * Runs the command line of this process and then exits. It exits explicitly because a failed command may leave a server
 * or a timer open. `shim` is the file descriptor of the pipe from the shim. It is set only if a shim started this
 * process under an older Node.
 */
export async function main(shim?: number): Promise<void> {
  process.stdout.on('error', endUnwritten);
  process.stderr.on('error', endUnwritten);
  const exit = await run(process.argv.slice(2), processEnvironmentOrEnd(interruption(shim)));
  await Promise.all([flushStream(process.stdout), flushStream(process.stderr)]);
  process.exit(exit);
}

/**
 * Returns the environment of the process. If its folder was deleted or the user has no home folder, ends the process
 * with an error.
 */
function processEnvironmentOrEnd(signal: AbortSignal): ProcessEnvironment {
  try {
    return processEnvironmentOf(signal);
  } catch (error) {
    return endWith(error);
  }
}

function endWith(error: unknown): never {
  const { message, next, exit } = failureOf(error);
  try {
    writeSync(2, `error: ${message}\nnext: ${next}\n`);
  } catch {
    // If stderr cannot be written, only the exit code reports the error.
  }
  process.exit(exit);
}

/**
 * Returns the folder that `read` returns.
 *
 * @throws CliError `cli/not-found` when `read` throws. `read` throws when the folder does not exist.
 */
function folderBy(read: () => string, what: string, next: string): string {
  try {
    return read();
  } catch (error) {
    throw new CliError('cli/not-found', `${what} does not exist`, next, error);
  }
}

function processEnvironmentOf(signal: AbortSignal): ProcessEnvironment {
  return {
    environment: process.env,
    folder: folderBy(process.cwd, 'the current folder', 'change to another folder'),
    input: terminalInput(process.stdin, process.stderr),
    userFolder: folderBy(homedir, "the user's home folder", 'set HOME to a folder'),
    out: { ...sinkOf(process.stdout), columns: widthOf(process.stdout) },
    err: sinkOf(process.stderr),
    signal,
    keyring: systemKeyring(),
    tryPromises,
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

/** Waits until the stream has written all text that it received. On some systems, pipes are not synchronous. */
function flushStream(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/**
 * Returns a signal that aborts at Ctrl-C or when the shim ends. The process exits at the second Ctrl-C. It also exits
 * if the command has not ended after `GRACE_MS`.
 */
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

/**
 * Ends the process when the output cannot be written: the reader of the output closed the pipe (`tidemark … | head`),
 * or the disk is full.
 */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.unread);
  endWith(error);
}

/** Returns the width of a terminal. A terminal that does not report its width has 0 columns. */
function widthOf({ columns = 0 }: { readonly columns?: number }): number {
  return columns > 0 ? columns : 80;
}
