// The user's own changes to the catalog of models: `catalog.json` in the home, in the form that `createAgent` takes.

import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeFolder, readRegularFile } from '@tidemark/files';
import type { Capabilities, Catalog } from '@tidemark/model';
import { defaultCatalog, parseJson, withOverrides } from '@tidemark/model';

import { CliError } from '../frame/failure.ts';

/** What a row is told apart by, and the fields to be set. */
export type OwnRowChange = Pick<Capabilities, 'provider' | 'model'> & Partial<Capabilities>;

/** Largest file, in bytes. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/** Where the changes are kept. */
export function ownCatalogPath(home: string): string {
  return join(home, 'catalog.json');
}

/**
 * The changes as they stand in the file; `undefined` where there is none.
 *
 * @throws CliError `cli/refused` for a file that is no JSON. @throws CatalogError for changes that cannot be used.
 */
export async function readOwnCatalog(home: string): Promise<object | undefined> {
  const path = ownCatalogPath(home);
  const bytes = await readRegularFile(path, { most: MOST_BYTES }).catch((error: unknown) => absent(error));
  if (bytes === undefined) return undefined;
  const changes = parse(bytes.toString('utf8'), path);
  withOverrides(defaultCatalog(), changes);
  return changes;
}

/** The catalog with the user's changes in it. @throws as `readOwnCatalog` does. */
export async function readCatalog(home: string): Promise<Catalog> {
  const changes = await readOwnCatalog(home);
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

/**
 * Sets fields of one row in the file and leaves all else in it as it is. The file is replaced whole.
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('cli/refused', `${path} is not JSON: ${reason}`, 'mend the file', error);
  }
  throw new CliError('cli/refused', `${path} holds no object`, 'mend the file');
}

function isRowOf(row: unknown, { provider, model }: OwnRowChange): boolean {
  if (typeof row !== 'object' || row === null || !('provider' in row && 'model' in row)) return false;
  return row.provider === provider && row.model === model;
}

function mergedRow(row: unknown, change: OwnRowChange): object {
  return { ...(typeof row === 'object' ? row : {}), ...change };
}
