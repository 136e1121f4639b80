// Public interface of the command line: `run` as a function, for tests and for programs that embed it.

export type { Command, CommandContext, Example, CommandOutcome, RunAction } from './frame/command.ts';
export { COMMANDS } from './commands.ts';
export type { ExitCode } from './frame/exit-codes.ts';
export { EXIT } from './frame/exit-codes.ts';
export type { CliErrorCode, CommandFailure } from './frame/failure.ts';
export { CLI_ERRORS, CliError, failureOf } from './frame/failure.ts';
export type { CommandEnvironment } from './frame/home.ts';
export { homeOf } from './frame/home.ts';
export type { CommandOutput, Sink } from './frame/output.ts';
export type { ProcessEnvironment } from './run.ts';
export { run } from './run.ts';
export type { Shown, Style, Styled } from './frame/shown.ts';
export type { TableOf } from './frame/table.ts';
