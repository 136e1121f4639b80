// Who is put to the test: a provider with a model's row, live or the simulator in its place, and the time it runs on.

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
import { keyOf } from '../settings/key-presence.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import { openSimulator } from '../settings/simulator-server.ts';

/** What is asked for on the command line. */
export interface SubjectFlags {
  readonly provider: 'anthropic' | 'openai' | 'simulator';
  readonly model?: string;
  readonly baseUrl?: string;
}

/** Whose model it is, and what is known of it. */
export interface SmokeSubject {
  readonly row: Capabilities;
  readonly simulated: boolean;
  /** The user's changes to the catalog. */
  readonly catalog: object | undefined;
}

/** A provider that can be called. */
export interface OpenSubject {
  readonly provider: Provider;
  readonly surroundings: Surroundings;
  /** Real on a real provider; on the simulator it only moves the clock. */
  pause(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** The cheapest newest ones: the cache rules are those of their dear sisters. */
const MODELS = { anthropic: 'claude-haiku-5-5', openai: 'gpt-6-luna', simulator: 'claude-haiku-5-5' } as const;
const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

type Maker = keyof typeof KEYS;

/** Finds the row. @throws CliError `cli/not-found` for a model of nobody's that is asked here. */
export async function findSubject(flags: SubjectFlags, { home }: CommandContext): Promise<SmokeSubject> {
  const catalog = await readOwnCatalog(home);
  const rows = catalog === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), catalog);
  const model = flags.model ?? MODELS[flags.provider];
  requireOwnName(model, rows);
  const row = rowOf(rows, model, flags.provider);
  if (row === undefined) {
    const whose = flags.provider === 'simulator' ? 'Anthropic or OpenAI' : flags.provider;
    throw new CliError('cli/not-found', `the catalog knows no model ${model} of ${whose}`, 'name another --model');
  }
  return { row, simulated: flags.provider === 'simulator', catalog };
}

function rowOf(catalog: Catalog, model: string, provider: SubjectFlags['provider']): Capabilities | undefined {
  if (provider !== 'simulator') return findModel(catalog, model, provider);
  return findModel(catalog, model, 'anthropic') ?? findModel(catalog, model, 'openai');
}

/** Opens it. @throws CliError `cli/no-key` for a live one without a key. */
export async function openSubject(
  { row, simulated }: SmokeSubject,
  { baseUrl }: SubjectFlags,
  context: CommandContext,
): Promise<OpenSubject> {
  const maker: Maker = row.provider === 'openai' ? 'openai' : 'anthropic';
  if (simulated) return openSimulated(maker, row);
  const key = await keyOf(maker, context);
  if (key === undefined) throw noKey(maker);
  return {
    provider: providerOf(maker, key, baseUrl),
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

/** Only what is waited for here moves the clock: what an agent waits for is real. */
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
    `a live smoke needs a key: ${KEYS[maker]} is not set`,
    `set ${KEYS[maker]}, or add \`--dry-run\` to see what it would do, or \`--provider simulator\` to try it without one`,
  );
}
