// Reads `--env` and `--header` of `tidemark mcp add`. A secret is named by its environment variable, because other
// programs can see the command line and the shell stores it in its history.

import { createSecrets, isSecretName } from '@tidemark/agent';
import type { ServerValue } from '@tidemark/settings';
import { isCredentialHeader } from '@tidemark/settings';

import { CliError } from '../frame/failure.ts';

/** Variable or header of a server, as given on the command line. */
export type ServerEntry = readonly [name: string, value: ServerValue];

const VARIABLE = /^(?<prefix>[^$]*)\$(?:\{(?<braced>[A-Za-z_]\w{0,199})\}|(?<plain>[A-Za-z_]\w{0,199}))$/;

/**
 * Parses `--env` and adds it to the earlier ones. `NAME` passes on the variable of this name, `NAME=$OTHER` the value
 * of another variable, and `NAME=value` a text.
 *
 * @throws CliError `cli/usage`, which never contains the value.
 */
export function envOf(text: string, before: readonly ServerEntry[] = []): readonly ServerEntry[] {
  const [, name, given] = /^([A-Za-z_]\w{0,199})(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined)
    throw new CliError('cli/usage', '`--env` expects NAME or NAME=value', 'write it as `--env NAME`');
  if (given === undefined) return [...before, [name, { variable: name }]];
  const value = valueOf(given);
  if (typeof value === 'string' && isSecretName(name)) throw secretIn(`--env ${name}`, `--env ${name}`);
  return [...before, [name, value]];
}

/**
 * Parses `--header 'Name: value'` and adds it to the earlier ones. `$NAME` at the end of the value stands for an
 * environment variable.
 *
 * @throws CliError `cli/usage`, which never contains the value.
 */
export function serverHeaderOf(text: string, before: readonly ServerEntry[] = []): readonly ServerEntry[] {
  const [, name, rest = ''] = /^\s*([\w!#%&'*+.^`|~-]{1,200})\s*:(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new CliError('cli/usage', '`--header` expects a name and a value', "write it as --header 'Name: value'");
  const value = valueOf(rest.trim());
  if (typeof value === 'string' && isCredentialHeader(name))
    throw secretIn(`--header ${name}`, `--header '${name}: $VARIABLE' or '${name}: Bearer $VARIABLE'`);
  if (typeof value === 'string' && !/^[\t\x20-\x7e]{1,8192}$/.test(value))
    throw new CliError(
      'cli/usage',
      `the value of \`--header ${name}\` cannot be sent: expected 1 to 8192 visible ASCII characters`,
      'fix the value',
    );
  return [...before, [name, value]];
}

function valueOf(text: string): ServerValue {
  const { prefix = '', braced, plain } = VARIABLE.exec(text)?.groups ?? {};
  const variable = braced ?? plain;
  return variable === undefined ? text : { variable, ...(prefix !== '' && { prefix }) };
}

function secretIn(flag: string, advice: string): CliError {
  const message = `the value of \`${flag}\` is a secret by its name, and other programs can read a command line`;
  return new CliError('cli/usage', message, `put it into an environment variable and write ${advice}`);
}

/** @throws CliError `cli/usage` for a text on the command line that looks like a secret. The error does not contain it. */
export async function requireNoServerSecrets(words: readonly string[], entries: readonly ServerEntry[]): Promise<void> {
  const { mask } = createSecrets({ values: [] });
  const texts = [
    ...words.map((word) => ['an argument', word] as const),
    ...entries.flatMap(([name, value]) => [[name, typeof value === 'string' ? value : (value.prefix ?? '')] as const]),
  ];
  for (const [place, text] of texts)
    if ((await mask(text)) !== text)
      throw new CliError(
        'cli/usage',
        `the value of ${place} looks like a secret, and other programs can read a command line`,
        'put it into an environment variable and name the variable with `--env` or `--header`',
      );
}
