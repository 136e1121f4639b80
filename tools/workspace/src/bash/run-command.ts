// Command run: runs one command until its last descendant has ended. Passes on the output only as fast as the writer
// accepts it. Also applies the timeout and the interrupt.

import { randomUUID } from 'node:crypto';
import type { Relative } from './family.ts';
import type { Family } from './end-family.ts';
import { endFamily, remainingPrograms } from './end-family.ts';
import type { GuardedCommand, Exit, Guarded } from './guard.ts';
import { MARK, startGuarded } from './guard.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readable } from 'node:stream';

/** Waiting times, in milliseconds. */
export interface Patience {
  /** Timeout for the whole command. */
  readonly timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly termMs: number;
  /** Time to wait for more output after the shell has ended. */
  readonly drainMs: number;
}

/** Abort signal, waiting times and output writer of one run. */
export interface Running {
  readonly signal: AbortSignal;
  readonly patience: Patience;
  /** True if the command runs in bubblewrap. The first process of the sandbox is then not reported as left running. */
  readonly sandboxed: boolean;
  write(chunk: Uint8Array): Promise<void>;
}

export interface CommandEnd extends Exit {
  /** Reason why this process ended the command. If the command ended by itself, `undefined`. */
  readonly stopped: 'timeout' | 'interrupt' | undefined;
  /** Processes that were still running when the shell ended by itself. They were then ended by this process. */
  readonly leftRunning: readonly Relative[];
  /** Processes that could not be ended. */
  readonly undying: readonly Relative[];
  /**
   * True if the output was still open after all known processes were ended. In that case an unknown process has the
   * output open, so reading was stopped.
   */
  readonly outputLeft: boolean;
  /** Last byte of the output. `undefined` if there was no output. */
  readonly lastByte: number | undefined;
}

/**
 * Runs a command until the command and all processes that it started have ended.
 *
 * @throws the system error when the command cannot be started, and any error of `write`.
 */
export async function runCommand(command: GuardedCommand, running: Running): Promise<CommandEnd> {
  const mark = randomUUID();
  const guarded = await startGuarded({ ...command, environment: { ...command.environment, [MARK]: mark } });
  try {
    const family = { leader: guarded.pid, mark, ...(running.sandboxed && { sandbox: command.argv.join(' ') }) };
    return await attend(guarded, family, running);
  } finally {
    guarded.release();
  }
}

async function attend(
  { pid, output, exited, release }: Guarded,
  family: Family,
  running: Running,
): Promise<CommandEnd> {
  const { patience, signal } = running;
  const halt = haltOn(signal, patience.timeoutMs);
  const pumped = pump(output, running.write);
  pumped.done.catch(halt.now);
  await Promise.race([exited, halt.halted]);
  const stopped = halt.settle();
  if (stopped === undefined) await endsWithin(pumped.done, patience.drainMs);
  const leftRunning = stopped === undefined ? await remainingPrograms(family) : [];
  const undying = stopped === undefined && leftRunning.length === 0 ? [] : await endFamily(family, patience.termMs);
  release();
  const ended = await pumped.endOrLeave(patience.drainMs);
  await pumped.done;
  // If a shell survives SIGKILL, it is blocked in the kernel. A wait for its exit could never end. Therefore the result
  // has no exit code, and `undying` contains the shell.
  const exit = undying.some((one) => one.pid === pid) ? STUCK : await exited;
  return { ...exit, stopped: saysWhy(stopped), leftRunning, undying, outputLeft: !ended, lastByte: pumped.tail() };
}

const STUCK: Exit = { code: undefined, signal: undefined };

type CommandEndCause = 'timeout' | 'interrupt' | 'unwritten';

/** Returns the cause to report. `unwritten` is not reported, because `runCommand` throws the error of the writer. */
function saysWhy(cause: CommandEndCause | undefined): CommandEnd['stopped'] {
  return cause === 'unwritten' ? undefined : cause;
}

interface Halt {
  readonly halted: Promise<void>;
  now(): void;
  /** Removes the timer and the abort listener. Returns the cause that stopped the command, or `undefined`. */
  settle(): CommandEndCause | undefined;
}

function haltOn(signal: AbortSignal, timeoutMs: number): Halt {
  const { promise, resolve } = Promise.withResolvers<void>();
  let cause: CommandEndCause | undefined;
  const halt = (why: CommandEndCause): void => {
    cause ??= why;
    resolve();
  };
  const interrupt = (): void => halt('interrupt');
  const timer = setTimeout(() => halt('timeout'), timeoutMs);
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  return {
    halted: promise,
    now: () => halt('unwritten'),
    settle() {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      return cause;
    },
  };
}

/**
 * Copies a stream into a writer, as fast as the writer accepts it. The copy can be stopped before the end of the
 * stream, because an unknown process can keep the stream open without writing.
 */
export interface Pump {
  /**
   * Resolves when the stream ends.
   *
   * @throws any error of the writer.
   */
  readonly done: Promise<void>;
  /** Returns the last byte read. `undefined` if there was no output. */
  tail(): number | undefined;
  /**
   * Waits for the end of the stream. If no data has arrived for `silentMs` milliseconds, stops the copy. Returns true
   * if the stream ended by itself.
   */
  endOrLeave(silentMs: number): Promise<boolean>;
}

export function pump(stream: Readable, write: (chunk: Uint8Array) => Promise<void>): Pump {
  let last: number | undefined;
  let chunks = 0;
  let reading = true;
  let left = false;
  const drain = async (): Promise<void> => {
    for await (const chunk of bytesOf(stream)) {
      reading = false;
      chunks += 1;
      last = chunk.at(-1) ?? last;
      await write(chunk);
      reading = true;
    }
  };
  const done = drain().catch((error: unknown) => {
    if (!left) throw error;
  });
  return {
    done,
    tail: () => last,
    async endOrLeave(silentMs) {
      for (let seen = -1; !(await endsWithin(done, silentMs)); seen = chunks) {
        // The copy continues if the writer is still busy. It also continues if a chunk has arrived since the last
        // check.
        if (!reading || seen !== chunks) continue;
        left = true;
        stream.destroy();
      }
      return !left;
    },
  };
}

async function endsWithin(done: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  const settled = done.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, pause(ms, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
}
