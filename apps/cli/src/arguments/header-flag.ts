// Reads `--header 'Name: value'`. A header that contains a credential is refused, because other programs can see the
// command line and the shell stores it in its history.

import { createSecrets } from '@tidemark/agent';
import { isConnectionHeader } from '@tidemark/core';
import { isCredentialHeader } from '@tidemark/settings';

import { CliError } from '../frame/failure.ts';

/** Header given on the command line: its name and its value. */
export type HeaderFlag = readonly [name: string, value: string];

const SAFE =
  'set the API key of the provider in its variable or with `tidemark keys set`; for another header, use the setting connection.headers with { "variable": "NAME" }.';

/**
 * Parses one header and adds it to the earlier ones. Does not use the errors of commander, because they quote the
 * argument and its value.
 *
 * @throws CliError `cli/usage` for a text that is no header, and for a header that cannot be set here.
 */
export function headerOf(text: string, before: readonly HeaderFlag[] = []): readonly HeaderFlag[] {
  const [, name, rest = ''] = /^\s*([\w!#$%&'*+.^`|~-]{1,200})\s*:(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new CliError('cli/usage', '`--header` expects a name and a value', "write it as --header 'Name: value'");
  if (isCredentialHeader(name))
    throw new CliError('cli/usage', `${name} carries a credential, and other programs can read a command line`, SAFE);
  if (isConnectionHeader(name))
    throw new CliError('cli/usage', `the header ${name} is set by the connection itself`, 'remove it');
  const value = rest.trim();
  if (/^[\t\x20-\x7e]{1,8192}$/.test(value)) return [...before, [name, value]];
  const expected = 'expected 1 to 8192 visible ASCII characters';
  throw new CliError('cli/usage', `the value of \`--header ${name}\` cannot be sent: ${expected}`, 'fix the value');
}

/** @throws CliError `cli/usage` for a header whose value looks like a secret. The error does not contain the value. */
export async function requireNoSecrets(headers: readonly HeaderFlag[]): Promise<void> {
  const { mask } = createSecrets({ values: [] });
  for (const [name, value] of headers)
    if ((await mask(`${name}: ${value}`)) !== `${name}: ${value}`)
      throw new CliError('cli/usage', `the value of \`--header ${name}\` looks like a secret`, SAFE);
}
