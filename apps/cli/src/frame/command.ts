// Interface between a command and the frame, which is the code that runs every command. To add a command, add one file
// in `commands/` and one line in `commands.ts`.

import type { TriedPromise } from '@tidemark/kit';
import type { Keyring } from '@tidemark/settings';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import type { Command as CommanderCommand } from 'commander';

import type { ExitCode } from './exit-codes.ts';
import type { CommandEnvironment } from './home.ts';
import type { Input } from './input.ts';
import type { CommandOutput, Sink } from './output.ts';

/**
 * Environment of a command: its input and output, the user's folders, and the store. The frame passes this object to
 * each command.
 */
export interface CommandContext {
  readonly output: CommandOutput;
  readonly input: Input;
  /**
   * True if the user typed a prompt without the command `run`. A command line that does not begin with the name of a
   * command is a prompt.
   */
  readonly implied: boolean;
  /** Names of all commands. */
  readonly commandNames: readonly string[];
  /** Arguments of the command line, as typed. */
  readonly line: readonly string[];
  readonly environment: CommandEnvironment;
  /** Absolute path of the folder in which the command was started. */
  readonly folder: string;
  /** Absolute path of the folder that contains all data of Tidemark. The folder possibly does not exist yet. */
  readonly home: string;
  /** Absolute path of the user's configuration folder. The folder possibly does not exist. */
  readonly configFolder: string;
  /** Absolute path of the file given with `--config`, which replaces the user's configuration. */
  readonly configFile?: string;
  /** Store for API keys that are not in the environment. */
  readonly keyring: Keyring;
  /** Tests each protection that the sandbox promises. If no sandbox works on this machine, returns an empty list. */
  tryPromises(): Promise<readonly TriedPromise[]>;
  /** Absolute path of the user's home folder. */
  readonly userFolder: string;
  /** Aborts at Ctrl-C. When the signal aborts, a waiting command must end. The frame then sets the exit code. */
  readonly signal: AbortSignal;
  /** Returns the store in `home`. The first call opens it. */
  store(): Promise<NdjsonStore>;
  /**
   * Runs another command line in this process and returns its exit code. Its output goes to the sinks. It uses the same
   * store, has no input, and asks no questions. Never throws.
   */
  runLine(args: readonly string[], place: LinePlace): Promise<number>;
}

/** Output, folder and signal of a command line that runs inside another command. */
export interface LinePlace {
  readonly out: Sink & { readonly columns: number };
  readonly err: Sink;
  /** Absolute path of the folder in which the command line runs. */
  readonly folder: string;
  /** Aborts when the command line must end. */
  readonly signal: AbortSignal;
}

/**
 * Exit code that Ctrl-C does not change. It can be the exit code of another program that the command ran.
 */
export interface FinalExit {
  readonly exit: number;
}

/**
 * Exit code of a command's action; `undefined` means `ok`. Failures are thrown, as a `CliError` or as a typed error of
 * another package.
 */
export type CommandOutcome = ExitCode | FinalExit | undefined;

/** Example in `--help`: the line to type, and its effect. */
export type Example = readonly [line: string, does: string];

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Examples for `--help`, at least one. */
  readonly examples: readonly Example[];
  /**
   * Declares arguments and options on the prepared commander command, which already has `--json` and the examples. Also
   * sets the action. The action must be wrapped in `run`: `command.argument('<file>').action((file) => run((context) =>
   * import(file, context)))`.
   */
  declare(command: CommanderCommand, run: RunAction): void;
}

/** Runs an action with the frame's context and stores its outcome as the exit code. */
export type RunAction = (action: (context: CommandContext) => Promise<CommandOutcome>) => Promise<void>;
