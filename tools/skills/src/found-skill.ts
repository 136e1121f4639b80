// What is found in the roots: skills that can be used, those that a nearer one hides, and files that cannot be used.

import type { Skill } from '@tidemark/agent';

/** A folder that holds skills, one folder each. */
export interface SkillRoot {
  /** Absolute. It need not exist. */
  readonly folder: string;
  /** What its skills are said to come from: `workspace`, `home`, `config`. */
  readonly source: string;
}

/** A skill as it is installed. */
export interface FoundSkill extends Skill {
  readonly description: string;
  /** When to use it: what the index says. */
  readonly use: string;
  /** Marked for preloading by `metadata.preload: always`. */
  readonly preload: boolean;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Absolute, as it was found. */
  readonly folder: string;
  /** The same without links, as it was when its SKILL.md was read: files are read below it. */
  readonly realFolder: string;
  /** Files beside SKILL.md, relative, by path; a long list is cut. */
  readonly files: readonly string[];
}

/** One that a nearer skill of the same name hides. */
export interface ShadowedSkill {
  readonly skill: FoundSkill;
  readonly by: FoundSkill;
}

/** A skill that is skipped. */
export interface BadSkill {
  readonly path: string;
  readonly source: string;
  readonly reason: string;
}

/** The skills found in the roots: usable ones, those that a nearer skill hides, and files that cannot be used. */
export interface FoundSkills {
  /** By name. */
  readonly skills: readonly FoundSkill[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly bad: readonly BadSkill[];
}
