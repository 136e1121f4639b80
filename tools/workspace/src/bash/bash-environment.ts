// Environment of a command. Only the listed variables are passed. If a key is not in the environment, a command cannot
// print it or send it away. A script that searches for keys cannot find it.

import { isSecretName } from '@tidemark/agent';
import { delimiter, isAbsolute } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';

/** Variables that are passed to a command if this process has them. All `LC_*` variables are passed too. */
const PASSED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
]);

/**
 * Variables that are set for every command. They turn off pagers, editors, prompts and colours, because a command runs
 * without a user and without a terminal. `CI` is not set, because it changes the results of build tools. Without a
 * terminal and an input, these tools ask nothing anyway.
 */
const SET: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
};

/**
 * Returns the environment of a command, selected from the variables of this process.
 *
 * @param also Names of variables to pass in addition to the default list.
 * @throws WorkspaceError `workspace/secret-variable` when one of these names looks like the name of a secret.
 */
export function bashEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  also: readonly string[] = [],
): Record<string, string> {
  const secret = also.find(isSecretName);
  if (secret !== undefined) throw secretVariableError(secret);
  const passed = Object.entries(from).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (PASSED.has(name) || name.startsWith('LC_') || also.includes(name)) ? [[name, value]] : [],
  );
  return {
    ...SET,
    ...Object.fromEntries(passed.map(([name, value]) => [name, name === 'PATH' ? absoluteOnly(value) : value])),
  };
}

/**
 * Removes relative entries from a `PATH` value. Because of a relative entry, a program in the workspace could run
 * instead of a system program with the same name.
 */
function absoluteOnly(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}

function secretVariableError(variable: string): WorkspaceError {
  const message =
    `the variable ${variable} has a name like a secret and is not passed to commands, because a command can print it: ` +
    'remove it from the list, and give the command a file or a helper that contains the secret';
  return new WorkspaceError('workspace/secret-variable', message, { variable });
}
