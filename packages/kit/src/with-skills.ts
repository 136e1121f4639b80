// What a session is run with where skills are installed: the note that lists them, and the tools that find and load them. Where
// none is installed, nothing: a session that cannot use any pays for none of it.

import type { Runtime } from '@tidemark/agent';
import type { InstalledSkills } from '@tidemark/tools-skills';
import { createSkillLoadTool, createSkillSearchTool, skillsSource } from '@tidemark/tools-skills';
import { KitError } from './kit-error.ts';
import { withOwnNames } from './with-own-names.ts';

/** Looks what is installed. @throws KitError `kit/bad-options` where a tool of the author's has one of their names. */
export async function withSkills(runtime: Runtime, shelf: InstalledSkills | undefined): Promise<Runtime> {
  await shelf?.look();
  if (shelf === undefined || shelf.names.length === 0) return runtime;
  const tools = [createSkillSearchTool(shelf), createSkillLoadTool(shelf)];
  const taken = tools.find(({ name }) => runtime.tools.some((tool) => tool.name === name));
  if (taken !== undefined) {
    const message = `two tools are called ${taken.name}: rename yours, or leave \`skills\` out`;
    throw new KitError('kit/bad-options', message, { tool: taken.name });
  }
  // First of the notes: what every session in the folder shares stands before what is each session's own.
  const sources = withOwnNames([skillsSource(shelf), ...runtime.sources]);
  return { ...runtime, skills: shelf, tools: [...runtime.tools, ...tools], sources };
}
