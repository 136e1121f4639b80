// Parses a record position given on the command line, as `57` or `@57`.

import { CliError } from '../frame/failure.ts';

/**
 * Returns the position that the argument names.
 *
 * @throws CliError `cli/usage` when the text is not a position.
 */
export function recordArgument(text: string): number {
  const found = /^@?(\d{1,15})$/.exec(text)?.[1];
  if (found !== undefined) return Number(found);
  throw new CliError(
    'cli/usage',
    `${JSON.stringify(text)} is not the position of a record`,
    'records are numbered from 0: use a number such as 57 or @57',
  );
}
