// Runs the program of a hook: writes the input to its stdin, and collects its output up to a limit. The program has the
// guard of a command, so it ends together with this process. Everything that it started ends with it.

import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endFamily } from '../bash/end-family.ts';
import type { Exit, GuardedCommand } from '../bash/guard.ts';
import { GUARD, GUARD_NAME, MARK, openPipe } from '../bash/guard.ts';

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const TERM_MS = 500;

/** Time to wait for more output after the program has ended, in milliseconds. */
const DRAIN_MS = 500;

/** Maximum size of each of the two outputs, in bytes. */
const MAX_OUTPUT = 64 * 1024;

/** End of a program, and its output. */
export interface ProgramEnd extends Exit {
  readonly stdout: string;
  readonly stderr: string;
  /** True if the program wrote more than the limit to stdout. It was then ended. */
  readonly tooMuch: boolean;
}

/**
 * Runs a program until it and everything that it started have ended. If the signal aborts, they are ended.
 *
 * @throws the system error when the program cannot be started.
 */
export async function runProgram(command: GuardedCommand, input: string, signal: AbortSignal): Promise<ProgramEnd> {
  const mark = randomUUID();
  const [stdin, stdout, stderr] = [await inputFile(input), await openPipe(), await openPipe()];
  const child = ((): ReturnType<typeof spawn> => {
    try {
      return spawn('/bin/sh', ['-c', GUARD, GUARD_NAME, ...command.argv], {
        cwd: command.folder,
        env: { ...command.environment, [MARK]: mark },
        detached: true,
        stdio: [stdin, stdout.writer, stderr.writer, 'pipe'],
      });
    } finally {
      closeSync(stdin);
      stdout.closeWriter();
      stderr.closeWriter();
    }
  })();
  const leash = child.stdio[3];
  // When the group is killed, the guard's end of the socket closes. This causes an expected error here.
  leash?.on('error', () => undefined);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, by) => resolve({ code: code ?? undefined, signal: by ?? undefined }));
  });
  try {
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    const { pid } = child;
    if (pid === undefined) throw new Error('the program started without a number');
    return await attend({ pid, mark, exited, stdout: stdout.reader, stderr: stderr.reader }, signal);
  } finally {
    // A line reports that the program ended in order, so the guard does not look for processes of a killed program.
    if (leash instanceof Socket) leash.end('\n');
    else leash?.destroy();
    stdout.reader.destroy();
    stderr.reader.destroy();
  }
}

interface RunningProgram {
  readonly pid: number;
  readonly mark: string;
  readonly exited: Promise<Exit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

async function attend({ pid, mark, exited, stdout, stderr }: RunningProgram, signal: AbortSignal): Promise<ProgramEnd> {
  const halt = Promise.withResolvers<void>();
  const stop = (): void => halt.resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let tooMuch = false;
  const answer = collect(stdout, () => {
    tooMuch = true;
    stop();
  });
  const errors = collect(stderr, () => undefined);
  try {
    await Promise.race([exited, halt.promise]);
    // Processes that still run are ended. They may keep the output open, so the output is read only for a short time.
    await Promise.race([
      Promise.all([answer.ended, errors.ended]),
      halt.promise,
      pause(DRAIN_MS, undefined, { ref: false }),
    ]);
    const undying = await endFamily({ leader: pid, mark }, TERM_MS);
    // A program that survives SIGKILL is blocked in the kernel. A wait for its exit could never end.
    const exit = undying.some((one) => one.pid === pid) ? { code: undefined, signal: undefined } : await exited;
    return { ...exit, stdout: answer.text(), stderr: errors.text(), tooMuch };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface CollectedOutput {
  readonly ended: Promise<void>;
  text(): string;
}

/** Collects a stream up to the limit. Calls `full` at the first byte above the limit, and drops the rest. */
function collect(stream: Readable, full: () => void): CollectedOutput {
  const chunks: Buffer[] = [];
  let size = 0;
  const ended = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => {
    const room = MAX_OUTPUT - size;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += chunk.length;
    if (chunk.length > room) full();
  });
  for (const event of ['end', 'close', 'error']) stream.once(event, () => ended.resolve());
  return { ended: ended.promise, text: () => Buffer.concat(chunks).toString('utf8') };
}

/**
 * Returns a descriptor from which the input can be read. It is a file that has no name any more when its content is
 * written, so no other program can open it. A pipe could be full, and a socket cannot be opened as `/dev/stdin`.
 */
async function inputFile(input: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-hook-'));
  const name = join(folder, 'input');
  const writer = openSync(name, 'wx', 0o600);
  try {
    const reader = openSync(name, 'r');
    await rm(folder, { recursive: true, force: true });
    writeAll(writer, Buffer.from(input));
    return reader;
  } finally {
    closeSync(writer);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
