// `skill_load`: adds the body of a skill to the context, but not a second time. Alternatively, reads one of the skill's
// other files. A body is never cut, because a model could not know that a cut body is incomplete.

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { judgeLoad, nearestName } from '@tidemark/agent';
import { join } from 'node:path';
import { z } from 'zod';
import { problemOf, schemaOf } from './arguments.ts';
import type { FoundSkill } from './found-skill.ts';
import { inside, readPlain } from './read-folder.ts';
import type { InstalledSkills } from './skill-shelf.ts';

const ARGUMENTS = z.strictObject({
  name: z.string().describe('Name of the skill'),
  file: z.string().min(1).optional().describe('File of the skill, as its instructions name it'),
});

const DESCRIPTION =
  'Loads a skill. Returns its instructions, which apply from then on. With file, returns one of its files (at most 1 MiB) instead. Loading runs nothing. To find a skill, use skill_search.';

/** Maximum number of bytes that the masking of secrets can add to a result. */
const MARGIN = 512;
/** Largest file next to a SKILL.md that is read, in bytes. */
const LARGEST_FILE = 1_048_576;

/**
 * Creates the tool `skill_load`, which has the effect class `read`. Only one call runs at a time. Each call therefore
 * knows which skills earlier calls have loaded.
 */
export function createSkillLoadTool(shelf: InstalledSkills): Tool {
  return {
    name: 'skill_load',
    description: DESCRIPTION,
    schema: schemaOf(ARGUMENTS),
    earlier: ['2d7cc48e026cf31a40160c3c949555a65e6932752d2399cca38173a528833603'],
    effect: 'read',
    alone: true,
    read(input) {
      const asked = ARGUMENTS.safeParse(input);
      if (!asked.success) return problemOf(ARGUMENTS, asked.error, input);
      const { name, file } = asked.data;
      return {
        title: `skill_load ${file === undefined ? name : `${name} ${file}`}`,
        run: async (context) => {
          await shelf.look();
          const skill = shelf.find(name);
          if (skill === undefined) return failedOutput(unknown(shelf, name));
          return file === undefined ? load(shelf, skill, context) : readFile(skill, file);
        },
      };
    },
  };
}

function load({ budget }: InstalledSkills, skill: FoundSkill, context: ToolContext): ToolOutput {
  const verdict = judgeLoad(skill, context.skills, budget);
  switch (verdict.do) {
    case 'point':
      return { text: pointerTo(skill, verdict.at) };
    case 'refuse':
      return failedOutput(`${verdict.why} ${FREES}`);
    case 'load': {
      const { tokens, warning } = verdict;
      const text = skillText(skill, warning);
      const tooLong = whyTooLong(text, context.room());
      if (tooLong !== undefined) return failedOutput(`the body of ${skill.name} ${tooLong}`);
      const { name, version, source } = skill;
      return { text, facts: [{ kind: 'skill.loaded', data: { name, version, reason: 'on_demand', tokens, source } }] };
    }
  }
}

const FREES =
  'A loaded skill stays in the context until a compaction drops it and frees its tokens. Work with the loaded skills, or tell the user, who can compact, or load a skill beyond the budget with /skill.';

function skillText({ name, source, version, body }: FoundSkill, warning: string | undefined): string {
  const budgetNote = warning === undefined ? '' : `\n\n[Budget: ${warning}.]`;
  return `# Skill: ${name} (source: ${source}, version ${version})\n\n${body}${budgetNote}\n`;
}

function pointerTo({ name, source }: FoundSkill, at: 'already_preloaded' | 'already_loaded'): string {
  const where =
    at === 'already_preloaded'
      ? `The system text contains the whole skill, under "## Skill: ${name}"`
      : 'It was loaded earlier, and its text is still in the context above';
  return `# Skill: ${name} (source: ${source})\n\n[${at}] ${where}. Follow that text. Nothing was loaded again.\n`;
}

function whyTooLong(text: string, { bytes, lines }: ReturnType<ToolContext['room']>): string | undefined {
  const size = Buffer.byteLength(text);
  const count = text.split('\n').length;
  if (size + MARGIN <= bytes && count <= lines) return undefined;
  return (
    `has ${size} bytes in ${count} lines, and a result can show at most ${bytes} bytes in ${lines} lines: a skill is only ` +
    'shown whole. Read it in pages, with file "SKILL.md", or load it alone after a compaction.'
  );
}

function readFile({ realFolder, name }: FoundSkill, file: string): ToolOutput {
  const path = inside(join(realFolder, file), realFolder);
  const bytes = typeof path === 'string' ? readPlain(path, realFolder, LARGEST_FILE) : path;
  if ('reason' in bytes) return failedOutput(`${file} of the skill ${name} cannot be shown: ${bytes.reason}`);
  if (bytes.subarray(0, 8_192).includes(0))
    return failedOutput(`${file} of the skill ${name} is not text, so it cannot be shown`);
  return { text: new TextDecoder().decode(bytes) };
}

function unknown({ names }: InstalledSkills, name: string): string {
  const nearest = nearestName(name, names);
  const next = nearest === undefined ? 'find one with skill_search' : `did you mean ${nearest}?`;
  return `there is no skill "${name.slice(0, 80)}": ${next}`;
}

function failedOutput(text: string): ToolOutput {
  return { text, failed: true };
}
