// Chooses the provider and the model of a turn, from the command line, the session or the catalog. The simulator can be
// used instead of any provider.

import { defined } from '@tidemark/core';
import type { AgentOptions, KeyLocation, OtherProvider, ProviderName } from '@tidemark/kit';
import { isCompatible, isProviderName, keyLocation, PROVIDERS, providerOf } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';
import { connectionHeaders } from './connection-headers.ts';
import { keyOf, tokenOf, valueIn, waysToKey } from './key-presence.ts';
import type { SharedSimulator } from './simulator-server.ts';
import { openSessionSimulator } from './simulator-server.ts';
import { addressOf, SIMULATOR_VARIABLE, simulatorIn } from './simulator-addresses.ts';

/** Options for an opened provider, with a function that closes it. */
export interface OpenedProvider {
  readonly options: Pick<
    AgentOptions,
    'model' | 'provider' | 'apiKey' | 'baseURL' | 'maxOutputTokens' | 'connection' | 'modelOptions'
  >;
  /**
   * Returns the key and the address of another provider. Returns `undefined` if its key is missing. A simulator replaces
   * every provider.
   */
  reach(provider: ProviderName): Promise<OtherProvider | undefined>;
  close(): Promise<void>;
}

/** Flags, session and catalog from which the provider of a turn is chosen. */
export interface ProviderRequest {
  readonly flags: AgentFlags;
  readonly session?: ChosenSession | undefined;
  /** Model catalog, with the user's changes applied. */
  readonly catalog: Catalog;
  /** Base URLs of the providers from the settings, by provider name. */
  readonly addresses?: Settings['baseUrl'];
  /** Request headers that the settings define. */
  readonly connection?: Settings['connection'];
  /** Simulator that answers in place of a new one. */
  readonly simulator?: SharedSimulator | undefined;
}

/**
 * Chooses the provider of a turn and opens it.
 *
 * @throws CliError `cli/no-key` when the provider's API key is missing.
 * @throws CliError `cli/usage` when flags are missing or cannot be combined.
 */
export async function chooseProvider(request: ProviderRequest, context: CommandContext): Promise<OpenedProvider> {
  const { flags } = request;
  const wanted = wantedOf(request);
  requireTransport(wanted.provider, flags);
  // A simulator that was named in the environment replaces every provider. An own address or scenario comes first.
  const shared = flags.baseUrl === undefined && flags.scenario === undefined ? namedSimulator(context) : undefined;
  if (shared !== undefined) return simulatedBy(shared, request, wanted);
  if (flags.provider === 'simulator') return simulator(request, wanted);
  if (flags.scenario !== undefined)
    throw new CliError('cli/usage', '`--scenario` works only with the simulator', 'add `--provider simulator`');
  const limits = limitsOf(request, wanted);
  const baseURL = addressIn(request, wanted);
  requireNoPassword(flags);
  requireSaid(wanted, request, { window: limits.modelOptions?.contextWindow, baseURL });
  const { provider = 'anthropic' } = wanted;
  const { apiKey, bearerToken } = await keyFor(provider, baseURL, context);
  const reach = { provider, baseURL, flags: flags.header, settings: request.connection };
  const headers = await connectionHeaders(reach, context);
  const connection = defined({ transport: flags.transport, headers, bearerToken });
  return {
    options: { ...wanted, ...limits, ...defined({ apiKey, baseURL }), connection },
    reach: (name) => reachOther(name, request.addresses?.[name], context),
    close: async () => undefined,
  };
}

interface WantedModel {
  readonly model: string;
  readonly provider?: ProviderName;
}

/**
 * Returns the model and provider to use. By default a session continues with its own model and provider, because
 * another model or provider cannot read the session's cache.
 */
function wantedOf({ flags, session, catalog }: ProviderRequest): WantedModel {
  const named = flags.provider === 'simulator' ? undefined : flags.provider;
  const model = flags.model ?? keptModel(named, session) ?? defaultModel(named, catalog);
  const kept = flags.model === undefined || flags.model === session?.model ? session?.provider : undefined;
  const provider = named ?? (kept !== undefined && isProviderName(kept) ? kept : providerOf(model, catalog));
  return defined({ model, provider });
}

/**
 * Returns the address of the provider. An address from the settings is valid for one provider only. Therefore the key
 * of another provider is never sent to it.
 */
function addressIn({ flags, addresses }: ProviderRequest, { provider }: WantedModel): string | undefined {
  return flags.baseUrl ?? addresses?.[provider ?? 'anthropic'];
}

function keptModel(named: ProviderName | undefined, session: ChosenSession | undefined): string | undefined {
  return named === undefined || named === session?.provider ? session?.model : undefined;
}

/**
 * Returns the newest Sonnet. Other providers have no default model.
 *
 * @throws CliError `cli/usage` for any provider other than Anthropic.
 */
function defaultModel(provider: ProviderName | undefined, catalog: Catalog): string {
  if (provider !== undefined && provider !== 'anthropic') {
    const some = catalog.rows.filter((row) => row.provider === provider).slice(0, 3);
    const such = some.length === 0 ? '' : `, such as ${some.map(({ model }) => model).join(', ')}`;
    throw new CliError(
      'cli/usage',
      `\`--provider ${provider}\` needs a model`,
      `add \`--model\` and the name of a model${such}`,
    );
  }
  return nearestModel(catalog, 'claude-sonnet', 'anthropic')?.capabilities.model ?? 'claude-sonnet';
}

/**
 * Returns the limits that the user gave for a model outside the catalog. For such a model, a session remembers the
 * context window.
 */
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
  throw new CliError(
    'cli/usage',
    `\`--transport\` works only with OpenAI; ${title} always uses HTTP`,
    'remove `--transport`',
  );
}

const SIMULATED = 'simulated-by-tidemark';

async function simulator(request: ProviderRequest, wanted: WantedModel): Promise<OpenedProvider> {
  const { scenario, baseUrl } = request.flags;
  if (baseUrl !== undefined)
    throw new CliError(
      'cli/usage',
      '`--base-url` cannot be combined with `--provider simulator`, which starts a simulator of its own',
      'remove one of the two options',
    );
  if (request.simulator !== undefined) return simulatedBy(await request.simulator.url(), request, wanted);
  const listening = await openSessionSimulator(scenario);
  return { ...simulatedBy(listening.url, request, wanted), close: () => listening.close() };
}

/** Returns the URL of the simulator that runs this command, and notes it, because its answers are stored as any other. */
function namedSimulator({ environment, output }: CommandContext): string | undefined {
  const url = simulatorIn(environment);
  if (url !== undefined)
    output.note([withStyle('yellow', 'notice'), `: the simulator at ${url} answers (${SIMULATOR_VARIABLE})`]);
  return url;
}

/** Returns the options for a simulator that runs already. It gets no key and no headers of the user. */
function simulatedBy(url: string, request: ProviderRequest, wanted: WantedModel): OpenedProvider {
  const { provider = 'anthropic' } = wanted;
  return {
    options: {
      ...wanted,
      apiKey: SIMULATED,
      baseURL: addressOf(provider, url),
      ...limitsOf(request, wanted),
      ...transportOf(request.flags),
    },
    reach: async (name) => ({ apiKey: SIMULATED, baseURL: addressOf(name, url) }),
    close: async () => undefined,
  };
}

/**
 * Checks that the user gave the address and the window if Tidemark does not know them. Only the operator of the server
 * knows them. A session remembers the window but never the address.
 *
 * @throws CliError `cli/usage` when one of them is missing.
 */
function requireSaid(
  { model, provider }: WantedModel,
  { catalog }: ProviderRequest,
  { window, baseURL }: { readonly window: number | undefined; readonly baseURL: string | undefined },
): void {
  if (provider === undefined || !(isCompatible(provider) || provider === 'openrouter')) return;
  const { title } = PROVIDERS[provider];
  if (provider === 'compatible' && baseURL === undefined)
    throw new CliError(
      'cli/usage',
      `${title} has no default address`,
      'add the address of the server, such as --base-url http://127.0.0.1:11434/v1',
    );
  if (window !== undefined || findModel(catalog, model, provider) !== undefined) return;
  throw new CliError(
    'cli/usage',
    `the catalog has no model ${JSON.stringify(model)} of ${title}`,
    'add its context window in tokens, input and output together, such as --window 32768',
  );
}

interface Credential {
  readonly apiKey?: string | undefined;
  readonly bearerToken?: string | undefined;
}

/**
 * Returns the API key of the provider at an address. If there is no key, returns its bearer token. Called before
 * anything is opened.
 *
 * @throws CliError `cli/no-key` with the next step when there is no key and the provider needs one.
 */
async function keyFor(
  provider: ProviderName,
  baseURL: string | undefined,
  context: CommandContext,
): Promise<Credential> {
  const { title, variable } = PROVIDERS[provider];
  const place = keyLocation(provider, baseURL);
  const apiKey = await keyOf(provider, context, baseURL);
  if (apiKey !== undefined) return { apiKey };
  const bearerToken = tokenOf(provider, context);
  if (bearerToken !== undefined) return { bearerToken };
  if (!place.required) {
    noteKeyOfOther(provider, place, context);
    return {};
  }
  throw new CliError(
    'cli/no-key',
    `there is no key for ${title}: ${variable} is not set`,
    waysToKey(provider, 'add `--provider simulator` to try it without a key'),
  );
}

/** Returns the key and the address of a provider that is not the one of the run. */
async function reachOther(
  provider: ProviderName,
  baseURL: string | undefined,
  context: CommandContext,
): Promise<OtherProvider | undefined> {
  const apiKey = await keyOf(provider, context, baseURL);
  const isReached = apiKey !== undefined || tokenOf(provider, context) !== undefined;
  return isReached || !keyLocation(provider, baseURL).required ? defined({ apiKey, baseURL }) : undefined;
}

/** Notes that the key of a preset is not sent, because the address is not the preset's own address. */
function noteKeyOfOther(provider: ProviderName, place: KeyLocation, { environment, output }: CommandContext): void {
  const { variable } = PROVIDERS[provider];
  if (variable === undefined || variable === place.variable || valueIn(environment, variable) === '') return;
  const other = place.variable === undefined ? '' : `set ${place.variable}, or `;
  output.note([
    withStyle('yellow', 'notice'),
    `: ${variable} is not sent to this address, because it is not the address of ${PROVIDERS[provider].title}; if the address needs a key, ${other}store one with \`tidemark keys set ${provider} --base-url …\``,
  ]);
}

/**
 * @throws CliError `cli/usage` when the address contains a user name or a password. The message does not quote the
 * address. Otherwise output and logs would contain the password.
 */
function requireNoPassword({ baseUrl }: Pick<AgentFlags, 'baseUrl'>): void {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null || (url.username === '' && url.password === '')) return;
  throw new CliError(
    'cli/usage',
    'the address of `--base-url` contains a user name or a password',
    'remove them from the address, and set the secret as the API key of the provider',
  );
}
