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

/** Returns true if every command has the variable. Its value is ordinary text, such as paths, and no secret. */
export function isOrdinaryVariable(name: string): boolean {
  return PASSED.has(name) || name.startsWith('LC_') || Object.hasOwn(SET, name) || name === 'PWD';
}

/** Names of variables to pass to commands in addition to the default list. */
export interface CommandVariables {
  /**
   * Names, such as `JAVA_HOME`, and beginnings of names, such as `CARGO_*`. A beginning never matches a name that looks
   * like the name of a secret.
   */
  readonly variables?: readonly string[];
  /** Names of variables whose values are secrets. The caller has to mask these values everywhere. */
  readonly secretVariables?: readonly string[];
}

/**
 * Returns the environment of a command, selected from the variables of this process.
 *
 * @throws WorkspaceError `workspace/secret-variable` when a name in `variables` looks like the name of a secret.
 */
export function bashEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  { variables = [], secretVariables = [] }: CommandVariables = {},
): Record<string, string> {
  const secret = variables.find((name) => isSecretName(name) && !secretVariables.includes(name));
  if (secret !== undefined) throw secretVariableError(secret);
  const names = new Set([...variables, ...secretVariables]);
  const beginnings = variables.flatMap((name) => (name.endsWith('*') ? [name.slice(0, -1)] : []));
  const isPassed = (name: string): boolean =>
    PASSED.has(name) ||
    name.startsWith('LC_') ||
    names.has(name) ||
    (beginnings.some((beginning) => name.startsWith(beginning)) && !isSecretName(name));
  const passed = Object.entries(from).flatMap(([name, value]): [string, string][] =>
    value !== undefined && isPassed(name) ? [[name, value]] : [],
  );
  return {
    ...SET,
    ...Object.fromEntries(passed.map(([name, value]) => [name, name === 'PATH' ? absoluteOnly(value) : value])),
  };
}

/** Returns the names of variables that have a value, are not passed to commands, and do not look like secrets. */
export function withheldVariables(
  from: Readonly<Record<string, string | undefined>>,
  passed: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  const names = Object.entries(from).flatMap(([name, value = '']) => (value === '' ? [] : [name]));
  return new Set(names.filter((name) => !Object.hasOwn(passed, name) && !isSecretName(name)));
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
    'remove it from `variables`, or list it in `secretVariables`, whose values are masked';
  return new WorkspaceError('workspace/secret-variable', message, { variable });
}
