// Ends the processes of a command: those that it left running, or all of them. It sends first SIGTERM, then SIGKILL.

import { setTimeout as pause } from 'node:timers/promises';
import type { Relative } from './family.ts';
import { familyOf } from './family.ts';

/** Time between two reads of the process list, in milliseconds. */
const LOOK_MS = 20;

/**
 * Maximum number of SIGKILL rounds. The limit is needed for a program that starts processes faster than they are
 * killed.
 */
const ROUNDS = 50;

/** Number of checks for remaining processes. In the time between the checks, these processes can exit by themselves. */
const LEAVING_ROUNDS = 5;

/** Processes of one command, given by the process id of its leader and its mark. */
export interface Family {
  readonly leader: number;
  readonly mark: string;
  /** Command line that started the sandbox of the command. Absent if the command has no sandbox. */
  readonly sandbox?: string;
}

/**
 * Sends SIGTERM to all processes. After `termMs` milliseconds, sends SIGKILL to the processes that still run. Returns
 * the processes that survive both signals. They belong to another user or are blocked in the kernel.
 *
 * @param now Clock in milliseconds. On a machine with many processes, a read of the process list takes longer than the
 *   pause after it, so the pauses alone do not measure the time.
 */
export async function endFamily(
  { leader, mark }: Family,
  termMs: number,
  now: () => number = () => performance.now(),
): Promise<readonly Relative[]> {
  const living = () => familyOf(leader, mark);
  for (const { pid } of await living()) signalTo(pid, 'SIGTERM');
  for (const start = now(); now() - start < termMs;) {
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

/**
 * Returns the processes that continue to run after the shell has ended. A process that has just closed its output may
 * still be exiting. Therefore the function waits a short time before the result is final.
 */
export async function remainingPrograms(family: Family): Promise<readonly Relative[]> {
  for (let round = 0; round < LEAVING_ROUNDS; round += 1) {
    if ((await programsOf(family)).length === 0) return [];
    await pause(LOOK_MS);
  }
  return programsOf(family);
}

/**
 * Returns the processes of a command without the first process of its sandbox. That process has the command line of
 * `bwrap`, and ends after the last program in the sandbox.
 */
async function programsOf({ leader, mark, sandbox }: Family): Promise<readonly Relative[]> {
  const all = await familyOf(leader, mark);
  return sandbox === undefined ? all : all.filter(({ command }) => !sandbox.endsWith(command));
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has already ended, or belongs to another user. The next listing shows which processes remain.
    if (!(error instanceof Error)) throw error;
  }
}
