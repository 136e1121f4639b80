// Reads and changes the user's own catalog of models, `catalog.json` in the home folder of Tidemark. The file has the
// format that `createAgent` accepts.

import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { canonicalText } from '@tidemark/core';
import { makeFolder, readRegularFile } from '@tidemark/files';
import type { Capabilities, Catalog } from '@tidemark/model';
import { defaultCatalog, parseJson, withOverrides } from '@tidemark/model';

import { CliError } from '../frame/failure.ts';

/** Change of one catalog row. `provider` and `model` identify the row. The other fields replace those of the row. */
export type OwnRowChange = Pick<Capabilities, 'provider' | 'model'> & Partial<Capabilities>;

const MAX_BYTES = 16 * 1_024 * 1_024;

export function ownCatalogPath(home: string): string {
  return join(home, 'catalog.json');
}

/**
 * Returns the changes in the file, or `undefined` if there is no file.
 *
 * @throws CliError `cli/refused` when the file is not JSON.
 * @throws CatalogError when the changes are invalid.
 */
export async function readOwnCatalog(home: string): Promise<object | undefined> {
  const path = ownCatalogPath(home);
  const bytes = await readRegularFile(path, { most: MAX_BYTES }).catch((error: unknown) => absent(error));
  if (bytes === undefined) return undefined;
  const changes = parse(bytes.toString('utf8'), path);
  withOverrides(defaultCatalog(), changes);
  return changes;
}

/**
 * Returns the catalog with the user's changes applied.
 *
 * @throws the same errors as `readOwnCatalog`.
 */
export async function readCatalog(home: string): Promise<Catalog> {
  const changes = await readOwnCatalog(home);
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

/** Returns the digest of a catalog. Rows that were computed with a catalog of another digest are computed again. */
export function catalogDigest(catalog: Catalog): string {
  return createHash('sha256').update(canonicalText(catalog)).digest('hex');
}

/**
 * Sets fields of one row in the file. Everything else in the file stays unchanged. The new file replaces the old file
 * by a rename.
 *
 * @throws CliError, CatalogError as `readOwnCatalog` does.
 */
export async function changeOwnCatalog(home: string, change: OwnRowChange): Promise<void> {
  const known = (await readOwnCatalog(home)) ?? { revision: 1, rows: [] };
  const rows: readonly unknown[] = 'rows' in known && Array.isArray(known.rows) ? known.rows : [];
  const index = rows.findIndex((row) => isRowOf(row, change));
  const merged = {
    ...known,
    rows: index === -1 ? [...rows, change] : rows.with(index, mergedRow(rows[index], change)),
  };
  withOverrides(defaultCatalog(), merged);
  const path = ownCatalogPath(home);
  await makeFolder(home);
  await writeFile(`${path}.new`, `${JSON.stringify(merged, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

function parse(text: string, path: string): object {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
    throw new CliError('cli/refused', `${path} is not JSON: ${reason}`, 'fix the file', error);
  }
  throw new CliError('cli/refused', `${path} contains no JSON object`, 'fix the file');
}

function isRowOf(row: unknown, { provider, model }: OwnRowChange): boolean {
  if (typeof row !== 'object' || row === null || !('provider' in row && 'model' in row)) return false;
  return row.provider === provider && row.model === model;
}

function mergedRow(row: unknown, change: OwnRowChange): object {
  return { ...(typeof row === 'object' ? row : {}), ...change };
}
