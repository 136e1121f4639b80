// Installed skills as the runtime asks for them: what the last look found.

import type { Secrets, SkillBudget, SkillShelf } from '@tidemark/agent';
import { SKILL_BUDGET } from '@tidemark/agent';
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { findSkills } from './find-skills.ts';
import type { FoundSkill, FoundSkills, SkillRoot } from './found-skill.ts';
import type { KnownFolders } from './read-folder.ts';
import { indexText } from './index-text.ts';

/** Which skills a session may use. */
export interface SkillsOptions {
  /** Where they are, the nearer first: see `skillRoots`. Only folders that the user trusts. */
  readonly roots: readonly SkillRoot[];
  /** How much of them the context may hold. Default: 3 skills, a warning at 10,000 tokens, 30,000 at most. */
  readonly budget?: Partial<SkillBudget>;
}

/** A shelf that can be looked at again. */
export interface InstalledSkills extends SkillShelf {
  /** What the last look found; nothing before the first. */
  readonly found: FoundSkills;
  /** The list for the model; absent where nothing is installed. One line each, nothing in it can end a line. */
  readonly index: string | undefined;
  /** Looks again. One look at a time. It throws nothing. */
  look(): Promise<void>;
  find(name: string): FoundSkill | undefined;
}

/** Where skills lie by convention, the nearer first. A workspace is named only where the user trusts it. */
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

/** What a shelf is made with beside its roots. */
export interface ShelfOptions {
  /** See `findSkills`. */
  readonly mask?: Secrets['mask'];
  /** The folder that the agent works in. Bodies of skills below it are never preloaded. */
  readonly workspace?: string;
}

/** A shelf over these roots. Nothing is read before the first look. */
export function createSkillShelf(
  { roots, budget }: SkillsOptions,
  { mask, workspace }: ShelfOptions = {},
): InstalledSkills {
  const known: KnownFolders = new Map();
  let seen = shelve({ skills: [], shadowed: [], bad: [] });
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const found = await findSkills(roots, known, mask);
    seen = shelve(found, workspace === undefined ? undefined : await realpath(workspace).catch(() => workspace));
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

function shelve(found: FoundSkills, workspace?: string) {
  const { skills } = found;
  // A preloaded body stands in the system text, where nothing of a workspace may stand.
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
