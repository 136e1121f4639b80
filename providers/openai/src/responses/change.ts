// Changes of what the front says, as items inside the input (provider facts 2.2): more tools, another effort that holds
// until the next one, and another role.

import type { AddedTool, ChangePart, Lowering, FrontToolDefinition } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { piece } from '../encode/piece.ts';
import { functionMembers } from '../encode/tool.ts';
import { jsonString } from '../encode/wire-text.ts';
import { refuse } from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';

/** A function as the Responses API takes it, never strict. */
export function functionTool(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return `{"type":"function",${functionMembers(OPENAI, tool)},"strict":false}`;
}

/**
 * One item: `configuration_update`, `additional_tools`, or a message of the developer with another role.
 *
 * @throws ProviderError `provider/unsupported` for a tool that is withdrawn, which this API has no item for;
 *   `provider/invalid` when a definition is not among the materials.
 */
export function changePiece(part: ChangePart, lowering: Lowering): BlockPiece {
  if (part.change === 'reasoning') {
    const effort = jsonString(part.setting);
    const item = `{"type":"configuration_update","reasoning":{"effort":${effort}}}`;
    return piece(item, 'change', lowering.estimate(item));
  }
  if (part.change === 'role') {
    const item = `{"type":"message","role":"developer","content":[{"type":"input_text","text":${jsonString(part.text)}}]}`;
    return piece(item, 'change', lowering.estimate(part.text));
  }
  if (part.removed.length > 0) throw notWithdrawn(part.removed);
  const tools = part.added.map((tool) => functionTool({ name: tool.name, definition: definitionOf(tool, lowering) }));
  const item = `{"type":"additional_tools","role":"developer","tools":[${tools.join(',')}]}`;
  return piece(item, 'change', lowering.estimate(item));
}

function definitionOf({ name, definition }: AddedTool, { materials }: Lowering): string {
  const bytes = materials(definition);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw refuse(
    OPENAI,
    'provider/invalid',
    `the definition ${definition} of the tool "${name}" is not among the materials: load it before the span is lowered`,
  );
}

function notWithdrawn(names: readonly string[]): Error {
  return refuse(
    OPENAI,
    'provider/unsupported',
    `OpenAI has no way to withdraw the tools ${names.join(', ')} inside a history: open an epoch instead`,
  );
}
