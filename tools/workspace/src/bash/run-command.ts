// One command from its start to its last descendant's end: output streamed at the reader's pace, time-out, interrupt.

import { randomUUID } from 'node:crypto';
import type { Relative } from './family.ts';
import { MARK, familyOf } from './family.ts';
import type { GuardedCommand, Exit, Guarded } from './guard.ts';
import { startGuarded } from './guard.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readable } from 'node:stream';

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

// Ends processes that a command left or that must stop: asks them first, then kills them.

/** How often the list is read again while it empties, in milliseconds. */
const LOOK_MS = 20;

/** What forks faster than it is killed gets as many rounds. */
const ROUNDS = 50;

/** How often somebody who is leaving is looked for. */
const LEAVING_ROUNDS = 5;

/** Which processes, and how long they may take to end by themselves, in milliseconds. */
export interface FamilyEnding {
  readonly leader: number;
  readonly mark: string;
  readonly termMs: number;
}

/** SIGTERM to all, SIGKILL to who is left after `termMs`. Returns who is alive even then: another user's, or stuck in the system. */
async function endFamily({ leader, mark, termMs }: FamilyEnding): Promise<readonly Relative[]> {
  const living = () => familyOf(leader, mark);
  for (const { pid } of await living()) signalTo(pid, 'SIGTERM');
  for (let waited = 0; waited < termMs; waited += LOOK_MS) {
    if ((await living()).length === 0) return [];
    await pause(LOOK_MS);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = await living();
    if (left.length === 0) return [];
    for (const { pid } of left) signalTo(pid, 'SIGKILL');
    await pause(LOOK_MS);
  }
  return living();
}

/** Who goes on running: what closed its output a moment ago may still be on its way out. */
async function whoStays(leader: number, mark: string): Promise<readonly Relative[]> {
  for (let round = 0; round < LEAVING_ROUNDS; round += 1) {
    if ((await familyOf(leader, mark)).length === 0) return [];
    await pause(LOOK_MS);
  }
  return familyOf(leader, mark);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone meanwhile, or not ours to end; who is left is listed again and said.
    if (!(error instanceof Error)) throw error;
  }
}

/**
 * A running copy of a stream into a writer, at the writer's pace. It can be abandoned when no process is known to write and the
 * stream still does not end.
 */
export interface Pump {
  /** Ends with the stream. @throws what the writer throws. */
  readonly done: Promise<void>;
  /** Whether something was written, and what its last byte was. */
  tail(): number | undefined;
  /** Waits for the end, and leaves the stream when it was silent for so long. Whether it ended by itself. */
  endOrLeave(silentMs: number): Promise<boolean>;
}

/** Starts pumping. */
function pump(stream: Readable, write: (chunk: Uint8Array) => Promise<void>): Pump {
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
        // A slow writer is not a silent stream.
        if (!reading || seen !== chunks) continue;
        left = true;
        stream.destroy();
      }
      return !left;
    },
  };
}

/** Whether the promise settles within so many milliseconds. */
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
