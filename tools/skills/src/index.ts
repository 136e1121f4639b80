// Public exports of `skills`: the installed skills, the tools that search and load them, and the note about changes.

export type { BadSkill, FoundSkill, FoundSkills, ShadowedSkill, SkillRoot } from './found-skill.ts';
export type { KnownFolders } from './read-folder.ts';
export { findSkills } from './find-skills.ts';
export type { BadFile, SkillFile } from './front-matter.ts';
export { readSkillFile } from './front-matter.ts';
export { indexText, LARGEST_INDEX } from './index-text.ts';
export { searchSkills } from './search-skills.ts';
export { createSkillLoadTool } from './skill-load-tool.ts';
export { createSkillSearchTool } from './skill-search-tool.ts';
export type { InstalledSkills, SkillsOptions } from './skill-shelf.ts';
export { createSkillShelf, skillRoots } from './skill-shelf.ts';
export { skillsSource } from './skills-source.ts';
