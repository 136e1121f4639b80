// What a session is run with where skills are installed: the note that lists them, and the tools that find and load them. Where
// none is installed, nothing is said: a session that cannot use any pays for none of it. One that was told of some is told that they are gone.

import type { ContextSource, Runtime } from '@tidemark/agent';
import type { InstalledSkills } from '@tidemark/tools-skills';
import { createSkillLoadTool, createSkillSearchTool, skillsSource } from '@tidemark/tools-skills';
import { KitError } from './kit-error.ts';

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
    const message = `two tools are called ${taken.name}: rename yours, or remove \`skills\``;
    throw new KitError('kit/bad-options', message, { tool: taken.name });
  }
  return { ...runtime, skills: shelf, tools: [...runtime.tools, ...tools], sources };
}

// Context sources by name: a note is kept by the name of its source, so that two of one name would each tell at every prompt
// that the state of the other one changed.

/** The same sources. @throws KitError `kit/bad-options` where two have one name. */
export function withOwnNames(sources: readonly ContextSource[]): readonly ContextSource[] {
  const names = sources.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return sources;
  throw new KitError('kit/bad-options', `two context sources are called ${twice}: rename yours`, { source: twice });
}
