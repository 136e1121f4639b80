// Treats a line that does not begin with a command as a prompt: `tidemark "fix the test"` means `tidemark run "fix the
// test"`.

import { nearestName } from '@tidemark/agent';

const OF_THE_PROGRAM: ReadonlySet<string> = new Set(['-h', '--help', '--version']);

/**
 * Returns the line with `run` in front if the line is a prompt. The line stays unchanged if its first word is nearly a
 * command, or if a command follows an option. A typing mistake must not become a prompt that costs money.
 */
export function impliedRun(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === undefined || !commands.includes('run') || commands.includes(first) || OF_THE_PROGRAM.has(first))
    return args;
  const slipped = first.startsWith('-')
    ? args.some((arg) => commands.includes(arg))
    : nearestName(first, commands) !== undefined;
  return slipped ? args : ['run', ...args];
}
