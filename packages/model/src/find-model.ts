// From the name of a model to its row.

import type { Capabilities } from './capabilities.ts';
import type { Catalog } from './catalog.ts';
import { type ClaudeFamily, normalModelName, readClaudeName, undatedModelName } from './model-name.ts';

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
