// Adds skills to the runtime of a session: a note that lists them, and the tools that find and load them. If no skill
// is installed, the tools are absent and the context has no extra text, so skills cost nothing. If a session listed
// skills before and all skills were removed, it gets a note about this.

import type { ContextSource, Runtime } from '@tidemark/agent';
import type { InstalledSkills } from '@tidemark/tools-skills';
import { createSkillLoadTool, createSkillSearchTool, skillsSource } from '@tidemark/tools-skills';
import { KitError } from './kit-error.ts';

/**
 * Scans the installed skills and returns the runtime with their note and tools.
 *
 * @throws KitError `kit/bad-options` if a tool of the author has the name of a skill tool, or a context source has the
 *   name `skills`.
 */
export async function withSkills(runtime: Runtime, shelf: InstalledSkills | undefined): Promise<Runtime> {
  await shelf?.look();
  if (shelf === undefined) return runtime;
  // The skills note comes first, because it is the same for all sessions in the folder. The notes that differ between
  // sessions follow.
  const sources = withOwnNames([skillsSource(shelf), ...runtime.sources]);
  if (shelf.names.length === 0) return { ...runtime, sources };
  const tools = [createSkillSearchTool(shelf), createSkillLoadTool(shelf)];
  const taken = tools.find(({ name }) => runtime.tools.some((tool) => tool.name === name));
  if (taken !== undefined) {
    const message = `two tools have the name ${taken.name}: rename yours, or remove \`skills\``;
    throw new KitError('kit/bad-options', message, { tool: taken.name });
  }
  return { ...runtime, skills: shelf, tools: [...runtime.tools, ...tools], sources };
}

// Names of context sources must be unique, because notes are stored by source name. If two sources had the same name,
// each of them would read the revision of the other source in the log. Both would then record a change at every prompt.

/**
 * Checks that all sources have different names, and returns the sources unchanged.
 *
 * @throws KitError `kit/bad-options` if two sources have the same name.
 */
export function withOwnNames(sources: readonly ContextSource[]): readonly ContextSource[] {
  const names = sources.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return sources;
  throw new KitError('kit/bad-options', `two context sources have the name ${twice}: rename yours`, { source: twice });
}
