// Changes of what the front says, as system messages inside the history (docs, build-with-claude/mid-conversation-system-messages
// and build-with-claude/effort-per-message): tools offered and withdrawn, a level of effort, and
// another role.

import type { AddedTool, ChangePart, Lowering } from '@tidemark/model';
import type { MessagePiece } from './piece.ts';
import { markablePiece, verbatimPiece } from './piece.ts';
import { refuse } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import { toolHead } from './tool.ts';
import { wireName } from './wire-names.ts';
import { jsonString, textHead } from './wire-text.ts';

/** Covers tools by reference as well as by definition. */
const TOOLS_BETA = 'inline-tools-2026-09-15';
const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01';

/** What a message begins with that holds no blocks: it sets the effort, and renders nothing at its place. */
export const LEVEL_PREFIX = '{"role":"system","content":[],"output_config":{"effort":';

/**
 * The blocks of a change: withdrawn tools, then offered ones, of which the API takes a new definition for the same name as
 * its replacement; one whole message that sets the effort; or the text of another role.
 *
 * @throws ProviderError `provider/invalid` when a definition is not among the materials.
 */
export function changePieces(part: ChangePart, lowering: Lowering): readonly MessagePiece[] {
  if (part.change === 'reasoning') {
    return [{ ...verbatimPiece(`${LEVEL_PREFIX}${jsonString(part.setting)}}}`, 'change', 0), betas: [EFFORT_BETA] }];
  }
  // A marker on a system message is documented for changes of tools alone.
  if (part.change === 'role')
    return [{ ...markablePiece(textHead(part.text), 'change', lowering.estimate(part.text)), markable: false }];
  const removed = part.removed.map((name) => changed('tool_removal', reference(name), lowering.estimate(name)));
  return [...removed, ...part.added.map((tool) => addition(tool, lowering))];
}

function addition(tool: AddedTool, lowering: Lowering): MessagePiece {
  const { name } = tool;
  if (tool.known === true) return changed('tool_addition', reference(name), lowering.estimate(name));
  const bytes = lowering.materials(tool.definition);
  if (bytes === undefined) throw missing(tool);
  const definition = new TextDecoder().decode(bytes);
  const wire = `{"type":"tool_definition","definition":${toolHead({ name, definition })}}}`;
  return changed('tool_addition', wire, lowering.estimate(definition));
}

function reference(name: string): string {
  return `{"type":"tool_reference","name":"${wireName(name)}"}`;
}

function changed(type: 'tool_addition' | 'tool_removal', tool: string, tokens: number): MessagePiece {
  return { ...markablePiece(`{"type":"${type}","tool":${tool}`, 'change', tokens), betas: [TOOLS_BETA] };
}

function missing({ name, definition }: AddedTool): Error {
  return refuse(
    ANTHROPIC,
    'provider/invalid',
    `the definition ${definition} of the tool "${name}" is not among the materials: load it before the span is lowered`,
  );
}
