// Searches skills by words. A match in the name has more weight than a match in the description. Equal input gives an
// equal order.

import type { FoundSkill } from './found-skill.ts';

const SHORTEST_PART = 3;

/**
 * Returns the matching skills, best match first. Equal matches are sorted by name. Differences of case and Unicode
 * variants of letters are ignored.
 */
export function searchSkills(skills: readonly FoundSkill[], query: string): readonly FoundSkill[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return skills
    .map((skill) => ({ skill, score: words.reduce((sum, word) => sum + scoreOf(skill, word), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .map(({ skill }) => skill);
}

function scoreOf({ name, description, use }: FoundSkill, word: string): number {
  // A short ASCII word occurs inside too many other words. Therefore it must be equal to the whole name or to a part
  // between hyphens. In scripts without letters, a short text can be a whole word.
  const isLong = word.length >= SHORTEST_PART || !/^\p{ASCII}*$/u.test(word);
  const inName = name === word ? 8 : name.split('-').includes(word) ? 6 : isLong && name.includes(word) ? 4 : 0;
  return inName + (isLong && plain(`${use} ${description}`).includes(word) ? 1 : 0);
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
