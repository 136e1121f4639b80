// A step as it is named on the command line.

import type { SessionId } from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/** The number in an argument. @throws CliError `cli/usage` when it is no step number. */
export function stepArgument(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(
    'cli/usage',
    `not a step: ${JSON.stringify(text)}`,
    'steps are numbered from 0: `tidemark show <session>` lists them',
  );
}

/** The error for a step that is not there: an import has none of ours. */
export function noStep(session: SessionId, step: number | string): CliError {
  return new CliError(
    'cli/not-found',
    `${session} holds no request of ${typeof step === 'number' ? `step ${step}` : step}`,
    '`tidemark show <session>` lists the steps; an import has none: `tidemark replay --keep <session>` drives it first',
  );
}
