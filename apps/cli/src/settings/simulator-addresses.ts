// Lists the addresses at which the simulator replaces each provider. Each entry shows how a client uses the address. A
// command that `tidemark simulate` runs gets the simulator in a variable, and every command of Tidemark uses it.

import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { isCompatible, PROVIDERS } from '@tidemark/kit';

import { CliError } from '../frame/failure.ts';
import type { CommandEnvironment } from '../frame/home.ts';

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

/** Variable with the URL of the simulator that replaces every provider. `tidemark simulate -- <command>` sets it. */
export const SIMULATOR_VARIABLE = 'TIDEMARK_SIMULATOR_URL';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/**
 * Returns the URL of the simulator that the environment names, without a slash at its end.
 *
 * @throws CliError `cli/usage` for another address. A variable must not send prompts to another machine.
 */
export function simulatorIn(environment: CommandEnvironment): string | undefined {
  const set = environment[SIMULATOR_VARIABLE]?.trim() ?? '';
  if (set === '') return undefined;
  const url = URL.parse(set);
  if (url?.protocol === 'http:' && LOOPBACK.has(url.hostname) && url.pathname === '/') return url.origin;
  throw new CliError(
    'cli/usage',
    `${SIMULATOR_VARIABLE} is not the address of a simulator on this machine, such as http://127.0.0.1:8787`,
    'remove the variable; `tidemark simulate -- <command>` sets it for its command',
  );
}
