// Parses a prompt that begins with `/skill name`: the skills to load, and the task for them.

/** Text of a prompt, and the names of the skills to load with it. */
export interface SkilledPrompt {
  readonly words: string;
  readonly skills: readonly string[];
}

/**
 * Removes each leading `/skill name` from the prompt. Returns the rest of the prompt and the names. If no other words
 * follow, the rest is replaced by a request to use these skills.
 */
export function takeSkills(text: string): SkilledPrompt {
  const skills: string[] = [];
  let rest = text;
  for (;;) {
    const found = /^\/skill[ \t]+(\S+)\s*/.exec(rest);
    if (found?.[1] === undefined) break;
    skills.push(found[1]);
    rest = rest.slice(found[0].length);
  }
  if (skills.length === 0 || rest !== '') return { words: rest, skills };
  return { words: `Use the ${skills.length === 1 ? 'skill' : 'skills'} ${skills.join(', ')}.`, skills };
}
