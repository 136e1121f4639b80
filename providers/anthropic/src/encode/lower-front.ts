// The front becomes blocks: tools in the order given, then system texts.

import type { Block, Front, LoweredFront, Lowering, SystemText, FrontToolDefinition } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { bodyHeader, frozenParameters } from './parameters.ts';
import type { MessagePiece } from './piece.ts';
import { markablePiece } from './piece.ts';
import { toolHead } from './tool.ts';
import { textHead } from './wire-text.ts';

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

function frontBlock(section: 'tools' | 'system', piece: MessagePiece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...piece, opensTurn: false, origin };
}

function toolPiece(tool: FrontToolDefinition, lowering: Lowering): MessagePiece {
  return markablePiece(toolHead(tool), 'tool', lowering.estimate(tool.definition));
}

function systemPiece(system: SystemText, lowering: Lowering): MessagePiece {
  return markablePiece(textHead(system.text), 'text', system.tokens ?? lowering.estimate(system.text));
}
