// Validates the catalog: turns unknown JSON into a typed catalog, or throws an error that names every invalid field.

import type { z } from 'zod';

import { defined } from '@tidemark/core';
import { catalogSchema, overridesSchema, type RowChange, rowSchema } from './catalog-schema.ts';
import { type Catalog, CatalogError, type CatalogErrorCode, type CatalogIssue } from './catalog.ts';

/**
 * Validates a catalog and returns it.
 *
 * @throws CatalogError `catalog/invalid` with every issue, its path and row.
 */
export function parseCatalog(json: unknown): Catalog {
  return parse(catalogSchema, json, 'catalog/invalid', 'the catalog');
}

/**
 * Returns the catalog with a user's changes applied: `{ "revision": 1, "rows": [{ "provider", "model", ...fields }] }`.
 *
 * A change to an existing row replaces the given fields as a whole (`prices` is one field). A row for an unknown model
 * is added and must be complete. If the change gives no `source`, the `source` of the changed row lists the fields that
 * the user set.
 *
 * @throws CatalogError `catalog/override-invalid` for unknown keys and bad values, `catalog/row-incomplete` for a new
 *   row with missing fields, `catalog/invalid` if the result contradicts itself (one name for two rows).
 */
export function withOverrides(catalog: Catalog, overrides: unknown): Catalog {
  const changes = parse(overridesSchema, overrides, 'catalog/override-invalid', "the user's catalog");
  return parseCatalog({ ...catalog, rows: changes.rows.reduce<readonly RowChange[]>(applyChange, catalog.rows) });
}

function applyChange(rows: readonly RowChange[], change: RowChange): readonly RowChange[] {
  const index = rows.findIndex((row) => row.provider === change.provider && row.model === change.model);
  const row = rows[index];
  return row === undefined ? [...rows, complete(change)] : rows.with(index, mergeRow(row, change));
}

function mergeRow(row: RowChange, change: RowChange): RowChange {
  const fields = Object.keys(change).filter((name) => name !== 'provider' && name !== 'model');
  return { ...row, source: `${fields.join(', ')} set by the user; the rest: ${row.source}`, ...change };
}

function complete(change: RowChange): RowChange {
  const result = rowSchema.safeParse(change);
  if (result.success) return result.data;
  const row = `${change.provider}/${change.model}`;
  const issues = issuesOf(result.error, () => row);
  throw new CatalogError(
    'catalog/row-incomplete',
    `the user's catalog adds ${row}, which is not in the catalog, and the new row has missing or invalid fields ` +
      `(${issues.map((issue) => issue.path).join(', ')}). Add or correct these fields, or correct the name if you meant a known model.`,
    issues,
  );
}

function parse<T>(schema: z.ZodType<T>, json: unknown, code: CatalogErrorCode, what: string): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issues = issuesOf(result.error, (path) => rowName(json, path));
  const problems = issues.map(({ path, problem, row }) => `${path}${row === undefined ? '' : ` (${row})`}: ${problem}`);
  throw new CatalogError(code, `${what} cannot be used: ${problems.join('; ')}. Correct it and load it again.`, issues);
}

type Path = readonly PropertyKey[];

function issuesOf(error: z.ZodError, rowAt: (path: Path) => string | undefined): readonly CatalogIssue[] {
  return error.issues.map((issue) => {
    const row = rowAt(issue.path);
    return defined({ path: pathText(issue.path), problem: issue.message, row });
  });
}

function pathText(path: Path): string {
  if (path.length === 0) return '(the whole catalog)';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function rowName(json: unknown, path: Path): string | undefined {
  const row = path[0] === 'rows' && path[1] !== undefined ? field(field(json, 'rows'), path[1]) : undefined;
  const [provider, model] = [field(row, 'provider'), field(row, 'model')];
  return typeof provider === 'string' && typeof model === 'string' ? `${provider}/${model}` : undefined;
}

function field(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
