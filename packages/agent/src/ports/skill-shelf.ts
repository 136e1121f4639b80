// The port of installed skills: what there is, and what a session may have loaded. Where they
// come from and how they are written is the business of whoever implements it.

import type { Preload } from '@tidemark/context';

/** An installed practice. */
export interface Skill {
  readonly name: string;
  /** Names the bytes of its SKILL.md. */
  readonly version: string;
  /** Where it was found: `workspace`, `home`, `config`. */
  readonly source: string;
  /** What the model reads, whole or not at all. */
  readonly body: string;
}

/** The installed skills, as of the last scan. The owner of the shelf scans again. */
export interface SkillShelf {
  /** Bodies that may stand in the padding of a front. None of them is of the workspace. */
  readonly preloads: readonly Preload[];
  readonly budget: SkillBudget;
  find(name: string): Skill | undefined;
  /** All names, in order. */
  readonly names: readonly string[];
}

/** What the bodies that stand in the context may come to. Preloaded ones are none of them. */
export interface SkillBudget {
  /** Distinct skills. */
  readonly skills: number;
  /** Tokens, estimated: from here on the model is warned. */
  readonly warning: number;
  /** Tokens, estimated: what would come above is refused. */
  readonly most: number;
}

/** Three skills, a warning from 10,000 tokens on, 30,000 at most. */
export const SKILL_BUDGET: SkillBudget = { skills: 3, warning: 10_000, most: 30_000 };

/** A body that was brought into the tail. */
export interface LoadedSkill {
  readonly name: string;
  readonly version: string;
  readonly tokens: number;
}

/** What of the skills stands before the model now, as the log says. */
export interface SkillsInContext {
  /** Names of those whose bodies stand in the front. */
  readonly preloaded: readonly string[];
  /** Bodies in the tail, the oldest first. What a compaction dropped is not among them. */
  readonly loaded: readonly LoadedSkill[];
}
