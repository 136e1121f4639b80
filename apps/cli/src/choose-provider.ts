// Whom a turn asks: Anthropic, or the simulator in its place.

import type { AgentOptions } from '@tidemark/kit';

import type { AgentFlags } from './agent-flags.ts';
import type { CommandContext } from './command.ts';
import { CliError } from './failure.ts';
import { openSimulator } from './simulator-server.ts';

/** A provider at work, and how to end it. */
export interface ChosenProvider {
  readonly options: Pick<AgentOptions, 'apiKey' | 'baseURL'>;
  close(): Promise<void>;
}

/** The one variable that a key is read from. */
const KEY = 'ANTHROPIC_API_KEY';

/** @throws CliError `cli/no-key`; `cli/usage` for a scenario without the simulator, or an address with it. */
export async function chooseProvider(flags: AgentFlags, { environment }: CommandContext): Promise<ChosenProvider> {
  if (flags.provider === 'simulator') return simulator(flags);
  if (flags.scenario !== undefined)
    throw new CliError('cli/usage', 'a scenario is for the simulator', 'add --provider simulator');
  const apiKey = environment[KEY]?.trim() ?? '';
  if (apiKey === '') throw noKey();
  const { baseUrl } = flags;
  return {
    options: { apiKey, ...(baseUrl !== undefined && { baseURL: baseUrl }) },
    close: async () => undefined,
  };
}

async function simulator({ scenario, baseUrl }: AgentFlags): Promise<ChosenProvider> {
  if (baseUrl !== undefined)
    throw new CliError(
      'cli/usage',
      '--provider simulator starts one of its own',
      'leave out --base-url, or --provider',
    );
  // Each run has a new one: seals of the simulator before it are not known to it.
  const settings = { recordedSignatures: 'issued' } as const;
  const listening = await openSimulator({ port: 0, settings, ...(scenario !== undefined && { scenario }) });
  return { options: { apiKey: 'simulated', baseURL: listening.url }, close: () => listening.close() };
}

function noKey(): CliError {
  return new CliError(
    'cli/no-key',
    `there is no key for Anthropic: ${KEY} is not set`,
    `set ${KEY}, or add \`--provider simulator\` to try it without one`,
  );
}
