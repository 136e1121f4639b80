// Context source `memory`: when a session begins and after a compaction, shows both files completely. Later it shows
// only their changes, made by any writer. Use it only for a workspace that its user trusts, because the model receives
// the content without a request.

import type { ContextSource, SourceView, ToolProblem } from '@tidemark/agent';
import type { Confinement, ConfinementOptions } from '../confine/confine.ts';
import { createConfinement } from '../confine/confine.ts';
import { isProblem } from '../door/arguments.ts';
import { showDiff } from '../write/show-diff.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { lookAtMemory, MEMORY_FILES, MEMORY_FOLDER, MEMORY_NAMES } from './memory-file.ts';
import type { MemoryStates } from './memory-revision.ts';
import { inShort, MEMORY_SOURCE, revisionOf, shownIn } from './memory-revision.ts';

/**
 * Maximum size of an inline note, in bytes. Two files at their limits and the text around them are smaller than this.
 */
const INLINE = 8_192;

/** Number of earlier file contents that are stored to compute changes. */
const MAX_KNOWN = 64;

type MemoryState = MemoryFile | ToolProblem | undefined;

/**
 * Creates the context source for the memory files of a folder. Pass the same `forbidden` paths as to the tools.
 *
 * @throws WorkspaceError `workspace/no-folder` when the folder cannot be opened.
 */
export function memorySource(options: ConfinementOptions): ContextSource {
  const confinement = createConfinement(options);
  const known = new Map<string, string>();
  const looked = new WeakMap<SourceView, MemoryStates>();
  // The files are read only one time per note. Therefore the text of the note matches its revision.
  const look = async (view: SourceView): Promise<MemoryStates> => {
    const held = looked.get(view) ?? (await lookAtAll(confinement, view.signal));
    looked.set(view, held);
    return held;
  };
  return {
    name: MEMORY_SOURCE,
    inlineBytes: INLINE,
    tellsChanges: true,
    revision: async (view) => {
      const states = await look(view);
      remember(states, known);
      return revisionOf(states);
    },
    render: async (view, cause) => {
      const states = await look(view);
      return cause === 'changed' ? sayChanges(states, view.noted, known) : sayWhole(states);
    },
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}

async function lookAtAll(confinement: Confinement, signal: AbortSignal): Promise<MemoryStates> {
  const states = MEMORY_NAMES.map(async (name): Promise<readonly [MemoryName, MemoryState]> => [
    name,
    await lookAtMemory(name, confinement, signal),
  ]);
  return new Map(await Promise.all(states));
}

/**
 * Stores the texts of the files, so that later changes can be shown as a diff. If the earlier text of a file is
 * unknown, the whole file is shown. This happens, for example, if another process read it.
 */
function remember(states: MemoryStates, known: Map<string, string>): void {
  for (const state of states.values()) {
    if (state === undefined || isProblem(state)) continue;
    known.delete(inShort(state.digest));
    known.set(inShort(state.digest), state.text);
  }
  for (const oldest of known.keys()) if (known.size > MAX_KNOWN) known.delete(oldest);
}

function sayWhole(states: MemoryStates): string {
  const files = MEMORY_NAMES.flatMap((name) => {
    const state = states.get(name);
    return state === undefined ? [] : [sayFile(name, state, 'says')];
  });
  return [`Memory that earlier sessions and the user saved in ${MEMORY_FOLDER}/ of the workspace:`, ...files].join(
    '\n\n',
  );
}

async function sayChanges(
  states: MemoryStates,
  noted: string | undefined,
  known: ReadonlyMap<string, string>,
): Promise<string> {
  const changes = MEMORY_NAMES.map(async (name): Promise<readonly string[]> => {
    const was = shownIn(noted, name);
    const state = states.get(name);
    if (state === undefined)
      return was === undefined ? [] : [`${name} was removed; its earlier content no longer applies.`];
    if (isProblem(state)) return [sayFile(name, state, 'says')];
    if (was === inShort(state.digest)) return [];
    return [await sayChange(name, state, was === undefined ? undefined : known.get(was))];
  });
  return (await Promise.all(changes)).flat().join('\n\n');
}

/** Returns the diff or the whole file as a text. The shorter of the two is returned. */
async function sayChange(name: MemoryName, file: MemoryFile, before: string | undefined): Promise<string> {
  const whole = sayFile(name, file, 'now says');
  if (before === undefined) return whole;
  const diff = await showDiff(before, file.text);
  const change = `${headOf(name, file)} changed; lines that the diff does not show are unchanged:\n${diff}`;
  return change.length < whole.length ? change : whole;
}

function sayFile(name: MemoryName, state: MemoryFile | ToolProblem, says: string): string {
  if (isProblem(state)) return `${name} cannot be used: ${state.problem}`;
  const text = state.text.trimEnd();
  return text === '' ? `${headOf(name, state)} is empty.` : `${headOf(name, state)} ${says}:\n${text}`;
}

function headOf(name: MemoryName, { bytes }: MemoryFile): string {
  const { soft, hard } = MEMORY_FILES[name];
  return `${name} (${bytes} of ${hard} bytes${bytes > soft ? `; at most ${soft} are recommended` : ''})`;
}
