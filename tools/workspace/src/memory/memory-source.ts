// The context source `memory`: both files whole when a session begins and behind a compaction, afterwards what changed in
// them, whoever changed it. Only for a workspace that its user trusts: what stands there is put before the model unasked.

import type { ContextSource, SourceView, ToolProblem } from '@tidemark/agent';
import type { Confinement, ConfinementOptions } from '../confine/confine.ts';
import { createConfinement } from '../confine/confine.ts';
import { isProblem } from '../door/arguments.ts';
import { showDiff } from '../write/show-diff.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { lookAtMemory, MEMORY_FILES, MEMORY_FOLDER, MEMORY_NAMES } from './memory-file.ts';
import type { MemoryStates } from './memory-revision.ts';
import { inShort, MEMORY_SOURCE, revisionOf, shownIn } from './memory-revision.ts';

/** Both files at their limits, with what is said about them. */
const INLINE = 8_192;

/** Texts that are kept to tell changes from. */
const MOST_KNOWN = 64;

type MemoryState = MemoryFile | ToolProblem | undefined;

/**
 * Notes the memory of a folder. `forbidden`: as the tools are given it.
 *
 * @throws WorkspaceError `workspace/no-folder`.
 */
export function memorySource(options: ConfinementOptions): ContextSource {
  const confinement = createConfinement(options);
  const known = new Map<string, string>();
  const looked = new WeakMap<SourceView, MemoryStates>();
  // Looked at once for a note: its words are those of its revision.
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

/** What a file said before this process looked is not known: such a change shows the file whole. */
function remember(states: MemoryStates, known: Map<string, string>): void {
  for (const state of states.values()) {
    if (state === undefined || isProblem(state)) continue;
    known.delete(inShort(state.digest));
    known.set(inShort(state.digest), state.text);
  }
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest);
}

function sayWhole(states: MemoryStates): string {
  const files = MEMORY_NAMES.flatMap((name) => {
    const state = states.get(name);
    return state === undefined ? [] : [sayFile(name, state, 'says')];
  });
  return [`What earlier sessions and the user keep in ${MEMORY_FOLDER}/ of the workspace:`, ...files].join('\n\n');
}

async function sayChanges(
  states: MemoryStates,
  noted: string | undefined,
  known: ReadonlyMap<string, string>,
): Promise<string> {
  const changes = MEMORY_NAMES.map(async (name): Promise<readonly string[]> => {
    const was = shownIn(noted, name);
    const state = states.get(name);
    if (state === undefined) return was === undefined ? [] : [`${name} is gone; what it said no longer holds.`];
    if (isProblem(state)) return [sayFile(name, state, 'says')];
    if (was === inShort(state.digest)) return [];
    return [await sayChange(name, state, was === undefined ? undefined : known.get(was))];
  });
  return (await Promise.all(changes)).flat().join('\n\n');
}

/** The shorter of the two: what changed, or the file as it is now. */
async function sayChange(name: MemoryName, file: MemoryFile, before: string | undefined): Promise<string> {
  const whole = sayFile(name, file, 'now says');
  if (before === undefined) return whole;
  const diff = await showDiff(before, file.text);
  const change = `${headOf(name, file)} changed; what is not shown stands as before:\n${diff}`;
  return change.length < whole.length ? change : whole;
}

function sayFile(name: MemoryName, state: MemoryFile | ToolProblem, says: string): string {
  if (isProblem(state)) return `${name} cannot be used: ${state.problem}`;
  const text = state.text.trimEnd();
  return text === '' ? `${headOf(name, state)} is empty.` : `${headOf(name, state)} ${says}:\n${text}`;
}

function headOf(name: MemoryName, { bytes }: MemoryFile): string {
  const { soft, hard } = MEMORY_FILES[name];
  return `${name} (${bytes} of ${hard} bytes${bytes > soft ? '; above the ' + soft + ' that it should have' : ''})`;
}
