// Whom a turn asks, and for which model: as said, as the session has it, or as the model has it; and the simulator in the
// place of any.

import { defined } from '@tidemark/core';
import type { AgentOptions, ProviderName } from '@tidemark/kit';
import { isProviderName, PROVIDERS, providerOf } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { keyOf } from './key-presence.ts';
import { openSimulator } from './simulator-server.ts';
import { addressOf } from './simulator-addresses.ts';

/** A provider at work, and how to end it. */
export interface OpenedProvider {
  readonly options: Pick<
    AgentOptions,
    'model' | 'provider' | 'apiKey' | 'baseURL' | 'maxOutputTokens' | 'connection' | 'modelOptions'
  >;
  close(): Promise<void>;
}

/** What a turn is to be asked with. */
export interface ProviderRequest {
  readonly flags: AgentFlags;
  readonly session?: ChosenSession | undefined;
  /** With the user's changes. */
  readonly catalog: Catalog;
  /** Where providers listen, as it is set. */
  readonly addresses?: Settings['baseUrl'];
}

/** @throws CliError `cli/no-key`; `cli/usage` for what cannot be meant together. */
export async function chooseProvider(request: ProviderRequest, context: CommandContext): Promise<OpenedProvider> {
  const { flags } = request;
  const wanted = wantedOf(request);
  requireTransport(wanted.provider, flags);
  if (flags.provider === 'simulator') return simulator(request, wanted);
  if (flags.scenario !== undefined)
    throw new CliError('cli/usage', 'a scenario is for the simulator', 'add --provider simulator');
  const limits = limitsOf(request, wanted);
  const baseURL = addressIn(request, wanted);
  requireNoPassword(flags);
  requireSaid(wanted, request, { window: limits.modelOptions?.contextWindow, baseURL });
  const key = await keyFor(wanted.provider, context);
  return {
    options: { ...wanted, ...limits, ...key, ...transportOf(flags), ...defined({ baseURL }) },
    close: async () => undefined,
  };
}

/** A model, and its provider where one is known by name. */
interface WantedModel {
  readonly model: string;
  readonly provider?: ProviderName;
}

/** A session goes on with its own model and provider: another one could not read its cache. */
function wantedOf({ flags, session, catalog }: ProviderRequest): WantedModel {
  const said = flags.provider === 'simulator' ? undefined : flags.provider;
  const model = flags.model ?? keptModel(said, session) ?? defaultModel(said, catalog);
  const kept = flags.model === undefined || flags.model === session?.model ? session?.provider : undefined;
  const provider = said ?? (kept !== undefined && isProviderName(kept) ? kept : providerOf(model, catalog));
  return defined({ model, provider });
}

/** What is set is for one provider: another one's key is never sent there. */
function addressIn({ flags, addresses }: ProviderRequest, { provider }: WantedModel): string | undefined {
  return flags.baseUrl ?? addresses?.[provider ?? 'anthropic'];
}

function keptModel(said: ProviderName | undefined, session: ChosenSession | undefined): string | undefined {
  return said === undefined || said === session?.provider ? session?.model : undefined;
}

/** The newest Sonnet; other providers have no model that everybody would mean. */
function defaultModel(provider: ProviderName | undefined, catalog: Catalog): string {
  if (provider !== undefined && provider !== 'anthropic') {
    const some = catalog.rows.filter((row) => row.provider === provider).slice(0, 3);
    const such = some.length === 0 ? '' : `, such as ${some.map(({ model }) => model).join(', ')}`;
    throw new CliError('cli/usage', `--provider ${provider} needs a model`, `name one with --model${such}`);
  }
  return nearestModel(catalog, 'claude-sonnet', 'anthropic')?.capabilities.model ?? 'claude-sonnet';
}

/** What is said of a model that no catalog knows; a session remembers the window of its own. */
function limitsOf(
  { flags, session, catalog }: ProviderRequest,
  { model, provider }: WantedModel,
): Pick<AgentOptions, 'maxOutputTokens' | 'modelOptions'> {
  const kept = model === session?.model && findModel(catalog, model, provider) === undefined;
  const { window: contextWindow = kept ? session.window : undefined, outputLimit: maxOutputTokens } = flags;
  return defined({ maxOutputTokens, modelOptions: contextWindow === undefined ? undefined : { contextWindow } });
}

function transportOf({ transport }: AgentFlags): Pick<AgentOptions, 'connection'> {
  return transport === undefined ? {} : { connection: { transport } };
}

function requireTransport(provider: ProviderName = 'anthropic', { transport }: AgentFlags): void {
  if (transport === undefined || provider === 'openai') return;
  const { title } = PROVIDERS[provider];
  throw new CliError('cli/usage', `${title} is reached over HTTP alone`, 'leave out --transport');
}

async function simulator(request: ProviderRequest, wanted: WantedModel): Promise<OpenedProvider> {
  const { scenario, baseUrl } = request.flags;
  if (baseUrl !== undefined)
    throw new CliError(
      'cli/usage',
      '--provider simulator starts one of its own',
      'leave out --base-url, or --provider',
    );
  // Each run has a new one: seals of the simulator before it are not known to it.
  const settings = { recordedSignatures: 'issued' } as const;
  const listening = await openSimulator(defined({ port: 0, settings, scenario }));
  const { provider = 'anthropic' } = wanted;
  return {
    options: {
      ...wanted,
      apiKey: 'simulated-by-tidemark',
      baseURL: addressOf(provider, listening.url),
      ...limitsOf(request, wanted),
      ...transportOf(request.flags),
    },
    close: () => listening.close(),
  };
}

/** What no catalog knows is asked of whoever runs the server; a session remembers the window, never the address. */
function requireSaid(
  { model, provider }: WantedModel,
  { catalog }: ProviderRequest,
  { window, baseURL }: { readonly window: number | undefined; readonly baseURL: string | undefined },
): void {
  if (provider !== 'compatible' && provider !== 'openrouter') return;
  const { title } = PROVIDERS[provider];
  if (provider === 'compatible' && baseURL === undefined)
    throw new CliError(
      'cli/usage',
      `${title} has no address of its own`,
      'say where it listens: --base-url http://127.0.0.1:11434/v1',
    );
  if (window !== undefined || findModel(catalog, model, provider) !== undefined) return;
  throw new CliError(
    'cli/usage',
    `the catalog does not know ${JSON.stringify(model)} of ${title}`,
    'say how many tokens it takes, input and output together: --window 32768',
  );
}

/** Said before anything is opened, with the way to try it without. */
async function keyFor(
  provider: ProviderName = 'anthropic',
  context: CommandContext,
): Promise<Pick<AgentOptions, 'apiKey'>> {
  const { title, variable } = PROVIDERS[provider];
  if (variable === undefined) return {};
  const apiKey = await keyOf(provider, context);
  if (apiKey !== undefined) return { apiKey };
  throw new CliError(
    'cli/no-key',
    `there is no key for ${title}: ${variable} is not set`,
    `set ${variable}, keep one with \`tidemark keys set ${provider}\`, or add \`--provider simulator\` to try it without one`,
  );
}

/** @throws CliError `cli/usage`. The message does not quote the address: it would stand in the output and in logs of it. */
function requireNoPassword({ baseUrl }: Pick<AgentFlags, 'baseUrl'>): void {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null || (url.username === '' && url.password === '')) return;
  throw new CliError(
    'cli/usage',
    'the address of --base-url contains a user name or a password',
    'leave them out of the address, and give the secret as the API key of the provider',
  );
}
