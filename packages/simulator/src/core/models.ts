// Lists the models of a provider that the simulator knows, for the endpoints that name models.

import { defaultCatalog } from '@tidemark/model';
import type { Capabilities } from '@tidemark/model';
import type { SimulatorSettings } from './options.ts';

type ModelSettings = Pick<SimulatorSettings, 'capabilities' | 'models'>;

/**
 * Returns the catalog rows of a provider, each once. The names are those of the option `models`, or of the shipped
 * catalog. A name without a row of this provider is left out.
 */
export function modelsOf({ capabilities, models }: ModelSettings, provider: string): readonly Capabilities[] {
  const names = models ?? defaultCatalog().rows.map((row) => row.model);
  const found = new Map<string, Capabilities>();
  for (const name of names) {
    const row = capabilities(name);
    if (row?.provider === provider) found.set(row.model, row);
  }
  return [...found.values()];
}
