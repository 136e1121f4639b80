// Front and spans become blocks: tools, parts of messages, calls of an answer, and tool messages.

import type { Block, Front, LoweredFront, Lowering, Part, Role, Span } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { callPiece } from '../chat/call.ts';
import { frozenParameters } from '../encode/parameters.ts';
import { chatBlocks, frontBlock, piecesOf, systemBlocks, wireRole } from '../encode/piece.ts';
import { refuse } from '@tidemark/provider-wire';
import { OPENROUTER } from './service.ts';
import { imagePiece, resultPiece, textPiece, toolPiece } from './messages.ts';
import { header } from './parameters.ts';

/**
 * Tools in the order given, then the system texts as parts of one system message.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  header(front);
  const tools = front.tools.map((tool) => frontBlock('tools', toolPiece(tool, lowering), tool.origin));
  const system = systemBlocks(front, lowering, textPiece);
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * Blocks of one span: results first, words, then calls, as a message holds them. None for blank text and for reasoning,
 * which is not sent back; native items are told as their plain twins.
 *
 * @throws ProviderError `provider/invalid` when an image's bytes are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering);
  const pieces = piecesOf(span, (part) => lowerPart(part, role, lowering));
  return chatBlocks(span, role, pieces);
}

function lowerPart(part: Part, role: Role, lowering: Lowering): BlockPiece | undefined {
  switch (part.type) {
    case 'text':
    case 'native':
      return textPiece(part.text, lowering);
    case 'image':
      return imagePiece(part, role, lowering);
    case 'reasoning':
      return undefined;
    case 'call':
      return { ...callPiece(part, lowering), run: 'calls' };
    case 'result':
      return resultPiece(part, lowering);
    case 'change':
      throw refuse(
        OPENROUTER,
        'provider/unsupported',
        `OpenRouter takes no change of ${part.change} inside a history: open an epoch instead`,
      );
  }
}
