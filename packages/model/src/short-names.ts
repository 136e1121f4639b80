// Short names of models: a family such as `sonnet` means its newest model, and words such as `gpt mini` mean the model
// whose name contains them.

import type { Capabilities } from './capabilities.ts';
import type { Catalog } from './catalog.ts';
import type { ClaudeName } from './find-model.ts';
import { findModel, normalModelName, readClaudeName } from './find-model.ts';

/** Makers whose models are searched if the user names no provider. */
const MAKERS: readonly string[] = ['anthropic', 'openai'];

/** Returns the model that a name or a short name means, or `undefined` if it means none or several. */
export function modelNamed(name: string, catalog: Catalog, provider: string | undefined): Capabilities | undefined {
  const rows = rowsOfProvider(catalog, provider);
  return findAmong(name, rows, catalog) ?? rowOfShortName(name, rows);
}

/** Returns the rows of a provider. Without a provider, returns those of the makers that are searched by default. */
export function rowsOfProvider(catalog: Catalog, provider: string | undefined): readonly Capabilities[] {
  const asked: readonly string[] = provider === undefined ? MAKERS : [provider];
  return catalog.rows.filter((row) => asked.includes(row.provider));
}

/** Returns the row of a model among these rows. */
export function findAmong(model: string, rows: readonly Capabilities[], catalog: Catalog): Capabilities | undefined {
  return findModel({ ...catalog, rows }, model);
}

/**
 * Returns the catalog row for the name. For a Claude family name, returns the newest model, or the model of the version
 * in the name. For any other name, returns the row whose model name contains all words of that name. If several rows
 * match, returns the newest one for `gpt`, and if they are versions of one model. Otherwise returns `undefined`.
 */
export function rowOfShortName(model: string, rows: readonly Capabilities[]): Capabilities | undefined {
  const claude = readShortClaudeName(model);
  if (claude?.family !== undefined) {
    const { version } = claude;
    const [best] = familyRows(claude, rows).filter((one) => version === undefined || one.version === version);
    return best?.row;
  }
  const matching = rowsWithWords(model, rows);
  return matching.length === 1 || model.trim().toLowerCase() === 'gpt' || isOneSeries(matching)
    ? newestOf(matching)
    : undefined;
}

/** Returns true if the names of the models differ only in their versions, such as `gpt-6-sol` and `gpt-6.1-sol`. */
function isOneSeries(rows: readonly Capabilities[]): boolean {
  return new Set(rows.map(({ model }) => model.replace(VERSION, '-'))).size === 1;
}

const VERSION = /-(\d+(?:\.\d+)?)(?=-|$)/;

/** Returns the row with the highest version in its name. Of equal versions, the first one in the catalog. */
function newestOf(rows: readonly Capabilities[]): Capabilities | undefined {
  const version = ({ model }: Capabilities): number => Number(VERSION.exec(model)?.[1] ?? 0);
  return rows.toSorted((a, b) => version(b) - version(a))[0];
}

/**
 * Parses a Claude model name, including short names such as `sonnet` and `opus 4.8`. Returns `undefined` if the name
 * contains any other word.
 */
export function readShortClaudeName(model: string): ClaudeName | undefined {
  const normal = normalModelName(model.trim().replaceAll(/[\s_]+/g, '-')).replaceAll('.', '-');
  const name = readClaudeName(normal.startsWith('claude') ? normal : `claude-${normal}`);
  const words = normal.split('-').filter((word) => word !== 'claude' && !/^\d+$/.test(word));
  return words.every((word) => word === name?.family) ? name : undefined;
}

/** Returns the catalog rows of a family, each with its version, newest version first. */
function familyRows(
  { family }: ClaudeName,
  rows: readonly Capabilities[],
): readonly { readonly row: Capabilities; readonly version: number }[] {
  return rows
    .flatMap((row) => {
      const name = readClaudeName(normalModelName(row.model));
      return name?.family === family && name?.version !== undefined ? [{ row, version: name.version }] : [];
    })
    .toSorted((a, b) => b.version - a.version);
}

/**
 * Returns the rows whose model name contains every word of the given name. If the name has only numbers, no row
 * matches.
 */
export function rowsWithWords(model: string, rows: readonly Capabilities[]): readonly Capabilities[] {
  const wanted = wordsOfModelName(model);
  if (!wanted.some((word) => /[a-z]/.test(word))) return [];
  return rows.filter((row) => {
    const words = new Set(wordsOfModelName(row.model));
    return wanted.every((word) => words.has(word));
  });
}

/** Returns the words of a model name, in lower case. */
export function wordsOfModelName(model: string): readonly string[] {
  return model
    .trim()
    .toLowerCase()
    .split(/[-_/\s]+/)
    .filter((word) => word !== '');
}
