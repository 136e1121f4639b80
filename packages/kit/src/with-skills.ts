// What a session is run with where skills are installed: the note that lists them, and the tools that find and load them. Where
// none is installed, nothing is said: a session that cannot use any pays for none of it. One that was told of some is told that they are gone.

import type { Runtime } from '@tidemark/agent';
import type { InstalledSkills } from '@tidemark/tools-skills';
import { createSkillLoadTool, createSkillSearchTool, skillsSource } from '@tidemark/tools-skills';
import { KitError } from './kit-error.ts';
import { withOwnNames } from './with-own-names.ts';

/** Looks what is installed. @throws KitError `kit/bad-options` where a tool of the author's has one of their names. */
export async function withSkills(runtime: Runtime, shelf: InstalledSkills | undefined): Promise<Runtime> {
  await shelf?.look();
  if (shelf === undefined) return runtime;
  // First of the notes: what every session in the folder shares stands before what is each session's own.
  const sources = withOwnNames([skillsSource(shelf), ...runtime.sources]);
  if (shelf.names.length === 0) return { ...runtime, sources };
  const tools = [createSkillSearchTool(shelf), createSkillLoadTool(shelf)];
  const taken = tools.find(({ name }) => runtime.tools.some((tool) => tool.name === name));
  if (taken !== undefined) {
    const message = `two tools are called ${taken.name}: rename yours, or leave \`skills\` out`;
    throw new KitError('kit/bad-options', message, { tool: taken.name });
  }
  return { ...runtime, skills: shelf, tools: [...runtime.tools, ...tools], sources };
}
