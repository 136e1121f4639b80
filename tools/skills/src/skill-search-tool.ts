// `skill_search`: finds installed skills. It also finds skills that the index omits or describes with other words.

import type { Tool } from '@tidemark/agent';
import { z } from 'zod';
import { problemOf, schemaOf } from './arguments.ts';
import { entryOf } from './index-text.ts';
import { searchSkills } from './search-skills.ts';
import type { InstalledSkills } from './skill-shelf.ts';

const ARGUMENTS = z.strictObject({
  query: z.string().trim().min(1).max(400).describe('Words that describe the task'),
  limit: z.int().min(1).max(50).optional().describe('Maximum number of skills. Default: 10'),
});

const DESCRIPTION =
  'Searches the installed skills by name and description. Returns the best matches first. A skill describes how to do a kind of task: load it with skill_load before you rely on it.';

/** Creates the tool `skill_search`, which has the effect class `none`. */
export function createSkillSearchTool(shelf: InstalledSkills): Tool {
  return {
    name: 'skill_search',
    description: DESCRIPTION,
    schema: schemaOf(ARGUMENTS),
    earlier: ['381d01bdd07f55b3aee22f63b8ce9c3b67c2fd239cee81a43ab6892b3627b614'],
    effect: 'none',
    read(input) {
      const asked = ARGUMENTS.safeParse(input);
      if (!asked.success) return problemOf(ARGUMENTS, asked.error, input);
      const { query, limit = 10 } = asked.data;
      return {
        title: `skill_search ${query}`,
        run: async () => {
          await shelf.look();
          return { text: resultOf(shelf, query, limit) };
        },
      };
    },
  };
}

function resultOf({ found: { skills } }: InstalledSkills, query: string, limit: number): string {
  const matches = searchSkills(skills, query);
  if (matches.length === 0) return `None of the ${skills.length} installed skills matches. Search for other words.`;
  const shown = matches.slice(0, limit).map(entryOf);
  const rest = matches.length - shown.length;
  return [
    ...shown,
    ...(rest === 0 ? [] : [`[${rest} more skills match: raise limit, or use more specific words.]`]),
  ].join('\n');
}
