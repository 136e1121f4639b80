// Converts a tool of a server's list to the definition that a model sees.

import type { JsonValue } from '@tidemark/model';
import type { Definition } from './approvals.ts';
import type { ListedTool } from './connect.ts';

/** Returns the definition of a tool under the name that a model calls. */
export function definitionOf(name: string, { description = '', inputSchema }: ListedTool): Definition {
  const schema: JsonValue = JSON.parse(JSON.stringify(inputSchema));
  return { name, description, schema };
}
