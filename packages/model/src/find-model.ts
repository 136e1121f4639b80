// From the name of a model to its row.

import { defined } from '@tidemark/core';
import type { Capabilities } from './capabilities.ts';
import type { Catalog } from './catalog.ts';

/**
 * The row that a name means, by its name as it stands, then by its normal form, then without the date of a snapshot;
 * aliases count as names. With a provider only that provider's rows are looked at. `undefined` when there is none.
 *
 * A cloud's or router's name finds the row of the maker's own interface: prices there may differ, and Bedrock keeps
 * floors of its own. A window suffix (`[1m]`) is dropped, not honoured.
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

/** A row to go by, and whether it is the model's own or stands in for an unknown one. */
export interface NearestModel {
  readonly capabilities: Capabilities;
  readonly exact: boolean;
}

/**
 * The row of a model, or for an unknown Claude model the row of its family whose version is nearest, the newer one of
 * two equally near. A name that tells no family stands with the Sonnets, one that tells no version with the newest. For
 * an unknown model of another maker `undefined`: nothing is known of it.
 */
export function nearestModel(catalog: Catalog, model: string, provider?: string): NearestModel | undefined {
  const found = findModel(catalog, model, provider);
  if (found !== undefined) return { capabilities: found, exact: true };
  const claude = readClaudeName(normalModelName(model));
  if (claude === undefined) return undefined;
  const version = claude.version ?? Number.MAX_SAFE_INTEGER;
  // In tenths: 4.6 and 4.8 are equally far from 4.7, though as floats they are not.
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

// Names of models as people, routers, clouds and transcripts write them, brought to the form the catalog uses.

/**
 * A model's name without what does not change which model it is: letter case, the path of a router or cloud
 * (`anthropic/…`, `openrouter/anthropic/…`, `us.anthropic.…`, `publishers/…/models/…`, an ARN), Bedrock's version
 * (`-v1:0`), Vertex's `@` before the date, a variant (`:beta`), a window (`[1m]`), `-latest`, and the dots that routers
 * put in Claude's versions. `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929`.
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

/** A normal name without the date of its snapshot: `-20250929` or `-2025-08-07`. */
export function undatedModelName(normal: string): string {
  return normal.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, '');
}

/** A line of Claude models. */
type ClaudeFamily = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos';

/** What a Claude model's name tells. `version` is a number to compare by: 4.5. */
export interface ClaudeName {
  readonly family?: ClaudeFamily;
  readonly version?: number;
}

const FAMILIES: readonly ClaudeFamily[] = ['opus', 'sonnet', 'haiku', 'fable', 'mythos'];

/** Reads a normal name in either order (`claude-3-5-haiku`, `claude-haiku-4-5`); `undefined` when it is no Claude's. */
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
