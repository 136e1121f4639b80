// A step as it is named on the command line.

import { CliError } from './failure.ts';

/** The number in an argument. @throws CliError `cli/usage` when it is no step number. */
export function stepArgument(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(
    'cli/usage',
    `not a step: ${JSON.stringify(text)}`,
    'steps are numbered from 0: `tidemark show <session>` lists them',
  );
}
