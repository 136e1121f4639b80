// Finds the catalog row of a model by its name.

import { defined } from '@tidemark/core';
import type { Capabilities } from './capabilities.ts';
import type { Catalog } from './catalog.ts';

/**
 * Returns the catalog row of a model, or `undefined` if no row matches. The name is tried as written, then in its
 * normal form, then without the date of its snapshot. Aliases count as names. With `provider`, only the rows of that
 * provider are searched.
 *
 * A name from a cloud or a router finds the row of the maker's own API. Prices of the cloud may differ, and Bedrock has
 * its own floors. A window suffix (`[1m]`) is dropped and does not change the window.
 */
export function findModel(catalog: Catalog, model: string, provider?: string): Capabilities | undefined {
  const rows = provider === undefined ? catalog.rows : catalog.rows.filter((row) => row.provider === provider);
  const normal = normalModelName(model);
  for (const name of [model, normal, undatedModelName(normal)]) {
    const found = rows.find((row) => row.model === name || row.aliases.includes(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A catalog row for a model name. `exact` is false if the model is unknown and the row belongs to a similar model. */
export interface NearestModel {
  readonly capabilities: Capabilities;
  readonly exact: boolean;
}

/**
 * Finds the row of a model. For an unknown Claude model, returns the row of the same family with the nearest version.
 * If two versions are equally near, the newer version is returned. In this case, `exact` is false.
 *
 * A name without a known family is treated as a Sonnet. A name without a version is treated as the newest version.
 * Returns `undefined` for an unknown model of another maker, because nothing is known about it.
 */
export function nearestModel(catalog: Catalog, model: string, provider?: string): NearestModel | undefined {
  const found = findModel(catalog, model, provider);
  if (found !== undefined) return { capabilities: found, exact: true };
  const claude = readClaudeName(normalModelName(model));
  if (claude === undefined) return undefined;
  const version = claude.version ?? Number.MAX_SAFE_INTEGER;
  // The distance is rounded to tenths, because 4.6 and 4.8 must be equally far from 4.7. Floating-point numbers give
  // two different distances.
  const distance = (row: { readonly version: number }): number => Math.round(Math.abs(row.version - version) * 10);
  const [nearest] = familyRows(catalog, claude.family ?? 'sonnet', provider).toSorted(
    (a, b) => distance(a) - distance(b) || b.version - a.version,
  );
  return nearest === undefined ? undefined : { capabilities: nearest.row, exact: false };
}

function familyRows(
  catalog: Catalog,
  family: ClaudeFamily,
  provider: string | undefined,
): readonly { readonly row: Capabilities; readonly version: number }[] {
  return catalog.rows.flatMap((row) => {
    const name = readClaudeName(normalModelName(row.model));
    const belongs = name?.family === family && (provider === undefined || row.provider === provider);
    return belongs && name.version !== undefined ? [{ row, version: name.version }] : [];
  });
}

/**
 * Returns a model name without the parts that do not identify the model. `us.anthropic.claude-sonnet-4-5-20250929-v1:0`
 * becomes `claude-sonnet-4-5-20250929`.
 *
 * The result is in lower case. Removed parts: the path of a router or cloud (`anthropic/…`, `openrouter/anthropic/…`,
 * `us.anthropic.…`, `publishers/…/models/…`, an ARN), Bedrock's version (`-v1:0`), a variant (`:beta`), a window
 * (`[1m]`) and `-latest`. Vertex's `@` before the date becomes `-`. Routers put dots in Claude's versions, and these
 * dots become `-` too.
 */
export function normalModelName(name: string): string {
  const bare = lastSegment(name.trim().toLowerCase())
    .replace(/\[[^\]]{0,20}\]$/, '')
    .replace(/^(?:[a-z-]{1,12}\.)?anthropic\./, '')
    .replace(/:[a-z0-9.-]{1,20}$/, '')
    .replace(/@(?:latest|default)$|-latest$/, '')
    .replace('@', '-');
  return bare.startsWith('claude-') ? bare.replace(/-v\d{1,2}$/, '').replaceAll('.', '-') : bare;
}

/** Returns a normal name without the date of its snapshot (`-20250929` or `-2025-08-07`). */
export function undatedModelName(normal: string): string {
  return normal.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, '');
}

type ClaudeFamily = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos';

/**
 * Family and version in the name of a Claude model. `version` is a number for comparisons, such as 4.5. A field is
 * absent if the name does not contain its value.
 */
export interface ClaudeName {
  readonly family?: ClaudeFamily;
  readonly version?: number;
}

const FAMILIES: readonly ClaudeFamily[] = ['opus', 'sonnet', 'haiku', 'fable', 'mythos'];

/**
 * Reads the family and version from a normal name in either word order (`claude-3-5-haiku`, `claude-haiku-4-5`).
 * Returns `undefined` if the name is not a Claude model.
 */
export function readClaudeName(normal: string): ClaudeName | undefined {
  const words = undatedModelName(normal).split('-');
  if (words[0] !== 'claude') return undefined;
  const family = FAMILIES.find((one) => words.includes(one));
  const [major, minor] = words.filter((word) => /^\d{1,2}$/.test(word)).map(Number);
  return {
    ...defined({ family }),
    ...(major === undefined ? {} : { version: major + (minor ?? 0) / 10 }),
  };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
