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
 * Creates the program, ready to parse. It throws `CommanderError` where commander would exit the process; see
 * `usageOf`.
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
    .helpOption('-h, --help', 'print this')
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
Everything is kept under ~/.tidemark, or the folder that TIDEMARK_HOME names.
Exit codes: 0 done, 1 a difference or failed check, 2 wrong use, 3 refused or not found, 4 damaged, 5 provider,
6 busy, 70 a bug, 130 interrupted, 141 output closed.`;

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
  const next =
    nearest === undefined ? '`tidemark --help` lists the commands, each with --help' : `did you mean ${nearest}?`;
  const word = code === 'cli/unknown-command' ? /^unknown command '(.*)'$/.exec(complaint)?.[1] : undefined;
  const prompt = takesPrompts && word !== undefined ? ` As a prompt: \`tidemark run "${word}"\`` : '';
  return new CliError(code, complaint, `${next}${prompt}`, error);
}

/**
 * Removes passwords from addresses in the text. Commander quotes arguments that it does not understand, and such an
 * argument may be an address with a password.
 */
function withoutPasswords(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s'"?#]*@/g, '$1[password]@');
}
