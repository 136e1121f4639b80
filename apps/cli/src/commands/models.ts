// `tidemark models`: lists the providers with their addresses and keys, or the models of one provider in the catalog.

import type { ProviderName } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';
import type { Capabilities, Catalog } from '@tidemark/model';
import { defaultCatalog, withOverrides } from '@tidemark/model';
import { defined } from '@tidemark/core';
import { Argument } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatNumber } from '../frame/numbers.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';

/** Command `tidemark models`, which lists the providers, or the models of one provider in the catalog. */
export const models: Command = {
  name: 'models',
  summary: 'list the providers, or the models of a provider that the catalog knows',
  examples: [
    ['tidemark models', 'each provider with its address and the variable of its key'],
    ['tidemark models anthropic', 'its models with their context windows'],
  ],
  declare: (command, run) =>
    void command
      .addArgument(new Argument('[provider]', 'provider of the models').choices(Object.keys(PROVIDERS)))
      .action((provider: ProviderName | undefined) =>
        run((context) => (provider === undefined ? listProviders(context) : listModels(provider, context))),
      ),
};

async function catalogOf({ home }: CommandContext): Promise<Catalog> {
  const changes = await readOwnCatalog(home);
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

function rowsOf({ rows }: Catalog, provider: string): readonly Capabilities[] {
  return rows.filter((row) => row.provider === provider);
}

async function listProviders(context: CommandContext): Promise<CommandOutcome> {
  const catalog = await catalogOf(context);
  const providers = Object.entries(PROVIDERS).map(([provider, known]) => {
    const { title, baseURL: address, variable, documentation, untested } = known;
    const count = rowsOf(catalog, provider).length;
    return { provider, title, models: count, ...defined({ address, variable, documentation, untested }) };
  });
  if (context.output.json) {
    context.output.result({ providers }, () => '');
    return undefined;
  }
  context.output.table({
    head: ['provider', 'address', 'key', 'models', 'note'],
    rows: providers.map(({ provider, address = '--base-url', variable = 'none', models: count, untested = '' }) => [
      provider,
      address,
      variable,
      formatNumber(count),
      untested,
    ]),
  });
  context.output.line('A model that the catalog does not know needs its context window: --window 131072');
  return undefined;
}

async function listModels(provider: ProviderName, context: CommandContext): Promise<CommandOutcome> {
  const rows = rowsOf(await catalogOf(context), provider);
  const { title, documentation, untested } = PROVIDERS[provider];
  const found = rows.map(({ model, window, outputLimit, source, asOf }) => ({
    model,
    window: window.tokens,
    outputLimit,
    source,
    asOf,
  }));
  if (context.output.json) {
    context.output.result({ provider, models: found, ...defined({ documentation, untested }) }, () => '');
    return undefined;
  }
  if (found.length === 0) context.output.line(`The catalog knows no models of ${title}: add --model and --window.`);
  else
    context.output.table({
      head: ['model', 'window', 'longest answer', 'checked on'],
      rows: found.map(({ model, window, outputLimit, asOf }) => [
        model,
        formatNumber(window),
        formatNumber(outputLimit),
        asOf,
      ]),
    });
  if (documentation !== undefined) context.output.line(`${documentation} (${untested ?? ''})`);
  return undefined;
}
