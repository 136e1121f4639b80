// Records as they are named on the command line: by position, as `57` or `@57`.

import { CliError } from '../frame/failure.ts';

/** The position in an argument. @throws CliError `cli/usage` when it is none. */
export function recordArgument(text: string): number {
  const found = /^@?(\d{1,15})$/.exec(text)?.[1];
  if (found !== undefined) return Number(found);
  throw new CliError(
    'cli/usage',
    `not a position: ${JSON.stringify(text)}`,
    'records are numbered from 0: name one as 57 or @57',
  );
}
