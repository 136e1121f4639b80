// One command from its start to its last descendant's end: output streamed at the reader's pace, time-out, interrupt.

import { randomUUID } from 'node:crypto';
import { endFamily, whoStays } from './end-family.ts';
import type { Relative } from './family.ts';
import { MARK } from './family.ts';
import type { GuardedCommand, Exit, Guarded } from './guard.ts';
import { startGuarded } from './guard.ts';
import { endsWithin, pump } from './pump.ts';

/** How long is waited for what, in milliseconds. */
export interface Patience {
  /** For the whole command. */
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly termMs: number;
  /** For output, once the shell has ended. */
  readonly drainMs: number;
}

/** What a command is run with. */
export interface Running {
  readonly signal: AbortSignal;
  readonly patience: Patience;
  write(chunk: Uint8Array): Promise<void>;
}

/** How a command ended. */
export interface CommandEnd extends Exit {
  /** What ended it, when it did not end by itself. */
  readonly stopped: 'timeout' | 'interrupt' | undefined;
  /** What was still running when its shell ended by itself, and was ended then. */
  readonly leftRunning: readonly Relative[];
  /** What could not be ended. */
  readonly undying: readonly Relative[];
  /** Its output was still open after all that, and was left: something out of reach holds it. */
  readonly outputLeft: boolean;
  /** The last byte of output; `undefined` when there was none. */
  readonly lastByte: number | undefined;
}

/**
 * Runs a command until it and all that it started has ended.
 *
 * @throws what the system says when it cannot be started, and what `write` throws.
 */
export async function runCommand(command: GuardedCommand, running: Running): Promise<CommandEnd> {
  const mark = randomUUID();
  const guarded = await startGuarded({ ...command, environment: { ...command.environment, [MARK]: mark } });
  try {
    return await attend(guarded, mark, running);
  } finally {
    guarded.release();
  }
}

async function attend({ pid, output, exited, release }: Guarded, mark: string, running: Running): Promise<CommandEnd> {
  const { patience, signal } = running;
  const halt = haltOn(signal, patience.timeoutMs);
  const pumped = pump(output, running.write);
  pumped.done.catch(halt.now);
  await Promise.race([exited, halt.halted]);
  const stopped = halt.settle();
  const ending = { leader: pid, mark, termMs: patience.termMs };
  if (stopped === undefined) await endsWithin(pumped.done, patience.drainMs);
  const leftRunning = stopped === undefined ? await whoStays(pid, mark) : [];
  const undying = stopped === undefined && leftRunning.length === 0 ? [] : await endFamily(ending);
  release();
  const ended = await pumped.endOrLeave(patience.drainMs);
  await pumped.done;
  // A shell that not even SIGKILL ended is stuck in the system: it is said, not waited for.
  const exit = undying.some((one) => one.pid === pid) ? STUCK : await exited;
  return { ...exit, stopped: saysWhy(stopped), leftRunning, undying, outputLeft: !ended, lastByte: pumped.tail() };
}

const STUCK: Exit = { code: undefined, signal: undefined };

type CommandEndCause = 'timeout' | 'interrupt' | 'unwritten';

/** Output that could not be written is thrown: it needs no name. */
function saysWhy(cause: CommandEndCause | undefined): CommandEnd['stopped'] {
  return cause === 'unwritten' ? undefined : cause;
}

interface Halt {
  readonly halted: Promise<void>;
  now(): void;
  /** Stops listening; what halted the command, if anything did. */
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
