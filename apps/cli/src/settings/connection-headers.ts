// Determines the headers of requests. First come the headers from the settings for the address, then the headers from
// the command line.

import type { ProviderName } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';
import type { HeaderSetting, Settings } from '@tidemark/settings';

import type { HeaderFlag } from '../arguments/header-flag.ts';
import { requireNoSecrets } from '../arguments/header-flag.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';

/** Sources of the headers, and the address that receives them. */
export interface HeaderRequest {
  readonly provider: ProviderName;
  /** Address that replaces the provider's own. */
  readonly baseURL?: string | undefined;
  readonly flags?: readonly HeaderFlag[] | undefined;
  readonly settings?: Settings['connection'];
}

/**
 * Returns the headers, or `undefined` if there are none.
 *
 * @throws CliError `cli/usage` when a header of the settings needs a variable that is not set. Also when a header of
 * the command line looks like a secret.
 */
export async function connectionHeaders(
  { provider, baseURL, flags = [], settings }: HeaderRequest,
  { environment }: Pick<CommandContext, 'environment'>,
): Promise<Readonly<Record<string, string>> | undefined> {
  await requireNoSecrets(flags);
  const origin = URL.parse(baseURL ?? PROVIDERS[provider].baseURL ?? '')?.origin ?? '';
  const all = settings?.headers ?? {};
  const set = Object.hasOwn(all, origin) ? Object.entries(all[origin] ?? {}) : [];
  const headers = new Map(set.map(([name, value]) => [name.toLowerCase(), valueOf(name, value, environment)]));
  for (const [name, value] of flags) headers.set(name.toLowerCase(), value);
  return headers.size === 0 ? undefined : Object.fromEntries(headers);
}

function valueOf(name: string, value: HeaderSetting, environment: CommandContext['environment']): string {
  if (typeof value === 'string') return value;
  const { variable } = value;
  const found = (Object.hasOwn(environment, variable) ? environment[variable]?.trim() : undefined) ?? '';
  if (found !== '') return found;
  throw new CliError(
    'cli/usage',
    `the header ${name} of the setting connection.headers needs the variable ${variable}, which is not set`,
    `set ${variable}, or remove the header from the settings`,
  );
}
