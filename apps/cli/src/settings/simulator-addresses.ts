// Lists the addresses at which the simulator replaces each provider. Each entry shows how a client uses the address.

import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { isCompatible, PROVIDERS } from '@tidemark/kit';

/**
 * Path after the port, by provider. The official SDK expects this path in its base URL. A preset has the path of
 * `compatible`.
 */
const BEHIND: { readonly [name in ProviderName]?: string } = {
  anthropic: '',
  openai: '/v1',
  openrouter: '/api/v1',
  compatible: '/v1',
};

/**
 * Environment variable that contains the base URL for the official SDK, by provider. Absent for an SDK that reads no
 * such variable.
 */
const VARIABLES: { readonly [name in ProviderName]?: string } = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
};

/** One address of the simulator. */
export interface SimulatorAddress {
  readonly provider: ProviderName;
  readonly title: string;
  readonly url: string;
  /** Environment variable for clients that use the official SDK. */
  readonly variable?: string;
  /** Flags with which a `tidemark` command uses this address. */
  readonly flags: string;
}

/** Returns the address at which the simulator replaces a provider. */
export function addressOf(provider: ProviderName, url: string): string {
  return url + (BEHIND[isCompatible(provider) ? 'compatible' : provider] ?? '');
}

/** Returns the address of the simulator for each provider, with the variable and the flags that select it. */
export function addressesOf(url: string): readonly SimulatorAddress[] {
  return Object.keys(BEHIND)
    .filter((name): name is ProviderName => Object.hasOwn(PROVIDERS, name))
    .map((provider) => {
      const variable = VARIABLES[provider];
      const address = addressOf(provider, url);
      return defined({
        provider,
        title: PROVIDERS[provider].title,
        url: address,
        variable,
        flags: `--provider ${provider} --base-url ${address}`,
      });
    });
}
