// What a command is to the frame, and what the frame gives to a command. A new command is one file in `commands/` and
// one line in `commands.ts`.

import type { Keyring } from '@tidemark/settings';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import type { Command as CommanderCommand } from 'commander';

import type { ExitCode } from './exit-codes.ts';
import type { CommandEnvironment } from './home.ts';
import type { Input } from './input.ts';
import type { CommandOutput } from './output.ts';

/** What the frame gives to a command. */
export interface CommandContext {
  readonly output: CommandOutput;
  readonly input: Input;
  /** The command was not typed: a line that begins with no command is a prompt. */
  readonly implied: boolean;
  readonly environment: CommandEnvironment;
  /** The absolute path of the folder that the command was given in. */
  readonly folder: string;
  /** The absolute path of the folder under which everything is kept. It need not exist. */
  readonly home: string;
  /** The absolute path of the user's own folder of configuration. It need not exist. */
  readonly configFolder: string;
  /** The configuration that `--config` names in the place of the one there, absolute. */
  readonly configFile?: string;
  /** Where keys are kept that are not in the environment. */
  readonly keyring: Keyring;
  /** The absolute path of the user's own folder. */
  readonly userFolder: string;
  /** Aborts at Ctrl-C. A command that waits ends when it does; the frame sets the exit code. */
  readonly signal: AbortSignal;
  /** The store in `home`; opened at the first call. */
  store(): Promise<NdjsonStore>;
}

/** What a command's action returns; nothing is `ok`. Failures are thrown (`CliError` or a typed error from below). */
export type CommandOutcome = ExitCode | undefined;

/** A line of the `--help` examples: what to type, and what it does. */
export type Example = readonly [line: string, does: string];

/** One command of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** At least one, shown by `--help`. */
  readonly examples: readonly Example[];
  /**
   * Declares arguments and options on the prepared commander command (`--json` and the examples are already there) and
   * sets the action, wrapped in `run`: `command.argument('<file>').action((file) => run((context) => import(file, context)))`.
   */
  declare(command: CommanderCommand, run: RunAction): void;
}

/** Runs an action with the frame's context and keeps its outcome as the exit code. */
export type RunAction = (action: (context: CommandContext) => Promise<CommandOutcome>) => Promise<void>;
