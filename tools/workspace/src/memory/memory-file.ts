// The two memory files of a workspace: what they are called, how long they may be, and how each is now.

import type { ToolProblem } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import type { BigIntStats } from 'node:fs';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { isProblem } from '../door/arguments.ts';
import { currentFile } from '../write/current-file.ts';
import { textOf } from '../write/text-form.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** What is known of the project, and of how its user likes to work. */
export type MemoryName = 'MEMORY.md' | 'USER.md';

/** Bytes. Above `soft` a file is to be said in fewer words; above `hard` nothing is written. */
export interface MemoryLimits {
  readonly soft: number;
  readonly hard: number;
}

/** Each file with its limits, in the order they are shown. */
export const MEMORY_FILES: Readonly<Record<MemoryName, MemoryLimits>> = {
  'MEMORY.md': { soft: 2_048, hard: 4_096 },
  'USER.md': { soft: 1_536, hard: 3_072 },
};

/** The names, in the order they are shown. */
export const MEMORY_NAMES: readonly ['MEMORY.md', 'USER.md'] = ['MEMORY.md', 'USER.md'];

/** The folder of the workspace that holds them. */
export const MEMORY_FOLDER = '.tidemark';

/** What somebody wrote by hand may be longer than the limits, but not by any measure. */
const MOST_BYTES = 64 * 1024;

/** A memory file as it is. */
export interface MemoryFile {
  readonly place: WorkspacePlace;
  readonly text: string;
  readonly digest: Digest;
  readonly bytes: number;
  readonly stats: BigIntStats;
}

/** Where a memory file is: always inside the workspace. A problem where a link leads out of it, or where no tool may go. */
export function memoryPlace(name: MemoryName, confinement: Confinement): Promise<WorkspacePlace | ToolProblem> {
  return confinement.placeInside(join(MEMORY_FOLDER, name));
}

/** `undefined` when there is none. @throws WorkspaceError as `openFile` does, `workspace/too-large`, `workspace/not-text`. */
export async function readMemory(place: WorkspacePlace, signal: AbortSignal): Promise<MemoryFile | undefined> {
  const current = await currentFile(place, MOST_BYTES, signal);
  if (current === undefined) return undefined;
  const { bytes, digest, stats } = current;
  if (bytes === undefined) {
    const message = `${place.shown} has ${stats.size} bytes, too many for memory. Ask the user to shorten it.`;
    throw new WorkspaceError('workspace/too-large', message, { path: place.shown });
  }
  const text = textOf(bytes);
  if (text === undefined) {
    const message = `${place.shown} is no UTF-8 text. Ask the user to mend it.`;
    throw new WorkspaceError('workspace/not-text', message, { path: place.shown });
  }
  return { place, text, digest, bytes: bytes.length, stats };
}

/** How a memory file is now, or why it cannot be used: no failure of one of them hides the other. */
export async function lookAtMemory(
  name: MemoryName,
  confinement: Confinement,
  signal: AbortSignal,
): Promise<MemoryFile | ToolProblem | undefined> {
  const place = await memoryPlace(name, confinement);
  // The folder may be the home of the logs, where somebody works in their own: without a file there, that is no problem.
  if (isProblem(place)) return isThere(join(confinement.folder, MEMORY_FOLDER, name)) ? place : undefined;
  try {
    return await readMemory(place, signal);
  } catch (error) {
    if (error instanceof WorkspaceError) return { problem: error.message };
    throw error;
  }
}

/** A link counts as itself, wherever it leads; what cannot be looked at is not there. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
