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
 * Creates the program, ready to parse a command line. In cases in which commander would exit the process, the program
 * throws `CommanderError`. `usageOf` converts this error.
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
 * Converts an error of commander into a `CliError`. If commander found a nearest name, the next step is that name.
 * Otherwise the next step is the help of `command`, the first word of the line. If there is a command `run`, the next
 * step also shows how to send an unknown command as a prompt.
 */
export function usageOf(error: CommanderError, commands: readonly string[], command: string | undefined): CliError {
  const [complaint = '', suggestion] = withoutPasswords(error.message)
    .replace(/^error: /, '')
    .split('\n');
  const renamed = renamedOption(complaint);
  if (renamed !== undefined) return new CliError('cli/usage', ...renamed, error);
  const nearest = suggestion?.match(/^\(Did you mean (.*)\?\)$/)?.[1];
  if (error.code === 'commander.unknownCommand') return unknownCommand(complaint, nearest, commands, error);
  const next =
    nearest !== undefined ? `did you mean ${nearest}?` : `see \`tidemark ${helpWords(command, commands)}--help\``;
  return new CliError('cli/usage', plainComplaint(complaint), next, error);
}

/**
 * Returns the words before `--help` for the command of a line. If the first word is a command, this is its name.
 * Otherwise there are no words.
 */
function helpWords(command: string | undefined, commands: readonly string[]): string {
  return command !== undefined && command !== 'help' && commands.includes(command) ? `${command} ` : '';
}

function unknownCommand(
  complaint: string,
  nearest: string | undefined,
  commands: readonly string[],
  error: CommanderError,
): CliError {
  const [, name = ''] = /^unknown command '(.*)'$/s.exec(complaint) ?? [];
  const next = nearest === undefined ? '`tidemark --help` lists the commands' : `did you mean ${nearest}?`;
  const prompt = commands.includes('run') ? ` To send the word as a prompt: \`tidemark run "${name}"\`` : '';
  const stop = prompt === '' || next.endsWith('?') ? '' : '.';
  return new CliError('cli/unknown-command', `there is no command "${name}"`, `${next}${stop}${prompt}`, error);
}

/**
 * Returns a complaint of commander in the words of this project. If no pattern here matches the complaint, it stays
 * unchanged.
 */
function plainComplaint(complaint: string): string {
  const [, option, given = '', wanted = ''] =
    /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. (.*)$/s.exec(complaint) ?? [];
  if (option !== undefined) return wrongValue(option, given, wanted);
  const [, value, argument = '', choices = ''] =
    /^command-argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s.exec(complaint) ?? [];
  if (value !== undefined) return wrongValue(`<${argument}>`, value, choices);
  return complaint
    .replace(/^missing required argument '(.*)'$/, 'the argument <$1> is missing')
    .replace(/^unknown option '(.*)'$/s, 'there is no option $1')
    .replace(/^option '(?:-\w, )?(.*)' argument missing$/, 'the option $1 needs a value');
}

/** Returns the complaint about a value. The value of a header is not shown, because it can be a credential. */
function wrongValue(name: string, value: string, wanted: string): string {
  const expected = wanted.replace(/^Allowed choices are (.*)\.$/s, 'Expected one of $1.').replace(/\.$/, '');
  const plain = expected.replace(/^Expected/, 'expected');
  return name === '--header' ? `${name}: ${plain}` : `${name} does not accept "${value}": ${plain}`;
}

/** New name of each renamed option, by its old name. */
const RENAMED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--unconfined', '--allow-unsandboxed'],
  ['--strategy', '--compaction-by'],
]);

function renamedOption(complaint: string): readonly [message: string, next: string] | undefined {
  const [, old = ''] = /^unknown option '(--[a-z-]+)/.exec(complaint) ?? [];
  const name = RENAMED_OPTIONS.get(old);
  return name === undefined ? undefined : [`the option ${old} was renamed: use ${name}`, `replace ${old} with ${name}`];
}

/**
 * Removes passwords from addresses in the text. Commander quotes arguments that it does not understand. Such an
 * argument can be an address with a password.
 */
function withoutPasswords(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s'"?#]*@/g, '$1[password]@');
}
