// Builds the commander program from the table of commands. Adds `--json` and examples to every command, and converts
// errors.

import type { CommanderError } from 'commander';
import { Command as CommanderCommand } from 'commander';

import type { Command, RunAction } from './frame/command.ts';
import { CliError } from './frame/failure.ts';

/** Output for the texts that commander prints itself: help and version. */
export interface HelpSink {
  write(text: string): void;
  readonly columns: number;
}

/**
 * Creates the program, ready to parse. Where commander would exit the process, the program throws `CommanderError`,
 * which `usageOf` converts.
 */
export function createProgram(
  commands: readonly Command[],
  version: string,
  help: HelpSink,
  run: RunAction,
): CommanderCommand {
  const program = new CommanderCommand('tidemark')
    .description('Agent sessions whose context is durable, cache-safe and explainable.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => help.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => help.columns,
    });
  for (const command of commands) addCommand(program, command, run);
  return program.addHelpText('after', AFTER_HELP);
}

function addCommand(program: CommanderCommand, command: Command, run: RunAction): void {
  const added = program
    .command(command.name)
    .description(command.summary)
    .option('--json', 'print JSON instead of text')
    .addHelpText('after', examplesOf(command));
  command.declare(added, run);
}

function examplesOf(command: Command): string {
  const width = Math.max(...command.examples.map(([line]) => line.length));
  const lines = command.examples.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

const AFTER_HELP = `
Tidemark stores all data under ~/.tidemark, or in the folder that TIDEMARK_HOME names.
Exit codes: 0 done, 1 difference or failed check, 2 wrong usage, 3 refused or not found, 4 damaged data,
5 provider error, 6 busy, 70 bug, 130 interrupted, 141 output closed.`;

/** Returns true if commander stopped only because it printed the help or the version. */
export function isAnswered(error: CommanderError): boolean {
  return error.exitCode === 0 || error.code === 'commander.help';
}

/**
 * Converts an error of commander into a `CliError`, with the nearest name as the next step if commander found one. With
 * `takesPrompts`, the next step also shows how to send an unknown command as a prompt.
 */
export function usageOf(error: CommanderError, takesPrompts: boolean): CliError {
  const [complaint = '', suggestion] = withoutPasswords(error.message)
    .replace(/^error: /, '')
    .split('\n');
  const nearest = suggestion?.match(/^\(Did you mean (.*)\?\)$/)?.[1];
  const code = error.code === 'commander.unknownCommand' ? 'cli/unknown-command' : 'cli/usage';
  const renamed = renamedOption(complaint);
  if (renamed !== undefined) return new CliError('cli/usage', ...renamed, error);
  const next = nearest === undefined ? SEE_HELP : `did you mean ${nearest}?`;
  const word = code === 'cli/unknown-command' ? /^unknown command '(.*)'$/.exec(complaint)?.[1] : undefined;
  if (!takesPrompts || word === undefined) return new CliError(code, complaint, next, error);
  const prompt = `to send the word as a prompt: \`tidemark run "${word}"\``;
  return new CliError(code, complaint, nearest === undefined ? `${next}; ${prompt}` : `${next} Or ${prompt}`, error);
}

const SEE_HELP = '`tidemark --help` lists the commands, `tidemark <command> --help` lists the options of one';

/** New name of each renamed option, by its old name. */
const RENAMED_OPTIONS: ReadonlyMap<string, string> = new Map([['--unconfined', '--allow-unsandboxed']]);

function renamedOption(complaint: string): readonly [message: string, next: string] | undefined {
  const [, old = ''] = /^unknown option '(--[a-z-]+)/.exec(complaint) ?? [];
  const name = RENAMED_OPTIONS.get(old);
  return name === undefined ? undefined : [`the option ${old} was renamed: use ${name}`, `replace ${old} with ${name}`];
}

/**
 * Removes passwords from addresses in the text. Commander quotes arguments that it does not understand, and such an
 * argument can be an address with a password.
 */
function withoutPasswords(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s'"?#]*@/g, '$1[password]@');
}
