// Revision of the context source `memory`. The revision in a context note records which state of each file was shown to
// the model.

import type { ToolProblem } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { isProblem } from '../door/arguments.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { MEMORY_NAMES } from './memory-file.ts';

/** State of each memory file at the time of reading: its content, a problem, or `undefined` for a missing file. */
export type MemoryStates = ReadonlyMap<MemoryName, MemoryFile | ToolProblem | undefined>;

/** Name of the context source. */
export const MEMORY_SOURCE = 'memory';

const ABSENT = '-';

/** Returns the revision, such as `MEMORY.md 0123456789ab, USER.md -`. If neither file exists, returns `undefined`. */
export function revisionOf(states: MemoryStates): string | undefined {
  if ([...states.values()].every((state) => state === undefined)) return undefined;
  return MEMORY_NAMES.map((name) => `${name} ${stateIn(states.get(name))}`).join(', ');
}

/**
 * Returns the short digest of a file from a revision. If the file did not exist or is not in the revision, returns
 * `undefined`. For a file with a problem, the text begins with `!`.
 */
export function shownIn(revision: string | undefined, name: MemoryName): string | undefined {
  const entry = (revision ?? '').split(', ').find((one) => one.startsWith(`${name} `));
  const state = entry?.slice(name.length + 1);
  return state === ABSENT ? undefined : state;
}

/** Returns the first 12 digits of the digest, in the form used in a revision. */
export function inShort(digest: Digest): string {
  return digest.slice(0, 12);
}

function stateIn(state: MemoryFile | ToolProblem | undefined): string {
  if (state === undefined) return ABSENT;
  if (!isProblem(state)) return inShort(state.digest);
  return `!${createHash('sha256').update(state.problem).digest('hex').slice(0, 11)}`;
}
