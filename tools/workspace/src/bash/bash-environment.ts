// The environment of a command: a list of what is passed, and nothing else. A key that is not there cannot be printed,
// sent away or found by a script that looks for one.

import { isSecretName } from '@tidemark/agent';
import { delimiter, isAbsolute } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';

/** What is passed where it is set; `LC_*` too. */
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
 * Nobody is there to page, to type or to look at colours. `CI` stays unset: build tools change their results by it, and
 * without a terminal and an input they do not ask anyway.
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
 * The variables of a command, out of those of this process.
 *
 * @param also Names to pass besides the house's own.
 * @throws WorkspaceError `workspace/secret-variable` when one of them is named like a secret.
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

/** A relative entry would find a program of the workspace's under the name of another. */
function absoluteOnly(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}

function secretVariableError(variable: string): WorkspaceError {
  const message =
    `the variable ${variable} is named like a secret and is passed to no command, since a command can print it: ` +
    'take it off the list, and give the command a file or a helper that holds it';
  return new WorkspaceError('workspace/secret-variable', message, { variable });
}
