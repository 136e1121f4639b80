// Guard: runs a command in its own process group, together with a guard process. The guard reads a socket, and this
// process holds the other end of the socket. When that end closes, the guard kills its group. This works even if this
// process is killed and cannot clean up (Node cannot set PR_SET_PDEATHSIG). The guard is a member of the group that it
// kills. Therefore it never kills a foreign process that has the same id.

import type { ChildProcess } from 'node:child_process';
import { spawn, execFile } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemProgram } from '../sandbox/bubblewrap.ts';

/**
 * Name of the guard in a process list. The command does not have this name, because the command replaces the shell that
 * started the guard.
 */
export const GUARD_NAME = 'tidemark-guard';

/** Name of the environment variable that marks the processes of one command. */
export const MARK = 'TIDEMARK_COMMAND';

// The guard redirects its own input and output to `/dev/null`. Otherwise it would keep the output of the command open,
// and the end of the output would never be reached.
//
// A line on the socket means that the command was ended in order. Without it, the process that started the command was
// killed. A program that left the group is then found by the mark in its environment (Linux).
export const GUARD: string = `
(trap '' HUP INT QUIT TERM
if ! read -r _ <&3 && [ -n "$${MARK}" ] && read -r self _ </proc/self/stat; then
  for round in 1 2 3 4 5 6 7 8 9; do
    found=
    for file in $(${systemProgram('grep') ?? '/bin/grep'} -lsz -- "^${MARK}=$${MARK}" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      [ "\${file%/environ}" = "$self" ] || { kill -KILL "\${file%/environ}" && found=1; }
    done
    [ -n "$found" ] || break
  done
fi
kill -KILL 0) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-`;

/** A running command and its guard. */
export interface Guarded {
  readonly pid: number;
  /** Input of the command. Absent if its input is empty. */
  readonly input?: Writable;
  /** Everything that the command writes to stdout and stderr. */
  readonly output: Readable;
  /** Resolves with the exit code or signal when the command ends. */
  readonly exited: Promise<Exit>;
  /** Kills every remaining process of the group, including the guard. */
  release(): void;
}

/** Exit code or signal with which a process ended. For an ended process, exactly one of the two is set. */
export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** Arguments, working folder and environment of a command to run. */
export interface GuardedCommand {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** True if the command gets an input that can be written. By default its input is empty. */
  readonly hasInput?: boolean;
}

/**
 * Starts a command in its own session and group. One pipe receives stdout and stderr. Their bytes therefore arrive in
 * the order in which they were written.
 *
 * @throws the system error when the command cannot be started.
 */
export async function startGuarded(command: GuardedCommand): Promise<Guarded> {
  const pipe = await openPipe();
  let input: InputPipe = NO_INPUT;
  try {
    if (command.hasInput === true) input = await openInput();
  } catch (error) {
    pipe.closeWriter();
    pipe.reader.destroy();
    throw error;
  }
  try {
    return await start(command, pipe, input);
  } catch (error) {
    pipe.reader.destroy();
    input.writer?.destroy();
    throw error;
  }
}

async function start(command: GuardedCommand, pipe: Pipe, given: InputPipe): Promise<Guarded> {
  const child = spawnInto(pipe, given, command);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const { pid, stdio } = child;
  const input = given.writer ?? child.stdin ?? undefined;
  // A command may end without reading its input.
  input?.on('error', () => undefined);
  if (pid === undefined) throw new Error('the command started without a number');
  const leash = stdio[3];
  // When the group is killed, the guard ends too, and its end of the socket closes. This causes an expected error on
  // this socket.
  leash?.on('error', () => undefined);
  const release = (): void => {
    input?.destroy();
    if (leash instanceof Socket) leash.end('\n');
    else leash?.destroy();
  };
  return { pid, output: pipe.reader, exited, release, ...(input !== undefined && { input }) };
}

function spawnInto(
  { writer, closeWriter }: Pipe,
  { stdin, closeReader }: InputPipe,
  { argv, folder, environment }: GuardedCommand,
): ChildProcess {
  try {
    return spawn('/bin/sh', ['-c', GUARD, GUARD_NAME, ...argv], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: [stdin, writer, writer, 'pipe'],
    });
  } finally {
    closeWriter();
    closeReader();
  }
}

/**
 * Both ends of a real pipe. For the output of a child, Node creates a pair of sockets. A socket cannot be opened by
 * name, so `echo … > /dev/stderr` and `tee /dev/stdout` would fail.
 */
export interface Pipe {
  readonly reader: Readable;
  /**
   * File descriptor to pass to a child. After the child has started, the caller must call `closeWriter`. Otherwise the
   * reader never ends.
   */
  readonly writer: number;
  closeWriter(): void;
}

/**
 * Absolute path of `mkfifo`. The program is not looked up in `PATH`. A command may be able to write to a folder in
 * `PATH`, and `mkfifo` runs outside the sandbox.
 */
const MKFIFO = systemProgram('mkfifo') ?? '/usr/bin/mkfifo';

const CAT = systemProgram('cat') ?? '/bin/cat';

/**
 * True if a socket can read a pipe that was opened by name. Under Bun such a socket returns nothing. Under Deno it
 * throws.
 */
const SOCKETS_READ_PIPES = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

/**
 * Returns the bytes of a pipe as the output of `cat`, which every runtime can read. If the returned stream is closed,
 * `cat` ends too, even if the pipe is still open.
 *
 * @param fd Non-blocking descriptor. It is closed here, because `cat` needs a blocking one.
 */
function copyOf(fd: number, name: string): Readable {
  const blocking = openSync(name, constants.O_RDONLY);
  closeSync(fd);
  try {
    // `cat` has its own group. Otherwise Ctrl-C at a terminal would end it before the command.
    const cat = spawn(CAT, { stdio: [blocking, 'pipe', 'ignore'], env: {}, detached: true });
    const { stdout } = cat;
    if (stdout === null) throw new Error('`cat` started without an output');
    cat.on('error', (error) => stdout.destroy(error));
    stdout.once('close', () => cat.kill('SIGKILL'));
    return stdout;
  } finally {
    closeSync(blocking);
  }
}

/** Creates a pipe. Its name in the file system is removed as soon as both ends are open. */
export function openPipe(): Promise<Pipe> {
  return withNamedPipe((name) => {
    // The reader is opened first and without blocking. To open a pipe for writing, a reader must already exist.
    const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(name, constants.O_WRONLY);
    const reader = SOCKETS_READ_PIPES ? new Socket({ fd, readable: true, writable: false }) : copyOf(fd, name);
    return { reader, writer, closeWriter: () => closeSync(writer) };
  });
}

/** Input of a command. */
interface InputPipe {
  /** Value for the input in the list of a child's streams. */
  readonly stdin: 'pipe' | 'ignore' | number;
  /** Stream to write to. Absent if the child process has it, and if the input is empty. */
  readonly writer?: Writable;
  /** Closes the end of the child. Call it after the child has started. */
  closeReader(): void;
}

const NO_INPUT: InputPipe = { stdin: 'ignore', closeReader: () => undefined };

/**
 * Creates the input of a command as a real pipe. If the input is a socket, bash treats the command as a remote login and
 * runs the start files of the user.
 */
function openInput(): Promise<InputPipe> {
  if (!SOCKETS_READ_PIPES) return Promise.resolve({ ...NO_INPUT, stdin: 'pipe' });
  return withNamedPipe((name) => {
    const first = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK);
    // The child needs a blocking descriptor. This call does not wait, because a writer exists.
    const reader = openSync(name, constants.O_RDONLY);
    closeSync(first);
    const writer = new Socket({ fd, readable: false, writable: true });
    return { stdin: reader, writer, closeReader: () => closeSync(reader) };
  });
}

/** Creates a named pipe, opens it, and removes its name. */
async function withNamedPipe<T>(open: (name: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pipe-'));
  try {
    const name = join(folder, 'pipe');
    await promisify(execFile)(MKFIFO, ['-m', '600', name], { env: {} });
    return open(name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
