// Reads `--header 'Name: value'`. A command line is visible to other programs and is kept in the history of the shell, so
// a header that carries a credential is refused.

import { createSecrets } from '@tidemark/agent';
import { isCredentialHeader } from '@tidemark/settings';
import { InvalidArgumentError } from 'commander';

import { CliError } from '../frame/failure.ts';

/** A header of the command line: its name and its value. */
export type HeaderFlag = readonly [name: string, value: string];

const SAFE =
  'Set the API key of the provider in its variable or with `tidemark keys set`; for another header, use the setting connection.headers with { "variable": "NAME" }.';

/** Parses one header and adds it to the earlier ones. The error never contains a value. */
export function headerOf(text: string, before: readonly HeaderFlag[] = []): readonly HeaderFlag[] {
  const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]{1,200})\s*:[ \t]*([\t\x20-\x7e]{1,8192})$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Expected 'Name: value' in visible ASCII characters.");
  if (isCredentialHeader(name))
    throw new InvalidArgumentError(`${name} carries a credential, and other programs can read a command line. ${SAFE}`);
  return [...before, [name, value.trim()]];
}

/** @throws CliError `cli/usage` for a header whose value looks like a secret. The error does not contain the value. */
export async function requireNoSecrets(headers: readonly HeaderFlag[]): Promise<void> {
  const { mask } = createSecrets({ values: [] });
  for (const [name, value] of headers)
    if ((await mask(`${name}: ${value}`)) !== `${name}: ${value}`)
      throw new CliError('cli/usage', `the value of \`--header ${name}\` looks like a secret`, SAFE);
}
