// Parses a step number given on the command line.

import type { Log, SessionId } from '@tidemark/log';

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
export async function noStep(log: Log, session: SessionId, step: number | string): Promise<CliError> {
  return new CliError(
    'cli/not-found',
    `session ${session} has no request for ${typeof step === 'number' ? `step ${step}` : step}`,
    (await isImported(log, session))
      ? 'an imported session has no requests: run `tidemark replay --keep <session>` first'
      : '`tidemark show <session>` lists the steps',
  );
}

/** Returns true if the session, or the session that it was forked from, is an imported transcript. */
export async function isImported(log: Log, session: SessionId): Promise<boolean> {
  for await (const { kind, data } of log.read(session, 0, 1))
    return kind === 'session.created' && data.imported !== undefined;
  return false;
}
