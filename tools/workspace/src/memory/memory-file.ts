// The two memory files of a workspace: their names, size limits and current content.

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

/**
 * Name of a memory file. `MEMORY.md` contains knowledge about the project. `USER.md` describes how the user wants to
 * work.
 */
export type MemoryName = 'MEMORY.md' | 'USER.md';

/**
 * Size limits in bytes. If a file is above `soft`, it should be shortened. If a write would exceed `hard`, it is
 * refused.
 */
export interface MemoryLimits {
  readonly soft: number;
  readonly hard: number;
}

/** Size limits of each file, in the order in which the files are shown. */
export const MEMORY_FILES: Readonly<Record<MemoryName, MemoryLimits>> = {
  'MEMORY.md': { soft: 2_048, hard: 4_096 },
  'USER.md': { soft: 1_536, hard: 3_072 },
};

/** Names of the files, in the order in which they are shown. */
export const MEMORY_NAMES: readonly ['MEMORY.md', 'USER.md'] = ['MEMORY.md', 'USER.md'];

/** Folder of the workspace that contains the memory files. */
export const MEMORY_FOLDER = '.tidemark';

/**
 * Maximum size of a file that is read, in bytes. If a person wrote the file, it may exceed the limits in
 * `MEMORY_FILES`, but not this limit.
 */
const MAX_BYTES = 64 * 1024;

export interface MemoryFile {
  readonly place: WorkspacePlace;
  readonly text: string;
  readonly digest: Digest;
  readonly bytes: number;
  readonly stats: BigIntStats;
}

/**
 * Returns the place of a memory file, always inside the workspace. If a link leads out of the workspace, or if file
 * tools refuse the path, returns a problem.
 */
export function memoryPlace(name: MemoryName, confinement: Confinement): Promise<WorkspacePlace | ToolProblem> {
  return confinement.placeInside(join(MEMORY_FOLDER, name));
}

/**
 * Reads a memory file. If the file does not exist, returns `undefined`.
 *
 * @throws WorkspaceError `workspace/too-large` above 64 KiB, `workspace/not-text` for bytes that are not UTF-8 text, or
 * with the codes of `openFile`.
 */
export async function readMemory(place: WorkspacePlace, signal: AbortSignal): Promise<MemoryFile | undefined> {
  const current = await currentFile(place, MAX_BYTES, signal);
  if (current === undefined) return undefined;
  const { bytes, digest, stats } = current;
  if (bytes === undefined) {
    const message = `${place.shown} has ${stats.size} bytes, which is too large for memory. Ask the user to shorten it.`;
    throw new WorkspaceError('workspace/too-large', message, { path: place.shown });
  }
  const text = textOf(bytes);
  if (text === undefined) {
    const message = `${place.shown} is not UTF-8 text. Ask the user to fix it.`;
    throw new WorkspaceError('workspace/not-text', message, { path: place.shown });
  }
  return { place, text, digest, bytes: bytes.length, stats };
}

/**
 * Returns the current state of a memory file. If the file does not exist, returns `undefined`. If the file cannot be
 * used, returns the problem. Never throws a `WorkspaceError`, so the other file can still be read.
 */
export async function lookAtMemory(
  name: MemoryName,
  confinement: Confinement,
  signal: AbortSignal,
): Promise<MemoryFile | ToolProblem | undefined> {
  const place = await memoryPlace(name, confinement);
  // If the user works in the home folder, `.tidemark` may be the folder of the session logs. File tools refuse every
  // path in that folder. If it contains no memory file, this refusal is not a problem to report.
  if (isProblem(place)) return isThere(join(confinement.folder, MEMORY_FOLDER, name)) ? place : undefined;
  try {
    return await readMemory(place, signal);
  } catch (error) {
    if (error instanceof WorkspaceError) return { problem: error.message };
    throw error;
  }
}

/**
 * Returns true if the path exists. A link counts as existing, even if its target is missing. A path without access
 * counts as missing.
 */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
