// A line that begins with no command is a prompt: `tidemark "fix the test"` means `tidemark run "fix the test"`.

import { nearestName } from '@tidemark/agent';

const OF_THE_PROGRAM: ReadonlySet<string> = new Set(['-h', '--help', '--version']);

/**
 * The line with `run` in front where it is meant. A first word that is nearly a command is left alone, and so is a command
 * behind an option: a slip of the finger must not become a prompt that costs money.
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
