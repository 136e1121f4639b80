// Public exports of `skills`: the installed skills with their tools and note, and the own agents with their note.

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
export type { AgentShelfOptions, InstalledAgents, OwnAgentsOptions } from './agents/agent-shelf.ts';
export { createAgentShelf } from './agents/agent-shelf.ts';
export { agentsSource } from './agents/agents-source.ts';
export type { FoundAgent, FoundAgents, ShadowedAgent } from './agents/find-agents.ts';
export { agentRoots, findAgents } from './agents/find-agents.ts';
