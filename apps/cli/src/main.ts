// The process around a run: its streams, its signals, its exit code.

import { Socket } from 'node:net';
import { homedir } from 'node:os';

import { systemKeyring } from '@tidemark/settings';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import { EXIT } from './exit-codes.ts';
import { watchInterrupts } from './interruption.ts';
import type { Sink } from './output.ts';
import type { Surroundings } from './run.ts';
import { run } from './run.ts';
import { terminalInput } from './terminal-input.ts';
import { VERSION } from './version.ts';

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
  process.stdout.on('error', endWhenUnread);
  process.stderr.on('error', endWhenUnread);
  const exit = await run(process.argv.slice(2), surroundingsOf(interruption(shim)));
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit(exit);
}

function surroundingsOf(signal: AbortSignal): Surroundings {
  return {
    environment: process.env,
    folder: process.cwd(),
    input: terminalInput(process.stdin, process.stderr),
    userFolder: homedir(),
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
function written(stream: NodeJS.WriteStream): Promise<void> {
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

/** Whoever read our output is gone (`tidemark … | head`): nothing is left to say, and nobody to say it to. */
function endWhenUnread(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.unread);
  throw error;
}
