// A command's own group of processes, and a guard in it. The guard reads a socket whose other end this process holds, and
// kills its group when that end closes: also when this process is killed and can do nothing any more (Node cannot reach
// PR_SET_PDEATHSIG). Being of the group it never kills a stranger who got the number.

import type { ChildProcess } from 'node:child_process';
import { spawn, execFile } from 'node:child_process';
import type { Readable } from 'node:stream';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemProgram } from '../sandbox/bubblewrap.ts';

/** The name that the guard bears in a list of processes; the command, which replaces the shell it was forked from, does not. */
export const GUARD_NAME = 'tidemark-guard';

// The guard keeps none of the command's files open, or its output would never end.
const GUARD = [
  "(trap '' HUP INT QUIT TERM; read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 &",
  'exec "$@" 3<&-',
].join('\n');

/** A command under guard. */
export interface Guarded {
  readonly pid: number;
  /** What it writes, to both outputs. */
  readonly output: Readable;
  /** How it ended. */
  readonly exited: Promise<Exit>;
  /** Kills what is left of the group, the guard included. */
  release(): void;
}

/** What a process ended with: one of the two. */
export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** What to run, where and with what. */
export interface GuardedCommand {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts a command in a session and group of its own. One pipe takes both outputs, so that they arrive in the order they
 * were written.
 *
 * @throws what the system says when it cannot be started.
 */
export async function startGuarded(command: GuardedCommand): Promise<Guarded> {
  const pipe = await openPipe();
  try {
    return await start(command, pipe);
  } catch (error) {
    pipe.reader.destroy();
    throw error;
  }
}

async function start({ argv, folder, environment }: GuardedCommand, pipe: Pipe): Promise<Guarded> {
  const child = spawnInto(pipe, { argv, folder, environment });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const { pid, stdio } = child;
  if (pid === undefined) throw new Error('the command started without a number');
  const leash = stdio[3];
  // The guard dies with its group, and its end of the socket with it.
  leash?.on('error', () => undefined);
  return { pid, output: pipe.reader, exited, release: () => leash?.destroy() };
}

function spawnInto({ writer, closeWriter }: Pipe, { argv, folder, environment }: GuardedCommand): ChildProcess {
  try {
    return spawn('/bin/sh', ['-c', GUARD, GUARD_NAME, ...argv], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', writer, writer, 'pipe'],
    });
  } finally {
    closeWriter();
  }
}

/**
 * Both ends of a real pipe. Node makes a pair of sockets for a child's output, and a socket cannot be opened by name: in it
 * `echo … > /dev/stderr` and `tee /dev/stdout` fail.
 */
export interface Pipe {
  readonly reader: Readable;
  /** A file descriptor to give to a child. Ours is to be closed then, or the reader never ends. */
  readonly writer: number;
  closeWriter(): void;
}

/** Never along `PATH`: an entry of it may be a folder that a command writes, and this runs outside of the sandbox. */
const MKFIFO = systemProgram('mkfifo') ?? '/usr/bin/mkfifo';

/** Makes a pipe that has no name any more. @throws what the system says. */
async function openPipe(): Promise<Pipe> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pipe-'));
  try {
    const name = join(folder, 'pipe');
    await promisify(execFile)(MKFIFO, ['-m', '600', name], { env: {} });
    // The reader first, and without waiting: a pipe is opened for writing only where somebody reads.
    const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd, readable: true, writable: false });
    const writer = openSync(name, constants.O_WRONLY);
    return { reader, writer, closeWriter: () => closeSync(writer) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
