// Parses a day or a time given on the command line.

import type { Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/**
 * Returns the start of the day in UTC, or the given time.
 *
 * @throws CliError `cli/usage` when the text is neither a day nor a time.
 */
export function sinceArgument(text: string): Timestamp {
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  const instant = new Date(day ? `${text}T00:00:00.000Z` : text);
  const shaped = day || /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
  const real = shaped && !Number.isNaN(instant.getTime()) && (!day || instant.toISOString().startsWith(text));
  if (real) return timestamp(instant.toISOString());
  const next = 'use a day such as 2026-11-20, or a time such as 2026-11-20T09:30:00Z';
  throw new CliError('cli/usage', `${JSON.stringify(text)} is not a day or a time`, next);
}
