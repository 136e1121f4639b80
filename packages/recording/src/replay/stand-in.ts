// The catalog row that a recorded call is driven with: the model's own, or that of the nearest model of Anthropic under
// the recorded name, said as such.

import type { Capabilities, Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';

/** A row for the replay, and whose it is. */
export interface StandInRow {
  readonly capabilities: Capabilities;
  /** The model whose row stands in, where the recorded one has none of Anthropic's. */
  readonly standIn?: string;
}

/** Where no row is near: calls of another provider are driven as if this model had been asked. */
const USUAL = 'claude-sonnet-4-5';

/** Room for an answer beyond the largest recorded input: a recording shows that its calls were accepted. */
const OUTPUT_ROOM = 32_768;

/** The row of a recorded model. A stand-in keeps the recorded name: to switch to another model is a break, whatever its row. */
export function rowFor(catalog: Catalog, model: string): StandInRow {
  const own = findModel(catalog, model, 'anthropic');
  if (own !== undefined) return { capabilities: own };
  const near = nearestModel(catalog, model, 'anthropic')?.capabilities ?? findModel(catalog, USUAL, 'anthropic');
  if (near === undefined) throw new Error(`the catalog has no row for ${USUAL}: restore the default catalog`);
  return { capabilities: { ...near, model, aliases: [] }, standIn: near.model };
}

/** The row with limits that hold the largest input that was recorded for its model. */
export function roomy(row: Capabilities, largest: number): Capabilities {
  if (largest + OUTPUT_ROOM <= row.inputLimit) return row;
  const tokens = Math.max(row.window.tokens, largest + OUTPUT_ROOM);
  return { ...row, inputLimit: Math.max(row.inputLimit, largest + OUTPUT_ROOM), window: { ...row.window, tokens } };
}
