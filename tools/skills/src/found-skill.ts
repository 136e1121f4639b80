// Types for the result of a search of the roots. The result contains usable skills, hidden skills and unusable files. A
// skill is hidden if a nearer skill has the same name.

import type { Skill } from '@tidemark/agent';

/** A folder that contains skills, one in each subfolder. */
export interface SkillRoot {
  /** Absolute path. The folder may be missing. */
  readonly folder: string;
  /** Origin of its skills: `workspace`, `home` or `config`. */
  readonly source: string;
}

export interface FoundSkill extends Skill {
  readonly description: string;
  /** Text for this skill in the index of skills. The text describes when to use the skill. */
  readonly use: string;
  /** True if the skill has `metadata.preload: always`. */
  readonly preload: boolean;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Absolute path at which the skill's folder was found. The path may contain links. */
  readonly folder: string;
  /**
   * Path of the folder without links. The path was resolved when SKILL.md was read. Other files of the skill are read
   * below this path.
   */
  readonly realFolder: string;
  /** Files next to SKILL.md and in two levels of subfolders, as relative paths. The list contains at most 40 files. */
  readonly files: readonly string[];
}

/** A skill that is hidden because a nearer skill has the same name. */
export interface ShadowedSkill {
  readonly skill: FoundSkill;
  readonly by: FoundSkill;
}

/** A skill that is skipped, and the reason. */
export interface BadSkill {
  readonly path: string;
  readonly source: string;
  readonly reason: string;
}

/**
 * Result of a search of the roots: usable skills, hidden skills and unusable files. A skill is hidden if a nearer skill
 * has the same name.
 */
export interface FoundSkills {
  /** Usable skills, sorted by name. */
  readonly skills: readonly FoundSkill[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly bad: readonly BadSkill[];
}
