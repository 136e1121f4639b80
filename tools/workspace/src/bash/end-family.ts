// Ends what a command left or what must stop: asked first, then killed.

import { setTimeout as pause } from 'node:timers/promises';
import type { Relative } from './family.ts';
import { familyOf } from './family.ts';

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
export async function endFamily({ leader, mark, termMs }: FamilyEnding): Promise<readonly Relative[]> {
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
export async function whoStays(leader: number, mark: string): Promise<readonly Relative[]> {
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
