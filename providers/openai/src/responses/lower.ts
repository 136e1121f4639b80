// Front and spans become blocks: content parts of messages, and whole items.

import type { Block, Front, LoweredFront, Lowering, Part, Role, Span } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { frozenParameters } from '../encode/parameters.ts';
import { frontBlock, piece, piecesOf, spanBlocks, systemBlocks, wireRole } from '../encode/piece.ts';
import { changePiece, functionTool } from './change.ts';
import { callPiece, imagePiece, nativePiece, reasoningPiece, resultPiece, textPiece } from './items.ts';
import { responsesHeader } from './parameters.ts';

/**
 * Tools in the order given, never strict; then the system texts, which are the parts of the first developer message. Not
 * `instructions`: from GPT-5.6 on the end of the first developer block is a boundary of the cache, and on older models
 * both stand at the same place of the prefix (provider facts 2.2).
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  responsesHeader(front);
  const tools = front.tools.map((tool): Block => {
    return frontBlock('tools', piece(functionTool(tool), 'tool', lowering.estimate(tool.definition)), tool.origin);
  });
  const marked = takesMarks(lowering);
  const system = systemBlocks(front, lowering, (text) => {
    const made = textPiece({ text }, 'system', lowering);
    return made !== undefined && marked ? withSlot(made) : made;
  });
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/** Whether the model takes marks beside the entries that it keeps by itself (provider facts 2.1). */
function takesMarks({ capabilities: { implicit, slots } }: Lowering): boolean {
  return implicit?.at === 'endings' && slots > 0;
}

/** The same bytes, with a slot for a mark before the closing brace. */
function withSlot(made: BlockPiece): BlockPiece {
  return { ...made, head: made.head.slice(0, -1), tail: made.head.slice(-1), markable: true };
}

/**
 * Blocks of one span: results first, then the rest in arrival order. None for blank text, for reasoning that the model
 * would refuse, and for reasoning that nothing follows (a 400: "without its required following item").
 *
 * @throws ProviderError `provider/invalid` when an image's bytes are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering);
  const pieces = piecesOf(span, (part) => lowerPart(part, role, lowering));
  return spanBlocks(span, role, pieces);
}

function lowerPart(part: Part, role: Role, lowering: Lowering): BlockPiece | undefined {
  switch (part.type) {
    case 'text':
      return textPiece(part, role, lowering);
    case 'image':
      return imagePiece(part, role, lowering);
    case 'reasoning':
      return role === 'assistant' ? reasoningPiece(part, lowering) : undefined;
    case 'call':
      return callPiece(part, lowering);
    case 'native':
      return nativePiece(part, role, lowering);
    case 'result':
      return resultPiece(part, lowering);
    case 'change':
      return changePiece(part, lowering);
  }
}
