// The revision of the context source `memory`: what it was noted with says which state of each file the model was shown.

import type { ToolProblem } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { isProblem } from '../door/arguments.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { MEMORY_NAMES } from './memory-file.ts';

/** Each file as it was looked at. */
export type MemoryStates = ReadonlyMap<MemoryName, MemoryFile | ToolProblem | undefined>;

/** The name of the source. */
export const MEMORY_SOURCE = 'memory';

const ABSENT = '-';

/** `MEMORY.md 0123456789ab, USER.md -`; `undefined` where there is neither. */
export function revisionOf(states: MemoryStates): string | undefined {
  if ([...states.values()].every((state) => state === undefined)) return undefined;
  return MEMORY_NAMES.map((name) => `${name} ${stateIn(states.get(name))}`).join(', ');
}

/** What such a revision says of a file: the beginning of its digest; `undefined` where it was not there, or nothing is said. */
export function shownIn(revision: string | undefined, name: MemoryName): string | undefined {
  const said = (revision ?? '').split(', ').find((one) => one.startsWith(`${name} `));
  const state = said?.slice(name.length + 1);
  return state === ABSENT ? undefined : state;
}

/** A digest as a revision names it. */
export function inShort(digest: Digest): string {
  return digest.slice(0, 12);
}

function stateIn(state: MemoryFile | ToolProblem | undefined): string {
  if (state === undefined) return ABSENT;
  if (!isProblem(state)) return inShort(state.digest);
  return `!${createHash('sha256').update(state.problem).digest('hex').slice(0, 11)}`;
}
