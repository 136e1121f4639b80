// Waits for the output of a background process, or for its end.

import { setTimeout as pause } from 'node:timers/promises';
import type { HostedProcess } from './hosted-process.ts';

/** Limits of a wait. An abort of the signal ends the wait. */
export interface WaitLimits {
  /** Maximum time in milliseconds. */
  readonly mostMs: number;
  readonly signal: AbortSignal;
}

/** Time without output after which a process counts as quiet, in milliseconds. */
const QUIET_MS = 250;

/** Time without output after which a line that is being written counts as complete, in milliseconds. */
const LINE_MS = 50;

/** Time between two looks at a process, in milliseconds. */
const LOOK_MS = 20;

/** Waits until the process has ended, or has written something and is quiet. Never throws. */
export async function waitUntilQuiet(hosted: HostedProcess, limits: WaitLimits): Promise<void> {
  const { lastOutputAt } = hosted;
  const began = Date.now();
  const isQuiet = (): boolean => lastOutputAt() >= began && Date.now() - lastOutputAt() >= QUIET_MS;
  await waitFor(hosted, isQuiet, limits);
}

/**
 * Waits for output after `offset`, or for the end. With a maximum time of 0, waits only for the end of a line that is
 * being written. Never throws.
 */
export async function waitForOutput(
  hosted: HostedProcess,
  offset: number,
  { mostMs, signal }: WaitLimits,
): Promise<void> {
  const { lastOutputAt, ring } = hosted;
  const isComplete = (): boolean => Date.now() - lastOutputAt() >= LINE_MS;
  const isReached = (): boolean => isComplete() && (mostMs === 0 || ring.total() > offset);
  await waitFor(hosted, isReached, { mostMs: Math.max(mostMs, 4 * LINE_MS), signal });
}

/** Waits for a state of a process. A process that has exited is waited for until its end is complete. */
async function waitFor(hosted: HostedProcess, isReached: () => boolean, { mostMs, signal }: WaitLimits): Promise<void> {
  const began = Date.now();
  const isEnough = (): boolean => isReached() || Date.now() - began >= mostMs;
  while (hosted.view().running && !signal.aborted && (hosted.isEnding() || !isEnough()))
    await Promise.race([hosted.over, pause(LOOK_MS, undefined, { signal }).catch(() => undefined)]);
}
