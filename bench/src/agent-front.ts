// The front that the benchmarks' agents are made with: ten tools and a role, and the catalog row of a model by its name.

import { newHash } from '@tidemark/agent';
import type { FrontTexts, ToolSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

const TOOLS: readonly ToolSpec[] = Array.from({ length: 10 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Reads part ${index} of the workspace. Give a path relative to its root, and lines where only some are needed.`,
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Relative to the root of the workspace.' },
      from: { type: 'integer', description: 'First line, from 1.' },
      to: { type: 'integer', description: 'Last line, included.' },
    },
    required: ['path'],
  },
}));

/** Ten tools, the runtime layer and a role. */
export const FRONT: FrontTexts = composeFront(
  { tools: TOOLS, role: 'You keep the tax code of a shop right. Its rules stand in docs/tax.md.' },
  newHash,
);

/** A model's row. @throws Error when the catalog has none. */
export function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model, 'anthropic');
  if (row === undefined) throw new Error(`the catalog has no ${model}: restore packages/model/data/catalog.json`);
  return row;
}
