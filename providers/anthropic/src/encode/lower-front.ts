// The front becomes blocks: tools in the order given, then system texts.

import type { Block, Front, LoweredFront, Lowering, SystemText, ToolDefinition } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { bodyHeader, frozenParameters } from './parameters.ts';
import type { Piece } from './piece.ts';
import { markablePiece } from './piece.ts';
import { parseObject, rawMember } from '@tidemark/json';
import { refuse } from './refuse.ts';
import { isToolName } from './wire-names.ts';
import { jsonString, textHead } from './wire-text.ts';

/**
 * Lowers the front. Blank system texts are left out.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  bodyHeader(front);
  const tools = front.tools.map((tool) => frontBlock('tools', toolPiece(tool, lowering), tool.origin));
  const system = front.system
    .filter(({ text }) => !isBlank(text))
    .map((text) => frontBlock('system', systemPiece(text, lowering), text.origin));
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

function frontBlock(section: 'tools' | 'system', piece: Piece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...piece, opensTurn: false, origin };
}

/** `{"name","description","input_schema"}`; the schema's bytes are those of the definition. */
function toolPiece(tool: ToolDefinition, lowering: Lowering): Piece {
  const definition = parseObject(tool.definition);
  const schema = rawMember(tool.definition, 'schema');
  if (definition === undefined || schema === undefined) throw refuseTool(tool, 'its definition holds no schema');
  if (!isToolName(tool.name)) throw refuseTool(tool, 'a name is 1 to 128 of a-z, A-Z, 0-9, _ and -');
  const said = definition['description'];
  const description = typeof said === 'string' && !isBlank(said) ? `"description":${jsonString(said)},` : '';
  const head = `{"name":"${tool.name}",${description}"input_schema":${schema}`;
  return markablePiece(head, 'tool', lowering.estimate(tool.definition));
}

function systemPiece(system: SystemText, lowering: Lowering): Piece {
  return markablePiece(textHead(system.text), 'text', system.tokens ?? lowering.estimate(system.text));
}

function refuseTool(tool: ToolDefinition, why: string): Error {
  return refuse(
    'provider/invalid',
    `the tool "${tool.name}" cannot be sent to Anthropic: ${why}. Rename or mend it where it is registered`,
  );
}
