// Types for the result of searching the roots: usable skills, skills that a nearer skill of the same name hides, and
// files that cannot be used.

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
  /** Text that the index of skills shows for this skill. It describes when to use the skill. */
  readonly use: string;
  /** True if the skill has `metadata.preload: always`. */
  readonly preload: boolean;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Absolute path of the skill's folder as it was found. The path may contain links. */
  readonly folder: string;
  /**
   * Path of the folder without links, resolved when its SKILL.md was read. Other files of the skill are read below this
   * path.
   */
  readonly realFolder: string;
  /** Files next to SKILL.md and in two levels of subfolders, as relative paths. At most 40 files are listed. */
  readonly files: readonly string[];
}

/** A skill that is hidden by a nearer skill of the same name. */
export interface ShadowedSkill {
  readonly skill: FoundSkill;
  readonly by: FoundSkill;
}

/** A skill that is skipped, with the reason. */
export interface BadSkill {
  readonly path: string;
  readonly source: string;
  readonly reason: string;
}

/**
 * Result of searching the roots: usable skills, skills that a nearer skill of the same name hides, and files that
 * cannot be used.
 */
export interface FoundSkills {
  /** Usable skills, sorted by name. */
  readonly skills: readonly FoundSkill[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly bad: readonly BadSkill[];
}
