// Determines the capabilities of the chosen model. They come from the catalog with the author's changes, or from the
// author's options.

import { defined } from '@tidemark/core';
import { nearestName, THIS_MACHINE } from '@tidemark/agent';
import type { Capabilities, Catalog, NearestModel } from '@tidemark/model';
import {
  findModel,
  nearestModel,
  normalModelName,
  readClaudeName,
  undatedModelName,
  unlistedModel,
} from '@tidemark/model';
import type { AgentOptions } from './agent-options.ts';
import { KitError } from './kit-error.ts';
import type { ProviderName } from './providers.ts';
import { isCompatible, isProviderName, PROVIDERS, providerOf } from './providers.ts';

/**
 * Default maximum of output tokens in one answer. This is enough for a long file, and it limits the cost of one call.
 */
export const OUTPUT_LIMIT = 32_000;

/**
 * Returns the catalog row of a model for a provider that the author made. This is the row of that provider, or else the
 * row of the model's maker. If the catalog does not contain a Claude model, it gets the row of the nearest model of its
 * family, without prices (L7).
 *
 * @throws KitError `kit/unknown-model`.
 */
export function findCapabilities(model: string, provider: string, catalog: Catalog): Capabilities {
  const found = findModel(catalog, model, provider) ?? findModel(catalog, model);
  if (found !== undefined) return found;
  const nearest = nearestModel(catalog, model, provider) ?? nearestModel(catalog, model);
  if (nearest === undefined) throw unknownModel(model, catalog, provider);
  return standIn(model, nearest);
}

/**
 * Returns the capabilities of a model for a named provider. A row of another provider is never used, because the same
 * model can behave differently there. OpenRouter and compatible servers can serve any model. The capabilities of an
 * unlisted model are therefore derived from the author's `contextWindow`.
 *
 * @throws KitError `kit/unknown-model`; `kit/bad-options` for a window that is missing or already in the catalog.
 */
export function ownCapabilities(name: ProviderName, options: AgentOptions, catalog: Catalog): Capabilities {
  const { model, modelOptions: { contextWindow } = {} } = options;
  const found = findModel(catalog, model, name);
  const nearest = found === undefined ? nearestModel(catalog, model, name) : undefined;
  const listed = found ?? (nearest === undefined ? undefined : standIn(model, nearest));
  const open = isCompatible(name) || name === 'openrouter';
  if (!open && nearest !== undefined && isMisspelled(model, nearest)) throw misspelledModel(model, nearest, catalog);
  if (contextWindow !== undefined && (found !== undefined || !open)) throw windowKnown(name, model, listed);
  if (found === undefined && open) return withParameters(name, assumedCapabilities(name, options, catalog), options);
  if (listed === undefined) throw unknownModel(model, catalog, name);
  return withParameters(name, listed, options);
}

/**
 * Returns the row with the request parameters that the author set. A compatible server can have any parameters, so the
 * row does not have to list them. Some of these parameters may affect the server's cache, but it is not known which.
 * Therefore any change counts as a loss of the whole cache.
 */
function withParameters(name: ProviderName, row: Capabilities, { modelOptions }: AgentOptions): Capabilities {
  const names = Object.keys(modelOptions?.parameters ?? {});
  if (!isCompatible(name) || names.length === 0) return row;
  const set = Object.fromEntries(names.map((one) => [one, 'tools' as const]));
  return { ...row, renderParameters: { ...set, ...row.renderParameters } };
}

function assumedCapabilities(name: ProviderName, options: AgentOptions, catalog: Catalog): Capabilities {
  const {
    model,
    modelOptions: { contextWindow: window } = {},
    maxOutputTokens,
    host: { clock = THIS_MACHINE } = {},
  } = options;
  if (window === undefined) throw windowMissing(name, model, catalog);
  const most = maxOutputTokens ?? Math.min(OUTPUT_LIMIT, Math.floor(window / 4));
  if (most >= window)
    throw new KitError(
      'kit/bad-options',
      `an answer of ${most} tokens leaves no room for a request in a context window of ${window}: set a smaller \`maxOutputTokens\``,
      { problems: ['maxOutputTokens'] },
    );
  const asOf = clock.now().slice(0, 10);
  const row = unlistedModel({ provider: name, model, window, outputLimit: most, asOf });
  // OpenRouter keeps a session at the same upstream, even if that upstream is unknown. The routing is therefore
  // `automatic`.
  return name === 'openrouter' ? { ...row, routing: 'automatic' } : row;
}

/**
 * Returns true if an unknown Claude name is a wrong spelling of a known name. Returns false if it is the name of a
 * newer or older model. The name of a model contains a version. A name is also wrong in two other cases. It has the
 * words of a known name in another order or with other separators, or only the family is misspelled.
 */
function isMisspelled(model: string, { capabilities: { model: known } }: NearestModel): boolean {
  const [asked, listed] = [model, known].map((name) => undatedModelName(normalModelName(name)));
  if (asked === undefined || listed === undefined) return false;
  const { family, version } = readClaudeName(asked) ?? {};
  if (version === undefined) return true;
  if (characters(asked) === characters(listed) || words(asked) === words(listed)) return true;
  return family === undefined && nearestName(letters(asked), [letters(listed)]) !== undefined;
}

const characters = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '');
const words = (name: string): string => name.split('-').toSorted().join('-');
const letters = (name: string): string => name.replaceAll(/[^a-z]/g, '');

function misspelledModel(model: string, { capabilities }: NearestModel, catalog: Catalog): KitError {
  // The nearest model has the family of the name. If the family is unknown, the nearest model is a Sonnet. In that case
  // the most similar name is used instead.
  const hasFamily = readClaudeName(normalModelName(model))?.family !== undefined;
  const names = catalog.rows.filter((row) => row.provider === capabilities.provider).map((row) => row.model);
  const message = `the catalog knows no model ${JSON.stringify(model)}: did you mean ${(hasFamily ? undefined : nearestName(model, names)) ?? capabilities.model}?`;
  return new KitError('kit/unknown-model', message, { model });
}

function standIn(model: string, { capabilities }: NearestModel): Capabilities {
  const source = `the row of ${capabilities.model}, because the catalog does not contain this model; ${capabilities.source}`;
  return { ...capabilities, model, aliases: [], prices: [], source };
}

function windowMissing(name: ProviderName, model: string, catalog: Catalog): KitError {
  const names = catalog.rows.filter((row) => row.provider === name).map((row) => row.model);
  const nearest = nearestName(model, names);
  const other = nearest === undefined ? '' : `did you mean ${nearest}? Otherwise `;
  return new KitError(
    'kit/bad-options',
    `the catalog does not know ${JSON.stringify(model)} of ${PROVIDERS[name].title}: ${other}set \`modelOptions.contextWindow\` to its number of tokens, input and output together`,
    { problems: ['modelOptions.contextWindow'], model, provider: name },
  );
}

function windowKnown(name: ProviderName, model: string, row: Capabilities | undefined): KitError {
  const { title } = PROVIDERS[name];
  const known =
    row === undefined ? `models of ${title} are in the catalog` : `the catalog knows the window of ${model}`;
  return new KitError(
    'kit/bad-options',
    `${known}: remove \`modelOptions.contextWindow\`, or change the row with \`modelOptions.catalog\``,
    {
      problems: ['modelOptions.contextWindow'],
    },
  );
}

/**
 * Returns the advice to use OpenRouter if the maker of the model is not one of the named providers. Returns `undefined`
 * for any other model.
 */
function unreachedAdvice(model: string, catalog: Catalog): string | undefined {
  const row = findModel(catalog, model);
  if (row === undefined || isProviderName(row.provider)) return undefined;
  return `no provider here serves models of ${row.provider}: use a router, with \`provider: "openrouter"\` and \`model: "${row.provider}/${row.model}"\` with \`modelOptions: { contextWindow: ${row.window.tokens} }\``;
}

/**
 * Returns advice for an unknown model name: the most similar name, or how to add the model. First searches the models
 * of the given provider. Without a provider, first searches the models of all named providers. Then searches the whole
 * catalog.
 */
function near(model: string, catalog: Catalog, provider: string | undefined): string {
  const rows = catalog.rows.filter((row) =>
    provider === undefined ? isProviderName(row.provider) : row.provider === provider,
  );
  const names = (some: Catalog['rows']): readonly string[] => some.map((row) => row.model);
  const nearest = nearestName(model, names(rows)) ?? nearestName(model, names(catalog.rows));
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return 'add its row with `modelOptions.catalog`, or use a server that has the model: `provider: "compatible"`';
}

/**
 * Returns the error for a model that the catalog does not list, or that belongs to another provider. The message names
 * the next action.
 */
export function unknownModel(model: string, catalog: Catalog, provider?: string): KitError {
  const other = providerOf(model, catalog);
  const next =
    other !== undefined && other !== provider
      ? `it is a model of ${PROVIDERS[other].title}: remove \`provider\`, or set it to ${other}`
      : (unreachedAdvice(model, catalog) ?? near(model, catalog, provider));
  const whose = provider === undefined ? '' : ` of ${provider}`;
  return new KitError(
    'kit/unknown-model',
    `the catalog knows no model ${JSON.stringify(model)}${whose}: ${next}`,
    defined({ model, provider }),
  );
}
