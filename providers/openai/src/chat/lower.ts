// Front and spans become blocks: strings of words, parts of lists, calls of an answer, and tool messages.

import type { Block, Front, LoweredFront, Lowering, Part, Role, Span } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { callPiece } from './call.ts';
import { frozenParameters } from '../encode/parameters.ts';
import { chatBlocks, frontBlock, piece, piecesOf, systemBlocks, wireRole } from '../encode/piece.ts';
import { functionMembers } from '../encode/tool.ts';
import { OPENAI } from '../service.ts';
import { imagePiece, partPiece, resultPiece, wordsPiece } from './messages.ts';
import { refuse } from '@tidemark/provider-wire';
import { chatHeader } from './parameters.ts';

/**
 * Tools in the order given, then the system texts: the strings of one system message, as many chat templates take no
 * second one.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  chatHeader(front);
  const tools = front.tools.map((tool): Block => {
    const head = `{"type":"function","function":{${functionMembers(OPENAI, tool)}}}`;
    return frontBlock('tools', piece(head, 'tool', lowering.estimate(tool.definition)), tool.origin);
  });
  const system = systemBlocks(front, lowering, wordsPiece);
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * Blocks of one span: results first, words, then calls, as a message holds them. None for blank text and for reasoning,
 * which this API has no place for; native items are told as their plain twins.
 *
 * @throws ProviderError `provider/invalid` when an image's bytes are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering);
  const inList = role === 'user' && span.parts.some(({ type }) => type === 'image');
  const pieces = piecesOf(span, (part) => lowerPart(part, role, inList, lowering));
  return chatBlocks(span, role, pieces);
}

function lowerPart(part: Part, role: Role, inList: boolean, lowering: Lowering): BlockPiece | undefined {
  switch (part.type) {
    case 'text':
    case 'native':
      return inList ? partPiece(part.text, lowering) : wordsPiece(part.text, lowering);
    case 'image':
      return imagePiece(part, role, lowering);
    case 'reasoning':
      return undefined;
    case 'call':
      return callPiece(part, lowering);
    case 'result':
      return resultPiece(part, lowering);
    case 'change': {
      const words = part.change === 'role' ? wordsPiece(part.text, lowering) : undefined;
      if (words !== undefined) return { ...words, holds: 'change' };
      throw refuse(
        OPENAI,
        'provider/unsupported',
        `Chat Completions takes no change of ${part.change} inside a history: open an epoch instead`,
      );
    }
  }
}
