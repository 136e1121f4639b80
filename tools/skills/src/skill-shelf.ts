// Installed skills as the runtime asks for them: what the last look found.

import type { Secrets, SkillBudget, SkillShelf } from '@tidemark/agent';
import { SKILL_BUDGET } from '@tidemark/agent';
import { join } from 'node:path';
import { findSkills } from './find-skills.ts';
import type { FoundSkill, FoundSkills, SkillRoot } from './found-skill.ts';
import type { KnownFolders } from './read-folder.ts';
import { indexText } from './index-text.ts';

/** Which skills a session may use. */
export interface SkillsOptions {
  /** Where they are, the nearer first: see `skillRoots`. Only folders that the user trusts. */
  readonly roots: readonly SkillRoot[];
  /** How much of them may stand in the context: 3 skills, a warning at 10,000 tokens, 30,000 at most unless said. */
  readonly budget?: Partial<SkillBudget>;
}

/** A shelf that can be looked at again. */
export interface InstalledSkills extends SkillShelf {
  /** What the last look found; nothing before the first. */
  readonly found: FoundSkills;
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

/** A shelf over these roots. Nothing is read before the first look. See `findSkills` for `mask`. */
export function createSkillShelf({ roots, budget }: SkillsOptions, mask?: Secrets['mask']): InstalledSkills {
  const known: KnownFolders = new Map();
  let seen = shelve({ skills: [], shadowed: [], bad: [] });
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    seen = shelve(await findSkills(roots, known, mask));
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

function shelve(found: FoundSkills) {
  const { skills } = found;
  return {
    found,
    index: indexText(skills),
    preloads: skills.filter(({ preload }) => preload).map(({ name, body }) => ({ name, body })),
    names: skills.map(({ name }) => name),
    byName: new Map(skills.map((skill) => [skill.name, skill])),
  };
}
