// Searches folders for skills. These folders are called roots, and nearer roots come first in the list. If two skills
// have the same name, the skill of the nearer root is used and the other skill is reported.

import type { Secrets } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { BadSkill, FoundSkill, FoundSkills, ShadowedSkill, SkillRoot } from './found-skill.ts';
import type { FolderLook, KnownFolders } from './read-folder.ts';
import { readSkillFolder } from './read-folder.ts';

/** Maximum number of folders that are read in one root. */
const MAX_FOLDERS = 1_000;
const AT_ONCE = 200;

const { mask: maskShapes } = createSecrets({ values: [] });

/**
 * Finds the installed skills. It never throws. If a skill cannot be read, it is reported in `bad`. `known` contains the
 * results of earlier calls with the same `mask`, so unchanged folders are not read again. By default, `mask` hides only
 * secrets of known forms.
 */
export async function findSkills(
  roots: readonly SkillRoot[],
  known: KnownFolders = new Map(),
  mask: Secrets['mask'] = maskShapes,
): Promise<FoundSkills> {
  const used = new Map<string, FoundSkill>();
  const shadowed: ShadowedSkill[] = [];
  const bad: BadSkill[] = [];
  for (const found of await Promise.all(roots.map((root) => lookInto(root, { known, mask })))) {
    bad.push(...found.bad);
    for (const skill of found.skills) {
      const by = used.get(skill.name);
      if (by === undefined) used.set(skill.name, skill);
      else if (by.folder !== skill.folder) shadowed.push({ skill, by });
    }
  }
  return { skills: [...used.values()].toSorted(byName), shadowed, bad };
}

async function lookInto(
  root: SkillRoot,
  how: Pick<FolderLook, 'known' | 'mask'>,
): Promise<Pick<FoundSkills, 'skills' | 'bad'>> {
  const realRoot = await realpath(root.folder).catch(() => undefined);
  if (realRoot === undefined) return { skills: [], bad: [] };
  const skills: FoundSkill[] = [];
  const bad: BadSkill[] = [];
  const skip = (path: string, reason: string): void => void bad.push({ path, source: root.source, reason });
  const names = await foldersIn(realRoot).catch((error: unknown) => {
    skip(root.folder, `it cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  });
  const looked = names.slice(0, MAX_FOLDERS).map((name) => join(root.folder, name));
  for (const [index, folder] of looked.entries()) {
    // A pause after every `AT_ONCE` folders, so that other work of the process can run.
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const one = await readSkillFolder(folder, { root, realRoot, ...how });
    if ('reason' in one) skip(folder, one.reason);
    else skills.push(one);
  }
  if (names.length > MAX_FOLDERS)
    skip(root.folder, `only the first ${MAX_FOLDERS} of its ${names.length} folders are used`);
  return { skills, bad };
}

async function foldersIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
    .map(({ name }) => name)
    .toSorted();
}

function byName(a: FoundSkill, b: FoundSkill): number {
  return a.name < b.name ? -1 : 1;
}
