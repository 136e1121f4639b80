// The face of the command line: one run as a function, for tests and for those who embed it.

export type { Command, CommandContext, Example, CommandOutcome, RunAction } from './command.ts';
export { COMMANDS } from './commands.ts';
export type { ExitCode } from './exit-codes.ts';
export { EXIT } from './exit-codes.ts';
export type { CliErrorCode, CommandFailure } from './failure.ts';
export { CLI_ERRORS, CliError, failureOf } from './failure.ts';
export type { CommandEnvironment } from './home.ts';
export { homeOf } from './home.ts';
export type { CommandOutput, Sink } from './output.ts';
export type { ProcessEnvironment } from './run.ts';
export { run } from './run.ts';
export type { Shown, Style, Styled } from './shown.ts';
export type { TableOf } from './table.ts';
