// Writes the index of skills. A model reads it to choose a skill to load. The index has one line for each skill, sorted
// by name. If the index exceeds a size limit, the last skills are omitted, and a line contains their number.

import type { FoundSkill } from './found-skill.ts';

/** Maximum number of bytes of the index. */
export const LARGEST_INDEX = 8_000;

const TITLE = 'Installed skills. Load one with skill_load before you rely on it:\n';
/** Number of bytes reserved for the last line, which counts the omitted skills. */
const ROOM = 80;

/** Returns one line of the index. */
export function entryOf({ name, use }: Pick<FoundSkill, 'name' | 'use'>): string {
  return `- ${name}: ${use}`;
}

/** Returns the index, or `undefined` if there are no skills. Equal skills give equal bytes. */
export function indexText(skills: readonly FoundSkill[]): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = skills.map((skill) => `${entryOf(skill)}\n`);
  const sizes = lines.map((line) => Buffer.byteLength(line));
  const title = Buffer.byteLength(TITLE);
  if (sizes.reduce((sum, size) => sum + size, title) <= LARGEST_INDEX) return [TITLE, ...lines].join('');
  const kept: string[] = [TITLE];
  let bytes = title + ROOM;
  for (const [at, line] of lines.entries()) {
    bytes += sizes[at] ?? 0;
    if (bytes > LARGEST_INDEX) break;
    kept.push(line);
  }
  return [...kept, `And ${skills.length - kept.length + 1} more: find them with skill_search.\n`].join('');
}
