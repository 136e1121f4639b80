// Treats a command line as a prompt if it does not begin with a command: `tidemark "fix the test"` means `tidemark run
// "fix the test"`.

import { nearestName } from '@tidemark/agent';

import { CliError } from './frame/failure.ts';

const OF_THE_PROGRAM: ReadonlySet<string> = new Set(['-h', '--help', '--version']);

/**
 * Returns the line with `run` in front if the line is a prompt. If the first word is nearly a command, or if a command
 * follows an option, the line stays unchanged. A typing mistake must not become a prompt that costs money.
 */
export function impliedRun(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === undefined || !commands.includes('run') || commands.includes(first) || OF_THE_PROGRAM.has(first))
    return args;
  // `run` reports a slash command of the terminal, and expands an own one.
  if (/^\/[a-zA-Z][\w-]*$/.test(first)) return ['run', ...args];
  const slipped = first.startsWith('-')
    ? args.some((arg) => commands.includes(arg))
    : nearestName(first, commands) !== undefined;
  return slipped ? args : ['run', ...args];
}

/**
 * Refuses a line that asks for the help of an unknown command, such as `frob --help` or `help frob`. If a prompt of
 * several words is one argument, it is accepted, because the help of `run` is the help for prompts.
 *
 * @throws CliError `cli/unknown-command`, with the nearest name as the next step if there is one.
 */
export function requireKnownHelp(args: readonly string[], commands: readonly string[]): void {
  const [first = ''] = args;
  const end = args.indexOf('--');
  const asksForHelp = args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
  const name = first === 'help' ? args[1] : asksForHelp ? first : undefined;
  if (name === undefined || /^-|\s|^$/.test(name) || commands.includes(name)) return;
  const nearest = nearestName(name, commands);
  throw new CliError(
    'cli/unknown-command',
    `there is no command "${name}"`,
    nearest === undefined ? '`tidemark --help` lists the commands' : `did you mean \`tidemark ${nearest} --help\`?`,
  );
}
