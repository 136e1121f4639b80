// Finds the API keys of providers. The output only shows that a key exists and where it is stored. The key itself is
// passed only to code that calls the provider.

import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { BRAVE_VARIABLE, keyLocation, PROVIDERS } from '@tidemark/kit';
import { SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';

/** Name of the search service, in `tidemark keys` and as its entry in the keyring. */
export const SEARCH_SERVICE = 'brave';

/** Presence of the API key of a provider or of the search service. */
export interface KeyPresence {
  readonly provider: string;
  readonly variable: string;
  /** True if the environment variable is set. */
  readonly present: boolean;
  /** True if the keyring contains a key. Absent if no keyring can be used. */
  readonly inKeyring?: boolean;
}

const VARIABLES = [
  ...Object.entries(PROVIDERS).flatMap(([provider, { variable, tokenVariable }]) =>
    variable === undefined ? [] : [{ provider, variable, tokenVariable }],
  ),
  { provider: SEARCH_SERVICE, variable: BRAVE_VARIABLE, tokenVariable: undefined },
];

/**
 * Returns the API key of a provider at an address from its environment variable. If the variable is not set, reads the
 * keyring, if one can be used. The key of a compatible server is bound to the host of the address (`keyLocation`).
 */
export async function keyOf(
  provider: ProviderName,
  { environment, keyring }: Pick<CommandContext, 'environment' | 'keyring'>,
  baseURL?: string,
): Promise<string | undefined> {
  const { variable, entry } = keyLocation(provider, baseURL);
  const set = variable === undefined ? '' : valueIn(environment, variable);
  return set === '' ? keyring.get(entry).catch(withoutKeyring) : set;
}

/** Returns the ways to give a provider its key, as a next step. `others` are further ways, as commands to the user. */
export function waysToKey(provider: ProviderName, ...others: readonly string[]): string {
  const { variable = 'its key' } = PROVIDERS[provider];
  const ways = [`set ${variable}`, `store a key with \`tidemark keys set ${provider}\``, ...others];
  return `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1) ?? ''}`;
}

/** Returns the bearer token of a provider from its environment variable. */
export function tokenOf(
  provider: ProviderName,
  { environment }: Pick<CommandContext, 'environment'>,
): string | undefined {
  const { tokenVariable } = PROVIDERS[provider];
  const token = tokenVariable === undefined ? '' : valueIn(environment, tokenVariable);
  return token === '' ? undefined : token;
}

/** Returns the API key of the search service from its environment variable, otherwise from the keyring. */
export async function searchKeyOf({
  environment,
  keyring,
}: Pick<CommandContext, 'environment' | 'keyring'>): Promise<string | undefined> {
  const set = valueIn(environment, BRAVE_VARIABLE);
  return set === '' ? keyring.get(SEARCH_SERVICE).catch(withoutKeyring) : set;
}

/** Returns the value of a variable without white space around it. If the variable is not set, returns an empty text. */
export function valueIn(environment: CommandContext['environment'], variable: string): string {
  return (Object.hasOwn(environment, variable) ? environment[variable]?.trim() : undefined) ?? '';
}

/**
 * Returns the presence of every key, and the host variables that are set. The keyring is read one key at a time,
 * because an old keyring can ask the user to unlock it.
 */
export async function keysOf({
  environment,
  keyring,
}: Pick<CommandContext, 'environment' | 'keyring'>): Promise<readonly KeyPresence[]> {
  const found: KeyPresence[] = [];
  for (const { provider, variable, tokenVariable = variable } of VARIABLES) {
    const isToken = valueIn(environment, variable) === '' && valueIn(environment, tokenVariable) !== '';
    const shown = isToken ? tokenVariable : variable;
    const present = valueIn(environment, shown) !== '';
    const inKeyring = await keyring.get(provider).then((kept) => kept !== undefined, withoutKeyring);
    found.push({ provider, variable: shown, present, ...defined({ inKeyring }) });
  }
  const ofHosts = Object.keys(environment).filter((name) => OF_HOST.test(name) && valueIn(environment, name) !== '');
  return [
    ...found,
    ...ofHosts.toSorted().map((variable): KeyPresence => ({ provider: 'compatible', variable, present: true })),
  ];
}

/** Matches a variable that contains the key for a host. Such variables are listed only if they are set. */
const OF_HOST = /^TIDEMARK_\w+_API_KEY$/;

/** Returns the state of a key as text, such as `OPENAI_API_KEY is not set, a key is in the keyring`. */
export function keyWords({ variable, present, inKeyring }: KeyPresence): string {
  const held = inKeyring === undefined ? '' : inKeyring ? ', a key is in the keyring' : ', no key is in the keyring';
  return `${variable} is ${present ? 'set' : 'not set'}${held}`;
}

function withoutKeyring(error: unknown): undefined {
  if (error instanceof SettingsError) return undefined;
  throw error;
}
