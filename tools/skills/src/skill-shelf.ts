// Shelf of installed skills: stores the result of the last search of the roots (`look`) in the form that the runtime
// needs.

import type { Secrets, SkillBudget, SkillShelf } from '@tidemark/agent';
import { SKILL_BUDGET } from '@tidemark/agent';
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { findSkills } from './find-skills.ts';
import type { FoundSkill, FoundSkills, SkillRoot } from './found-skill.ts';
import type { KnownFolders } from './read-folder.ts';
import { indexText } from './index-text.ts';

/** Options for the skills of a session. */
export interface SkillsOptions {
  /**
   * Folders that contain skills, nearest first: see `skillRoots`. The list contains only folders that the user trusts.
   */
  readonly roots: readonly SkillRoot[];
  /**
   * Limits on loaded skills in the context. The default is 3 skills, a warning at 10,000 tokens, and at most 30,000
   * tokens.
   */
  readonly budget?: Partial<SkillBudget>;
}

/** The installed skills. `look` searches for them again. */
export interface InstalledSkills extends SkillShelf {
  /** Result of the last call of `look`. Empty before the first call. */
  readonly found: FoundSkills;
  /**
   * The list of skills for the model, with one line for each skill. The text of a skill cannot end its line.
   * `undefined` if no skill is installed.
   */
  readonly index: string | undefined;
  /** Searches the roots again. If a search already runs, waits for that search. Never throws. */
  look(): Promise<void>;
  find(name: string): FoundSkill | undefined;
}

/**
 * Returns the usual folders for skills, nearest first: `.agents/skills` in the workspace and in the home folder, then
 * `skills` in the configuration folder. The caller passes a workspace only if the user trusts it.
 */
export function skillRoots(places: {
  readonly workspace?: string;
  readonly home?: string;
  readonly config?: string;
}): readonly SkillRoot[] {
  const { workspace, home, config } = places;
  return [
    ...(workspace === undefined ? [] : [{ folder: join(workspace, '.agents', 'skills'), source: 'workspace' }]),
    ...(home === undefined ? [] : [{ folder: join(home, '.agents', 'skills'), source: 'home' }]),
    ...(config === undefined ? [] : [{ folder: join(config, 'skills'), source: 'config' }]),
  ];
}

/** Options of a shelf, in addition to its roots. */
export interface ShelfOptions {
  /** Function that hides secrets: see `findSkills`. */
  readonly mask?: Secrets['mask'];
  /** Folder that the agent works in. The bodies of skills below this folder are never preloaded. */
  readonly workspace?: string;
}

/** Creates a shelf for these roots. It reads nothing before the first call of `look`. */
export function createSkillShelf(
  { roots, budget }: SkillsOptions,
  { mask, workspace }: ShelfOptions = {},
): InstalledSkills {
  const known: KnownFolders = new Map();
  let seen = shelfOf({ skills: [], shadowed: [], bad: [] });
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const found = await findSkills(roots, known, mask);
    seen = shelfOf(found, workspace === undefined ? undefined : await realpath(workspace).catch(() => workspace));
    looking = undefined;
  };
  return {
    budget: { ...SKILL_BUDGET, ...budget },
    get found() {
      return seen.found;
    },
    get index() {
      return seen.index;
    },
    get preloads() {
      return seen.preloads;
    },
    get names() {
      return seen.names;
    },
    find: (name) => seen.byName.get(name),
    look: () => (looking ??= look()),
  };
}

function shelfOf(found: FoundSkills, workspace?: string) {
  const { skills } = found;
  // A preloaded body is part of the system text. The system text must not contain text from a workspace.
  const isOfWorkspace = ({ realFolder }: FoundSkill): boolean =>
    workspace !== undefined &&
    `${realFolder}${sep}`.startsWith(workspace.endsWith(sep) ? workspace : `${workspace}${sep}`);
  return {
    found,
    index: indexText(skills),
    preloads: skills
      .filter((skill) => skill.preload && !isOfWorkspace(skill))
      .map(({ name, body }) => ({ name, body })),
    names: skills.map(({ name }) => name),
    byName: new Map(skills.map((skill) => [skill.name, skill])),
  };
}
