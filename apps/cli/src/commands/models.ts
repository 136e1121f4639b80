// `tidemark models`: lists the models of the catalog with prices and limits, and the providers with their addresses and
// keys.

import { nearestName } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { ProviderName } from '@tidemark/kit';
import { isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Capabilities, Catalog } from '@tidemark/model';
import { modelNamed } from '@tidemark/model';
import { Option } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { formatNumber } from '../frame/numbers.ts';
import { modelFacts, modelTable } from '../reports/model-table.ts';
import type { KeyPresence } from '../settings/key-presence.ts';
import { keysOf } from '../settings/key-presence.ts';
import { readCatalog } from '../settings/own-catalog.ts';

/** Command `tidemark models`, which lists the models of the catalog and the providers. */
export const models: Command = {
  name: 'models',
  summary: 'list the models of the catalog with prices, limits and efforts, and the providers with their keys',
  examples: [
    ['tidemark models', 'every model that can be called, and each provider with its address and its key'],
    ['tidemark models opus', 'the models of a family; its short name means the newest'],
    ['tidemark models openai mini', 'of one provider, by words in their names'],
    ['tidemark models anthropic', 'short for --provider anthropic'],
  ],
  declare: (command, run) =>
    void command
      .argument('[model...]', 'short name of a model, words in its name, or a provider')
      .addOption(new Option('--provider <name>', 'provider of the models').choices(Object.keys(PROVIDERS)))
      .action((words: readonly string[], flags: ModelFlags) => run((context) => list(words, flags, context))),
};

interface ModelFlags {
  readonly provider?: ProviderName;
}

async function list(
  words: readonly string[],
  { provider: flag }: ModelFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const catalog = await readCatalog(context.home);
  const keys = await keysOf(context);
  const [word = '', ...more] = words;
  const named = flag === undefined && isProviderName(word) ? word : undefined;
  const provider = flag ?? named;
  const query = (named === undefined ? words : more).join(' ');
  const rows = catalog.rows.filter((row) =>
    provider === undefined ? isProviderName(row.provider) : row.provider === provider,
  );
  if (query !== '') return listMatching(query, { rows, catalog, provider, keys }, context);
  if (provider !== undefined) return listOfProvider(provider, rows, keys, context);
  return listAll(catalog, rows, keys, context);
}

interface Listed {
  readonly rows: readonly Capabilities[];
  readonly catalog: Catalog;
  readonly provider: ProviderName | undefined;
  readonly keys: readonly KeyPresence[];
}

async function listMatching(
  query: string,
  { rows, catalog, provider, keys }: Listed,
  { output }: CommandContext,
): Promise<CommandOutcome> {
  const found = rows.filter((row) => contains(row, query));
  const resolved = modelNamed(query, catalog, provider);
  if (found.length === 0 && resolved === undefined) {
    const near = nearestName(
      query,
      rows.map(({ model }) => model),
    );
    const next = near === undefined ? '`tidemark models` lists every model' : `did you mean ${near}?`;
    throw new CliError('cli/usage', `the catalog has no model that matches ${JSON.stringify(query)}`, next);
  }
  const shown = found.length === 0 && resolved !== undefined ? [resolved] : found;
  const newest = resolved === undefined || resolved.model === query ? undefined : resolved.model;
  if (output.json) output.result({ models: factsOf(shown, keys), ...defined({ query, resolved: newest }) }, () => '');
  else {
    output.table(modelTable(factsOf(shown, keys)));
    if (newest !== undefined) output.line(`"${query}" is ${newest}: \`--model ${shortWord(query)}\` uses it`);
  }
  return undefined;
}

function shortWord(query: string): string {
  return /^[\w.-]+$/.test(query) ? query : JSON.stringify(query);
}

/** Returns true if the name or an alias of the model contains every word of the query. */
function contains({ model, aliases }: Capabilities, query: string): boolean {
  const names = [model, ...aliases].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

function factsOf(rows: readonly Capabilities[], keys: readonly KeyPresence[]): ReturnType<typeof modelFacts>[] {
  const today = new Date().toISOString().slice(0, 10);
  return rows.map((row) => modelFacts(row, { today, key: hasKey(row.provider, keys) }));
}

/** Returns true if there is a key of the provider. `undefined` if the provider needs none, or if it is bound to a host. */
function hasKey(provider: string, keys: readonly KeyPresence[]): boolean | undefined {
  const found = keys.find((key) => key.provider === provider);
  return found === undefined ? undefined : found.present || found.inKeyring === true;
}

async function listOfProvider(
  provider: ProviderName,
  rows: readonly Capabilities[],
  keys: readonly KeyPresence[],
  { output }: CommandContext,
): Promise<CommandOutcome> {
  const { title, documentation, untested } = PROVIDERS[provider];
  const facts = factsOf(rows, keys);
  if (output.json) {
    output.result({ provider, models: facts, ...defined({ documentation, untested }) }, () => '');
    return undefined;
  }
  if (facts.length === 0) output.line(`The catalog knows no models of ${title}: add --model and --window.`);
  else output.table(modelTable(facts));
  if (documentation !== undefined) output.line(`${documentation} (${untested ?? ''})`);
  return undefined;
}

async function listAll(
  catalog: Catalog,
  rows: readonly Capabilities[],
  keys: readonly KeyPresence[],
  { output }: CommandContext,
): Promise<CommandOutcome> {
  const providers = Object.entries(PROVIDERS).map(([provider, known]) => {
    const { title, baseURL: address, variable, documentation, untested } = known;
    const count = catalog.rows.filter((row) => row.provider === provider).length;
    const key = hasKey(provider, keys);
    return { provider, title, models: count, ...defined({ address, variable, key, documentation, untested }) };
  });
  if (output.json) {
    output.result({ providers, models: factsOf(rows, keys) }, () => '');
    return undefined;
  }
  output.table(modelTable(factsOf(rows, keys)));
  output.line('');
  output.table({
    head: ['provider', 'address', 'key', 'models', 'note'],
    rows: providers.map(({ provider, address = '--base-url', variable = 'none', key, models: count, untested }) => [
      provider,
      address,
      key === true ? `${variable} (found)` : variable,
      formatNumber(count),
      untested ?? '',
    ]),
    narrowing: [
      { column: 'note', least: 9 },
      { column: 'models', leftOut: true },
      { column: 'address', least: 24 },
      { column: 'note', leftOut: true },
      { column: 'key', leftOut: true },
    ],
  });
  output.line('A model that the catalog does not know needs its context window: --window 131072');
  return undefined;
}
