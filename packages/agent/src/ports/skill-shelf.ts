// Port of installed skills: the skills that exist, and the budget for loading them. The implementation decides the
// sources of the skills and their file format.

import type { Preload } from '@tidemark/context';

export interface Skill {
  readonly name: string;
  /** Version of the skill, derived from the bytes of its SKILL.md. */
  readonly version: string;
  /** Place where the skill was found: `workspace`, `home`, `config`. */
  readonly source: string;
  /** Text for the model. The model is shown the whole text or nothing of it. */
  readonly body: string;
}

/** Installed skills, as of the last scan. The owner of the shelf repeats the scan. */
export interface SkillShelf {
  /** Skill bodies that the padding of a front may contain. None of them comes from the workspace. */
  readonly preloads: readonly Preload[];
  readonly budget: SkillBudget;
  find(name: string): Skill | undefined;
  /** All names, always in the same order. */
  readonly names: readonly string[];
}

/** Budget for the skill bodies in the context. Preloaded bodies do not count. */
export interface SkillBudget {
  /** Maximum number of different skills that may be loaded at the same time. */
  readonly skills: number;
  /** Estimated tokens. If the loaded skills together reach this number, the model is warned. */
  readonly warning: number;
  /** Maximum of estimated tokens. If a skill would exceed it, the skill is refused. */
  readonly most: number;
}

/** Default budget: at most three skills and at most 30,000 tokens, with a warning from 10,000 tokens on. */
export const SKILL_BUDGET: SkillBudget = { skills: 3, warning: 10_000, most: 30_000 };

/** A skill whose body was loaded into the tail. */
export interface LoadedSkill {
  readonly name: string;
  readonly version: string;
  readonly tokens: number;
}

/** Skills whose bodies are in the context now, according to the log. */
export interface SkillsInContext {
  /** Names of the skills whose bodies are in the front. */
  readonly preloaded: readonly string[];
  /** Skills whose bodies are in the tail, oldest first. Bodies that a compaction dropped are not included. */
  readonly loaded: readonly LoadedSkill[];
}
