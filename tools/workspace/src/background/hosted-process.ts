// One background process: starts it, keeps its output, ends it with everything that it started, and reports its end.

import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { defined } from '@tidemark/core';
import type { BackgroundProcess, ProcessSink } from '@tidemark/agent';
import type { ProcessEnded } from '@tidemark/log';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { nameProcesses } from '../bash/describe-end.ts';
import type { Family } from '../bash/end-family.ts';
import { endFamily, remainingPrograms } from '../bash/end-family.ts';
import type { Relative } from '../bash/family.ts';
import type { FailureHints } from '../bash/failure-hints.ts';
import { watchForHints } from '../bash/failure-hints.ts';
import type { Exit, Guarded } from '../bash/guard.ts';
import { MARK, startGuarded } from '../bash/guard.ts';
import type { Pump } from '../bash/run-command.ts';
import { pump } from '../bash/run-command.ts';
import type { EnteredShell } from '../bash/shell.ts';
import type { CommandReach } from '../sandbox/sandbox.ts';
import type { OutputRing } from './output-ring.ts';
import { createOutputRing } from './output-ring.ts';

/** Waiting times in milliseconds. */
export interface EndPatience {
  /** Time between SIGTERM and SIGKILL. */
  readonly termMs: number;
  /** Time to wait for more output after the processes have ended. */
  readonly drainMs: number;
}

/** Command to start. The shell was entered for it. */
export interface HostedCommand {
  readonly id: string;
  readonly command: string;
  readonly reach: CommandReach;
  readonly entered: EnteredShell;
  readonly isSandboxed: boolean;
  /** Names of the variables of the user that the process does not get. */
  readonly withheld: ReadonlySet<string>;
}

/** A background process in this program. */
export interface HostedProcess {
  readonly command: string;
  readonly reach: CommandReach;
  readonly ring: OutputRing;
  /** Resolves when the process has ended and its end was recorded. Never rejects. */
  readonly over: Promise<void>;
  view(): BackgroundProcess;
  /** Lines about the end for the model. Empty while the process runs. */
  endLines(): readonly string[];
  /** Returns true if the command has exited, but its end is not complete yet. */
  isEnding(): boolean;
  /** Time of the last output in milliseconds, or 0. */
  lastOutputAt(): number;
  /** Sends bytes to the input. Without bytes, closes the input. Returns false if the input is closed already. */
  write(bytes: Uint8Array | undefined): boolean;
  /** Ends the process. The first cause is recorded. Returns when it has ended, or when it cannot be ended. */
  stop(by: ProcessEnded['by']): Promise<void>;
}

interface EndedProcess extends Exit {
  readonly at: BackgroundProcess['startedAt'];
  readonly lines: readonly string[];
}

/** Time to wait for an end after SIGKILL. A process that is blocked in the kernel may never end. */
const STUCK_MS = 2_000;

const STOP_SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

/** Input that waits for the process to read it, in bytes. More is refused. */
const LONGEST_INPUT = 1024 * 1024;

/**
 * Starts a process and records its start. If the start cannot be recorded, the process is ended.
 *
 * @throws the system error when it cannot be started, and what `sink.started` throws.
 */
export async function startHosted(
  asked: HostedCommand,
  call: Parameters<ProcessSink['started']>[0]['call'],
  { sink, patience }: { readonly sink: ProcessSink; readonly patience: EndPatience },
): Promise<HostedProcess> {
  const mark = randomUUID();
  const { command } = asked.entered;
  const environment = { ...command.environment, [MARK]: mark };
  const guarded = await startGuarded({ ...command, environment, hasInput: true });
  const family = { leader: guarded.pid, mark, ...(asked.isSandboxed && { sandbox: command.argv.join(' ') }) };
  try {
    await sink.started(defined({ process: asked.id, command: asked.command, call }));
  } catch (error) {
    await endFamily(family, 0);
    guarded.release();
    throw error;
  }
  return hold(asked, { guarded, family }, { sink, patience });
}

interface StartedFamily {
  readonly guarded: Guarded;
  readonly family: Family;
}

function hold(
  asked: HostedCommand,
  started: StartedFamily,
  { sink, patience }: { readonly sink: ProcessSink; readonly patience: EndPatience },
): HostedProcess {
  const { id, command, reach } = asked;
  const startedAt = sink.now();
  const ring = createOutputRing();
  const hints = watchForHints({ sandboxed: asked.isSandboxed, offline: !reach.network, variables: asked.withheld });
  let [lastOutput, hasExited] = [0, false];
  void started.guarded.exited.then(() => (hasExited = true));
  let [by, ended]: [ProcessEnded['by'] | undefined, EndedProcess | undefined] = [undefined, undefined];
  const output = pump(started.guarded.output, async (chunk) => {
    lastOutput = Date.now();
    ring.push(chunk);
    hints.see(chunk);
  });
  // Both a stop and an exit end the family. A second SIGTERM would make many programs give up their clean-up.
  let ending: ReturnType<typeof endFamily> | undefined;
  const end = (): ReturnType<typeof endFamily> => (ending ??= endFamily(started.family, patience.termMs));
  const finish = async (): Promise<void> => {
    const last = await endOf(asked, started, { output, hints, patience, end, isStopped: () => by !== undefined });
    ended = { ...last, at: sink.now() };
    const { code: exit, signal } = last;
    await sink.ended({ process: id, ...defined({ exit, signal }), by: by ?? 'itself' });
    sink.changed();
  };
  const over = finish().catch(() => undefined);
  return {
    command,
    reach,
    ring,
    over,
    view: () => ({
      id,
      command,
      startedAt,
      bytes: ring.total(),
      running: ended === undefined,
      ...(ended !== undefined && { endedAt: ended.at, ...defined({ exit: ended.code, signal: ended.signal }) }),
    }),
    isEnding: () => hasExited && ended === undefined,
    endLines: () => ended?.lines ?? [],
    lastOutputAt: () => lastOutput,
    write: (bytes) => ending === undefined && !hasExited && writeTo(started.guarded.input, bytes),
    async stop(cause) {
      if (ended !== undefined) return;
      by ??= cause;
      await end();
      await Promise.race([over, pause(STUCK_MS, undefined, { ref: false })]);
    },
  };
}

function writeTo(input: Writable | undefined, bytes: Uint8Array | undefined): boolean {
  if (input === undefined || !input.writable || input.writableLength > LONGEST_INPUT) return false;
  if (bytes === undefined) input.end();
  else input.write(bytes);
  return true;
}

interface EndWork {
  readonly output: Pump;
  readonly hints: FailureHints;
  readonly patience: EndPatience;
  /** Ends all processes of the family, once. */
  end(): ReturnType<typeof endFamily>;
  isStopped(): boolean;
}

/** Waits for the end of a process, ends what it left running, and releases its sandbox. */
async function endOf(
  { entered, isSandboxed }: HostedCommand,
  { guarded, family }: StartedFamily,
  { output, hints, patience, end, isStopped }: EndWork,
): Promise<Exit & Pick<EndedProcess, 'lines'>> {
  output.done.catch(() => undefined);
  const exit = exitOf(await guarded.exited, isSandboxed && isStopped());
  const left = isStopped() ? [] : await remainingPrograms(family);
  const undying = await end();
  guarded.release();
  await output.endOrLeave(patience.drainMs);
  const notes = await entered.leave().catch((error: unknown) => [`the sandbox could not be checked: ${String(error)}`]);
  const failed = exit.code !== 0 && !isStopped();
  return { ...exit, lines: [...leftLines(left, undying), ...(failed ? hints.hints() : []), ...notes] };
}

/** Returns the signal that ended the program. A sandbox reports it as 128 and its number, as a shell does. */
function exitOf(exit: Exit, isStoppedInSandbox: boolean): Exit {
  if (!isStoppedInSandbox || exit.code === undefined) return exit;
  const signal = STOP_SIGNALS.find((name) => exit.code === 128 + constants.signals[name]);
  return signal === undefined ? exit : { code: undefined, signal };
}

function leftLines(left: readonly Relative[], undying: readonly Relative[]): readonly string[] {
  return [
    ...(left.length === 0
      ? []
      : [
          `processes that still ran after the command were ended: ${nameProcesses(left)}. Start the program itself in the background, without & and nohup`,
        ]),
    ...(undying.length === 0 ? [] : [`processes that could not be ended: ${nameProcesses(undying)}`]),
  ];
}
