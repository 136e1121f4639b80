// Installed skills for people: where each comes from, which are hidden by a nearer one, and which cannot be used and why.

import type { Json } from '@tidemark/log';
import type { FoundSkills } from '@tidemark/tools-skills';

import type { CommandContext } from './command.ts';
import { counted } from './numbers.ts';
import { plainText } from './plain-text.ts';

/** For a program. */
export function inFields({ skills, shadowed, bad }: FoundSkills): { readonly [name: string]: Json } {
  return {
    skills: skills.map(({ name, source, version, folder, use, preload }) => ({
      name,
      source,
      version,
      folder,
      use,
      preload,
    })),
    shadowed: shadowed.map(({ skill, by }) => ({ name: skill.name, folder: skill.folder, by: by.folder })),
    bad: bad.map(({ path, source, reason }) => ({ path, source, reason })),
  };
}

/** For people. */
export function showInstalled({ skills, shadowed, bad }: FoundSkills, { output }: CommandContext): void {
  output.line(skills.length === 0 ? 'none is installed' : `${counted(skills.length, 'skill')} installed`);
  const rows = skills.map(({ name, source, version, use }) => [name, source, version, plainText(use)]);
  if (rows.length > 0) output.table({ head: ['skill', 'from', 'version', 'when to use'], rows });
  for (const { skill, by } of shadowed)
    output.line(plainText(`hidden: ${skill.folder}, since ${by.folder} has the same name and is nearer`));
  for (const { path, reason } of bad) output.line(plainText(`skipped: ${path}: ${reason}`));
}
