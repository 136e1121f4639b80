// The session on a command line: its argument, and the option `--last`, which means the newest session of the folder.

import type { SessionId } from '@tidemark/log';
import type { Command } from 'commander';

import { CliError } from '../frame/failure.ts';
import { newestSessionId } from './choose-session.ts';
import type { SessionSearch } from './find-session.ts';
import { findSession, reportFound } from './find-session.ts';

/** Session on a command line, as commander parses it: the argument, and the option `--last`. */
export interface SessionFlags {
  readonly last?: true;
}

const FORMS = 'id of a session, the start of its id, or its title';

/**
 * Declares the argument `session` and the option `--last`. `without` describes the effect of a command line without a
 * session. If it is absent, the command needs a session.
 */
export function declareSession(command: Command, without?: string): Command {
  return command
    .argument('[session]', without === undefined ? FORMS : `${FORMS}. Default: ${without}.`)
    .option('--last', 'use the newest session of this folder');
}

/**
 * Returns the session that a command line names.
 *
 * @throws CliError `cli/usage` when it names none, or two.
 * @throws CliError `cli/not-found` when no session has the name, or several have it.
 */
export async function requiredSession(
  name: string | undefined,
  flags: SessionFlags,
  context: SessionSearch,
): Promise<SessionId> {
  const found = await optionalSession(name, flags, context);
  if (found !== undefined) return found;
  throw new CliError(
    'cli/usage',
    'the argument <session> is missing',
    'name a session, or add `--last` for the newest session of this folder; `tidemark sessions` lists them',
  );
}

/** Returns the session that a command line names, or `undefined` if it names none. Throws as `requiredSession`. */
export async function optionalSession(
  name: string | undefined,
  { last = false }: { readonly last?: boolean },
  context: SessionSearch,
): Promise<SessionId | undefined> {
  if (!last) return name === undefined ? undefined : findSession(name, context);
  if (name !== undefined)
    throw new CliError('cli/usage', `\`--last\` cannot be combined with ${JSON.stringify(name)}`, 'use one of them');
  const store = await context.store();
  const session = await newestSessionId(store, context.folder);
  const { sessions } = await store.sessions({ workspace: context.folder });
  await reportFound(sessions.find((one) => one.session === session) ?? { session }, context);
  return session;
}

/**
 * Returns the name of the session and the step of a command line such as `show <session> [step]`. With `--last`, the
 * first argument is the step.
 */
export function nameAndStep(
  first: string | undefined,
  second: string | undefined,
  { last = false }: { readonly last?: boolean },
): { readonly name: string | undefined; readonly step: string | undefined } {
  return last && second === undefined ? { name: undefined, step: first } : { name: first, step: second };
}
