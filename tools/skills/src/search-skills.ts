// Finds skills by words: in the name they weigh more than in what it is for. Equal input gives equal order.

import type { FoundSkill } from './found-skill.ts';

const SHORTEST_PART = 3;

/** The best matches first, ties by name. Case and the form of letters do not matter. */
export function searchSkills(skills: readonly FoundSkill[], query: string): readonly FoundSkill[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return skills
    .map((skill) => ({ skill, score: words.reduce((sum, word) => sum + scoreOf(skill, word), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .map(({ skill }) => skill);
}

function scoreOf({ name, description, use }: FoundSkill, word: string): number {
  // A short word stands inside of too many others to mean them; in scripts that spell no letters it is a word.
  const isLong = word.length >= SHORTEST_PART || !/^\p{ASCII}*$/u.test(word);
  const inName = name === word ? 8 : name.split('-').includes(word) ? 6 : isLong && name.includes(word) ? 4 : 0;
  return inName + (isLong && plain(`${use} ${description}`).includes(word) ? 1 : 0);
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
