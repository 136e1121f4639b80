// Where the simulator stands in for each provider, and how a client is told.

import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';

/** What comes behind the port, by provider: as its official SDK wants its base URL. */
const BEHIND: { readonly [name in ProviderName]: string } = {
  anthropic: '',
  openai: '/v1',
  openrouter: '/api/v1',
  compatible: '/v1',
};

/** The variable that an official SDK reads its address from, where it reads one. */
const VARIABLES: { readonly [name in ProviderName]?: string } = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
};

/** One address of the simulator. */
export interface SimulatorAddress {
  readonly provider: ProviderName;
  readonly title: string;
  readonly url: string;
  /** For clients on the official SDK. */
  readonly variable?: string;
  /** For this command. */
  readonly flags: string;
}

/** The address of a provider's stand-in. */
export function addressOf(provider: ProviderName, url: string): string {
  return url + BEHIND[provider];
}

/** Every address, with how to use each. */
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
