// Lists installed skills for people, with the source of each skill. Also lists skills that are hidden by a nearer
// skill, and skills that cannot be used, with the reason.

import type { Json } from '@tidemark/log';
import { judgeTrust, readBrought, SettingsError } from '@tidemark/settings';
import type { FoundSkills, SkillRoot } from '@tidemark/tools-skills';

import type { CommandContext } from '../frame/command.ts';
import { formatCount } from '../frame/numbers.ts';
import { plainText } from '../frame/plain-text.ts';
import { oneName } from './trust-in.ts';

/** Returns the installed skills for the JSON output. `roots` contains the folders that were searched, nearest first. */
export function inFields(
  { skills, shadowed, bad }: FoundSkills,
  roots: readonly SkillRoot[],
): { readonly [name: string]: Json } {
  return {
    roots: roots.map(({ folder, source }) => ({ folder, source })),
    skills: skills.map(({ name, source, version, folder, use, preload }) => ({
      name,
      source,
      version,
      folder,
      use,
      preload,
    })),
    shadowed: shadowed.map(({ skill: { name, source, folder }, by }) => ({ name, source, folder, by: by.folder })),
    bad: bad.map(({ path, source, reason }) => ({ path, source, reason })),
  };
}

/** Returns the current folder, its trust, and the names of its skills if it is not trusted. Never asks the user. */
export async function skillsHere({ folder, home }: CommandContext): Promise<SkillsHere> {
  try {
    const brought = await readBrought(folder);
    const trusted = (await judgeTrust(home, brought)) === 'trusted';
    return { folder, trusted, unused: trusted ? [] : brought.skills };
  } catch (error) {
    // If a folder cannot be read completely, none of it is used.
    if (error instanceof SettingsError) return { folder, trusted: false, unused: [] };
    throw error;
  }
}

/** Current folder. `unused` contains the names of its skills that are not used because the folder is not trusted. */
export interface SkillsHere {
  readonly folder: string;
  readonly trusted: boolean;
  readonly unused: readonly string[];
}

const NO_SKILLS = 'no skill is installed';
const PLACES = 'a skill is a folder with a SKILL.md in .agents/skills or in ~/.agents/skills';

/** Prints the installed skills for people. */
export function showInstalled(
  { skills, shadowed, bad, untrusted }: FoundSkills & { readonly untrusted: readonly string[] },
  roots: readonly SkillRoot[],
  { output }: CommandContext,
): void {
  output.line(skills.length === 0 ? NO_SKILLS : `${formatCount(skills.length, 'skill')} installed`);
  if (skills.length + untrusted.length + bad.length === 0) output.line(PLACES);
  const rows = skills.map(({ name, source, version, use }) => [name, source, version, plainText(use)]);
  if (rows.length > 0)
    output.table({
      head: ['skill', 'from', 'version', 'when to use'],
      rows,
      narrowing: [{ column: 'when to use', least: 20 }],
    });
  const listed = new Set([...skills, ...shadowed.map(({ skill }) => skill), ...bad].map(({ source }) => source));
  for (const { folder, source } of roots) if (listed.has(source)) output.line(plainText(`${source}: ${folder}`));
  if (untrusted.length > 0)
    output.line(
      plainText(
        `not used: ${untrusted.map(oneName).join(', ')}, because this folder is not trusted; \`tidemark trust\` shows them and asks`,
      ),
    );
  for (const { skill, by } of shadowed)
    output.line(plainText(`hidden: ${skill.folder}, because ${by.folder} has the same name and takes precedence`));
  for (const { path, reason } of bad) output.line(plainText(`skipped: ${path}: ${reason}`));
}
