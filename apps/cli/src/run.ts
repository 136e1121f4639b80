// Runs one command line as a function of its arguments and the process environment, and returns an exit code. `main.ts`
// connects this function to the process.

import { resolve } from 'node:path';

import type { TriedPromise } from '@tidemark/kit';
import type { Keyring } from '@tidemark/settings';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { CommanderError } from 'commander';

import type { Command, CommandContext, FinalExit, RunAction } from './frame/command.ts';
import { COMMANDS } from './commands.ts';
import type { ExitCode } from './frame/exit-codes.ts';
import { EXIT } from './frame/exit-codes.ts';
import { CliError, failureOf } from './frame/failure.ts';
import type { CommandEnvironment } from './frame/home.ts';
import { configFolderOf, homeOf } from './frame/home.ts';
import { impliedRun, requireKnownHelp } from './implied-run.ts';
import type { Input } from './frame/input.ts';
import type { CommandOutput, Sink } from './frame/output.ts';
import { createOutput } from './frame/output.ts';
import type { SettingsPlaces } from './settings/display-in.ts';
import { asDisplayed, displayIn } from './settings/display-in.ts';
import { createProgram, isAnswered, usageOf } from './program.ts';

/** Parts of the process that a run can use. */
export interface ProcessEnvironment {
  readonly environment: CommandEnvironment;
  /** Absolute path of the working folder of the process. */
  readonly folder: string;
  /** Home folder of the user. */
  readonly userFolder: string;
  readonly input: Input;
  readonly out: Sink & { readonly columns: number };
  readonly err: Sink;
  readonly signal: AbortSignal;
  readonly version: string;
  readonly keyring: Keyring;
  /** Tests each protection that the sandbox promises. If no sandbox works on this machine, returns an empty list. */
  tryPromises(): Promise<readonly TriedPromise[]>;
  /** Opens the store in a home folder. */
  openStore(home: string): Promise<NdjsonStore>;
}

/** Runs one command line. Never throws: an error is printed, and its exit code is returned. */
export async function run(
  args: readonly string[],
  processEnvironment: ProcessEnvironment,
  commands: readonly Command[] = COMMANDS,
): Promise<number> {
  const settings = settingsPlaces(args, processEnvironment);
  const shown = asDisplayed(processEnvironment, await displayIn(processEnvironment.folder, settings));
  const output = createOutput(asksForJson(args), shown.out, shown.err);
  const line = impliedRun(args, namesOf(commands));
  try {
    requireKnownHelp(args, namesOf(commands));
    const context = { ...contextOf(shown, { output, settings, commands }), implied: line !== args, line };
    const exit = await parse(line, shown, context, commands);
    if (typeof exit === 'object') return exit.exit;
    return processEnvironment.signal.aborted ? EXIT.interrupted : exit;
  } catch (error) {
    return settle(error, processEnvironment, output, { commands, command: line[0] });
  }
}

async function parse(
  line: readonly string[],
  processEnvironment: ProcessEnvironment,
  context: CommandContext,
  commands: readonly Command[],
): Promise<ExitCode | FinalExit> {
  let exit: ExitCode | FinalExit = EXIT.ok;
  const runAction: RunAction = async (action) => {
    exit = (await action(context)) ?? EXIT.ok;
  };
  const program = createProgram(commands, processEnvironment.version, processEnvironment.out, runAction);
  const typed = line.length === 0 && context.input.terminal && context.output.terminal ? ['run'] : line;
  if (typed.length === 0) program.outputHelp();
  else await program.parseAsync(typed, { from: 'user' });
  return exit;
}

function namesOf(commands: readonly Command[]): readonly string[] {
  return [...commands.map(({ name }) => name), 'help'];
}

function settle(
  error: unknown,
  processEnvironment: ProcessEnvironment,
  output: CommandOutput,
  { commands, command }: { readonly commands: readonly Command[]; readonly command: string | undefined },
): ExitCode {
  if (error instanceof CommanderError && isAnswered(error)) return EXIT.ok;
  // After an interruption, an error is a consequence of the interruption, so the error is not reported.
  if (processEnvironment.signal.aborted) return EXIT.interrupted;
  const names = namesOf(commands);
  const failure = failureOf(error instanceof CommanderError ? usageOf(error, names, command) : error);
  output.failure(failure);
  return failure.exit;
}

function contextOf(
  processEnvironment: ProcessEnvironment,
  { output, settings, commands }: LineSetup,
): Omit<CommandContext, 'implied' | 'line'> {
  const home = homeOf(processEnvironment.environment, processEnvironment.userFolder);
  let opened: Promise<NdjsonStore> | undefined;
  const store = (): Promise<NdjsonStore> => (opened ??= processEnvironment.openStore(home));
  return {
    ...settings,
    output,
    home,
    userFolder: processEnvironment.userFolder,
    input: processEnvironment.input,
    keyring: processEnvironment.keyring,
    commandNames: namesOf(commands),
    tryPromises: () => processEnvironment.tryPromises(),
    folder: processEnvironment.folder,
    signal: processEnvironment.signal,
    store,
    async runLine(args, place) {
      const [name = ''] = args;
      // A line that does not begin with a command would be a prompt, which costs money.
      if (!namesOf(commands).includes(name)) {
        const lineOutput = createOutput(false, place.out, place.err);
        return settle(unknownName(name), processEnvironment, lineOutput, { commands, command: name });
      }
      return run(args, { ...processEnvironment, ...place, input: NO_INPUT, openStore: store }, commands);
    },
  };
}

function unknownName(name: string): CliError {
  return new CliError('cli/unknown-command', `there is no command "${name}"`, '`tidemark --help` lists the commands');
}

/** Output, places of the settings, and commands of one command line. */
interface LineSetup {
  readonly output: CommandOutput;
  readonly settings: SettingsPlaces;
  readonly commands: readonly Command[];
}

/** Input of a command line that runs inside another command. The other command uses the terminal. */
const NO_INPUT: Input = {
  terminal: false,
  piped: false,
  bytes: async () => new Uint8Array(),
  along: async () => new Uint8Array(),
  rows: 24,
  columns: 80,
  show: () => undefined,
  ask: async () => '',
};

/**
 * Finds the places of the settings. This happens before the command line is parsed, because the display settings also
 * apply to parsing errors and help.
 */
function settingsPlaces(
  args: readonly string[],
  { environment, folder, userFolder }: ProcessEnvironment,
): SettingsPlaces {
  const options = optionsIn(args);
  const at = options.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const [, named = options[at + 1]] = /^--config=(.*)$/s.exec(options[at] ?? '') ?? [];
  return {
    environment,
    configFolder: configFolderOf(environment, userFolder),
    ...(at !== -1 && named !== undefined && { configFile: resolve(folder, named) }),
  };
}

/**
 * Returns true if the output must be JSON. This is determined before parsing, because errors in the command line are
 * also reported as JSON.
 */
function asksForJson(args: readonly string[]): boolean {
  return optionsIn(args).includes('--json');
}

function optionsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end);
}
