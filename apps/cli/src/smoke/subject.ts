// Finds the subject of a smoke test, which is a model of a live provider or of the simulator. Also provides the clock
// for it.

import type { Surroundings } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import type { Catalog, Capabilities, Provider } from '@tidemark/model';
import { defaultCatalog, findModel, withOverrides } from '@tidemark/model';
import { timestamp } from '@tidemark/log';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider } from '@tidemark/provider-openai';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { requireOwnName } from '../arguments/foreign-name.ts';
import { keyOf, waysToKey } from '../settings/key-presence.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import { addressOf, simulatorIn } from '../settings/simulator-addresses.ts';
import { openSimulator } from '../settings/simulator-server.ts';

/** Flags that choose the subject. */
export interface SubjectFlags {
  readonly provider: 'anthropic' | 'openai' | 'simulator';
  readonly model?: string;
  readonly baseUrl?: string;
}

/** Model to test, with its catalog row. */
export interface SmokeSubject {
  readonly row: Capabilities;
  readonly simulated: boolean;
  /** The user's changes to the catalog. */
  readonly catalog: object | undefined;
}

/** Opened provider, its clock, and functions that wait and close the provider. */
export interface OpenSubject {
  readonly provider: Provider;
  readonly surroundings: Surroundings;
  /** Waits for the given time, in milliseconds. With the simulator, moves the clock instead of waiting. */
  pause(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Newest and cheapest model of each provider. More expensive models of the same provider have the same cache rules. */
const MODELS = { anthropic: 'claude-haiku-5-5', openai: 'gpt-6-luna', simulator: 'claude-haiku-5-5' } as const;
const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

type Maker = keyof typeof KEYS;

/**
 * Finds the catalog row of the model.
 *
 * @throws CliError `cli/not-found` when the provider has no such model.
 */
export async function findSubject(flags: SubjectFlags, { home }: CommandContext): Promise<SmokeSubject> {
  const catalog = await readOwnCatalog(home);
  const rows = catalog === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), catalog);
  const model = flags.model ?? MODELS[flags.provider];
  requireOwnName(model, rows);
  const row = rowOf(rows, model, flags.provider);
  if (row === undefined) {
    const whose = flags.provider === 'simulator' ? 'Anthropic or OpenAI' : flags.provider;
    throw new CliError('cli/not-found', `the catalog has no model ${model} of ${whose}`, 'use another `--model`');
  }
  return { row, simulated: flags.provider === 'simulator', catalog };
}

function rowOf(catalog: Catalog, model: string, provider: SubjectFlags['provider']): Capabilities | undefined {
  if (provider !== 'simulator') return findModel(catalog, model, provider);
  return findModel(catalog, model, 'anthropic') ?? findModel(catalog, model, 'openai');
}

/**
 * Opens the provider.
 *
 * @throws CliError `cli/no-key` when a live provider has no key.
 */
export async function openSubject(
  { row, simulated }: SmokeSubject,
  { baseUrl }: SubjectFlags,
  context: CommandContext,
): Promise<OpenSubject> {
  const maker: Maker = row.provider === 'openai' ? 'openai' : 'anthropic';
  if (simulated) return openSimulated(maker, row);
  const shared = baseUrl === undefined ? simulatorIn(context.environment) : undefined;
  const key = shared === undefined ? await keyOf(maker, context) : 'simulated';
  if (key === undefined) throw noKey(maker);
  return {
    provider: providerOf(maker, key, shared === undefined ? baseUrl : addressOf(maker, shared)),
    surroundings: THIS_MACHINE,
    pause: (ms) => THIS_MACHINE.wait(ms, context.signal),
    close: async () => undefined,
  };
}

function providerOf(maker: Maker, apiKey: string, baseURL: string | undefined): Provider {
  const address = baseURL === undefined ? {} : { baseURL };
  return maker === 'anthropic'
    ? createAnthropicProvider({ apiKey, ...address })
    : createOpenAIProvider({ apiKey, api: 'responses', ...address });
}

/** Opens the simulator. `pause` moves its clock forward and does not wait. A wait inside the agent takes real time. */
async function openSimulated(maker: Maker, row: Capabilities): Promise<OpenSubject> {
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const settings = { clock: now, capabilities: () => row };
  const listening = await openSimulator({ port: 0, settings });
  return {
    provider: providerOf(maker, 'simulated', maker === 'openai' ? `${listening.url}/v1` : listening.url),
    surroundings: { ...THIS_MACHINE, now: () => timestamp(new Date(now()).toISOString()) },
    pause: async (ms) => void (passed += ms),
    close: () => listening.close(),
  };
}

function noKey(maker: Maker): CliError {
  return new CliError(
    'cli/no-key',
    `a live smoke test needs a key: ${KEYS[maker]} is not set`,
    waysToKey(maker, 'add `--dry-run` to see the plan', 'add `--provider simulator` to try it without a key'),
  );
}
