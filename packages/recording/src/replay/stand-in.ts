// The catalog row that a recorded call is driven with: the model's own, or the nearest one of Anthropic, said as such.

import type { Capabilities, Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';

/** A row for the replay, and whether it is the model's own. */
export interface Row {
  readonly capabilities: Capabilities;
  readonly standIn: boolean;
}

/** Where no row is near: calls of another provider are driven as if this model had been asked. */
const USUAL = 'claude-sonnet-4-5';

/** Room for an answer beyond the largest recorded input: a recording shows that its calls were accepted. */
const OUTPUT_ROOM = 32_768;

/** The row of a recorded model, with limits that hold the largest input that was recorded for it. */
export function rowFor(catalog: Catalog, model: string, largest: number): Row {
  const own = findModel(catalog, model, 'anthropic');
  const capabilities = own ?? nearestModel(catalog, model)?.capabilities ?? findModel(catalog, USUAL, 'anthropic');
  if (capabilities === undefined) throw new Error(`the catalog has no row for ${USUAL}: restore the default catalog`);
  const anthropic = capabilities.provider === 'anthropic' ? capabilities : usual(catalog, capabilities);
  return { capabilities: roomy(anthropic, largest), standIn: own === undefined };
}

function usual(catalog: Catalog, fallback: Capabilities): Capabilities {
  return findModel(catalog, USUAL, 'anthropic') ?? fallback;
}

function roomy(row: Capabilities, largest: number): Capabilities {
  if (largest + OUTPUT_ROOM <= row.inputLimit) return row;
  const tokens = Math.max(row.window.tokens, largest + OUTPUT_ROOM);
  return { ...row, inputLimit: Math.max(row.inputLimit, largest + OUTPUT_ROOM), window: { ...row.window, tokens } };
}
