// A prompt that begins with `/skill name`: skills that the user wants loaded, and what is to be done with them.

/** A prompt, and the skills that come with it. */
export interface SkilledPrompt {
  readonly words: string;
  readonly skills: readonly string[];
}

/** Takes `/skill name` off the front, as often as it stands there. Words that are left out are made up: load it. */
export function takeSkills(said: string): SkilledPrompt {
  const skills: string[] = [];
  let rest = said;
  for (;;) {
    const found = /^\/skill[ \t]+(\S+)\s*/.exec(rest);
    if (found?.[1] === undefined) break;
    skills.push(found[1]);
    rest = rest.slice(found[0].length);
  }
  if (skills.length === 0 || rest !== '') return { words: rest, skills };
  return { words: `Use the ${skills.length === 1 ? 'skill' : 'skills'} ${skills.join(', ')}.`, skills };
}
