// Parses a step number given on the command line.

import type { SessionId } from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/**
 * Returns the step number in the argument.
 *
 * @throws CliError `cli/usage` when the text is not a step number.
 */
export function stepArgument(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(
    'cli/usage',
    `${JSON.stringify(text)} is not a step number`,
    'steps are numbered from 0: `tidemark show <session>` lists them',
  );
}

/**
 * Returns the error for a step that does not exist. Imported sessions contain no requests sent by Tidemark, so they
 * have no steps to show.
 */
export function noStep(session: SessionId, step: number | string): CliError {
  return new CliError(
    'cli/not-found',
    `session ${session} has no request for ${typeof step === 'number' ? `step ${step}` : step}`,
    '`tidemark show <session>` lists the steps; an imported session has no requests: run `tidemark replay --keep <session>` first',
  );
}
