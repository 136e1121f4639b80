// `tidemark keys`: manages the API keys of providers and of the search service in the system keyring. A key is never
// printed.

import type { ProviderName } from '@tidemark/kit';
import { isProviderName, keyLocation, PROVIDERS } from '@tidemark/kit';
import { Argument } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { keysOf, keyWords, SEARCH_SERVICE } from '../settings/key-presence.ts';

/** Command `tidemark keys`, which stores, removes and lists the API keys in the system keyring. */
export const keys: Command = {
  name: 'keys',
  summary: 'store the key of a provider in the system keyring; an environment variable takes precedence',
  examples: [
    ['tidemark keys list', 'for each provider, whether there is a key, and where'],
    ['tidemark keys set anthropic < key.txt', 'store the piped key, so that it is not in the command history'],
    ['tidemark keys remove anthropic', 'remove the key from the keyring'],
    ['tidemark keys set brave < key.txt', 'store the key of the web search'],
    [
      'tidemark keys set compatible --base-url https://llm.example.com/v1 < key.txt',
      'store the key of a server; it is sent only to this host',
    ],
  ],
  declare: (command, run) =>
    void command
      .addArgument(new Argument('<action>', 'action').choices(['list', 'set', 'remove']))
      .addArgument(new Argument('[provider]', 'provider of the key, or brave for the web search').choices(withKeys()))
      .option(
        '--base-url <address>',
        'address of the server that the key is for. Default: the address of the provider.',
      )
      .action((action: 'list' | 'set' | 'remove', provider: string | undefined, flags: KeyFlags) =>
        run((context) => ACTIONS[action]({ provider, ...flags }, context)),
      ),
};

interface KeyFlags {
  readonly baseUrl?: string;
}

interface KeyRequest extends KeyFlags {
  readonly provider: string | undefined;
}

function withKeys(): readonly string[] {
  const providers = Object.entries(PROVIDERS).flatMap(([name, { variable, compatible }]) =>
    variable === undefined && compatible !== true ? [] : [name],
  );
  return [...providers, SEARCH_SERVICE];
}

/** Maximum number of bytes read from stdin. No key is that long, and the piped input may be endless. */
const MAX_BYTES = 65_536;

const ACTIONS = { list, set, remove } as const;

async function list(_request: KeyRequest, context: CommandContext): Promise<CommandOutcome> {
  const found = await keysOf(context);
  context.output.result({ keys: found }, () => found.map((key) => `${key.provider}: ${keyWords(key)}`).join('\n'));
  return undefined;
}

async function set(request: KeyRequest, context: CommandContext): Promise<CommandOutcome> {
  const { named, entry, host } = requireEntry(request);
  const key = context.input.piped
    ? Buffer.from(await context.input.bytes(MAX_BYTES))
        .toString('utf8')
        .trim()
    : '';
  if (!/^[\x21-\x7e]{8,1000}$/.test(key))
    throw new CliError(
      'cli/usage',
      'no key was piped in: expected 8 to 1000 visible ASCII characters',
      `pipe it in: \`tidemark keys set ${named} < key.txt\``,
    );
  await context.keyring.set(entry, key);
  context.output.result({ provider: named, kept: true }, () => `the key of ${named}${host} is now in the keyring`);
  return undefined;
}

async function remove(request: KeyRequest, context: CommandContext): Promise<CommandOutcome> {
  const { named, entry, host } = requireEntry(request);
  const removed = await context.keyring.remove(entry);
  context.output.result({ provider: named, removed }, () =>
    removed ? `the key of ${named}${host} was removed from the keyring` : `the keyring has no key of ${named}${host}`,
  );
  return undefined;
}

interface KeyEntry {
  readonly named: ProviderName | typeof SEARCH_SERVICE;
  /** Name of the entry in the keyring. */
  readonly entry: string;
  /** Host of the key, as text for people. Empty for the provider's own host. */
  readonly host: string;
}

/**
 * Returns the keyring entry for the provider and the address.
 *
 * @throws CliError `cli/usage` when the provider is missing, or when the address is missing or cannot be used.
 */
function requireEntry({ provider, baseUrl }: KeyRequest): KeyEntry {
  if (provider === SEARCH_SERVICE) return searchEntry(baseUrl);
  if (provider === undefined || !isProviderName(provider))
    throw new CliError('cli/usage', 'the provider of the key is missing', `add one of ${withKeys().join(', ')}`);
  const { title, baseURL, compatible } = PROVIDERS[provider];
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  if (url === null || (url !== undefined && !/^https?:$/.test(url.protocol)))
    throw new CliError(
      'cli/usage',
      '`--base-url` is not an address',
      'use an address such as https://llm.example.com/v1',
    );
  if (url !== undefined && compatible !== true)
    throw new CliError('cli/usage', `a key of ${title} is not bound to an address`, 'remove `--base-url`');
  if (url === undefined && baseURL === undefined)
    throw new CliError('cli/usage', `${title} has no address of its own`, 'add the address with `--base-url`');
  const { entry } = keyLocation(provider, url?.href);
  return { named: provider, entry, host: entry === provider ? '' : ` at ${url?.host ?? ''}` };
}

function searchEntry(baseUrl: string | undefined): KeyEntry {
  if (baseUrl !== undefined)
    throw new CliError('cli/usage', `a key of ${SEARCH_SERVICE} is not bound to an address`, 'remove `--base-url`');
  return { named: SEARCH_SERVICE, entry: SEARCH_SERVICE, host: '' };
}
