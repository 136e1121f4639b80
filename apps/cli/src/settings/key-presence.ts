// The keys of providers: whether there is one and where, for all that is shown; the key itself for who asks the provider.

import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';
import { SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';

/** Whether a provider's key is there. */
export interface KeyPresence {
  readonly provider: string;
  readonly variable: string;
  /** Whether the variable is set. */
  readonly present: boolean;
  /** Whether the keyring holds one; not there where no keyring can be used. */
  readonly inKeyring?: boolean;
}

const VARIABLES = Object.entries(PROVIDERS).flatMap(([provider, { variable }]) =>
  variable === undefined ? [] : [{ provider, variable }],
);

/** The key of a provider: from its variable, else from the keyring, if there is one to look in. */
export async function keyOf(
  provider: ProviderName,
  { environment, keyring }: Pick<CommandContext, 'environment' | 'keyring'>,
): Promise<string | undefined> {
  const { variable } = PROVIDERS[provider];
  const set = variable === undefined ? '' : valueIn(environment, variable);
  return set === '' ? keyring.get(provider).catch(withoutKeyring) : set;
}

function valueIn(environment: CommandContext['environment'], variable: string): string {
  return (Object.hasOwn(environment, variable) ? environment[variable]?.trim() : undefined) ?? '';
}

/** One after the other: an old keyring may ask its user to unlock it. */
export async function keysOf({
  environment,
  keyring,
}: Pick<CommandContext, 'environment' | 'keyring'>): Promise<readonly KeyPresence[]> {
  const found: KeyPresence[] = [];
  for (const key of VARIABLES) {
    const present = valueIn(environment, key.variable) !== '';
    const inKeyring = await keyring.get(key.provider).then((kept) => kept !== undefined, withoutKeyring);
    found.push({ ...key, present, ...defined({ inKeyring }) });
  }
  return found;
}

/** Where the key is, in words. */
export function keyWords({ variable, present, inKeyring }: KeyPresence): string {
  const held = inKeyring === undefined ? '' : inKeyring ? ', one is in the keyring' : ', none is in the keyring';
  return `${variable} is ${present ? 'set' : 'not set'}${held}`;
}

function withoutKeyring(error: unknown): undefined {
  if (error instanceof SettingsError) return undefined;
  throw error;
}
