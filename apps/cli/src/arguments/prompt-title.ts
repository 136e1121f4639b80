// Title of a new session, made from its first prompt.

/** Longest title, in characters. */
const LONGEST = 60;

/** Returns the first line of a prompt as the title of its session. A long line is cut. */
export function titleOf(prompt: string): string {
  const [line = ''] = prompt.split('\n', 1);
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).trimEnd()}…`;
}
