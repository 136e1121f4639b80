// A span becomes blocks, one per content block. What is left out of packing is left out here, the same way every time.

import type { Block, Capabilities, Lowering, Part, Role, Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { callPiece, resultPiece } from './call.ts';
import { changePieces } from './change.ts';
import { imageStub, wireImage } from './image.ts';
import type { MessagePiece } from './piece.ts';
import { markablePiece } from './piece.ts';
import { nativePiece, reasoningPiece } from './reasoning.ts';
import { textHead } from './wire-text.ts';

/**
 * Blocks of one span: results first, then the rest in order. None for blank text, for reasoning that the model would
 * refuse, and for reasoning that nothing follows.
 *
 * @throws ProviderError `provider/invalid` when an image's bytes are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering.capabilities);
  const pieces = span.parts.flatMap((part, index) => atPart(index, lowerPart(part, role, lowering)));
  return resultsFirst(withoutTrailingThinking(pieces)).map((piece, index) => ({
    section: 'messages',
    role,
    group: span.group,
    ...piece,
    // A marker on a system message in the history is documented for changes of tools alone: else not taken for granted.
    markable: piece.markable && (role !== 'system' || piece.holds === 'change'),
    opensTurn: span.opensTurn && index === 0,
    origin: span.origin,
  }));
}

function atPart(part: number, made: MessagePiece | readonly MessagePiece[] | undefined): readonly PlacedMessagePiece[] {
  return [made ?? []].flat().map((piece) => ({ ...piece, part }));
}

/** A piece, and which part of its span it is. */
type PlacedMessagePiece = MessagePiece & { readonly part: number };

/** The operator's role where the model takes it as an appended message; else it is user text. */
function wireRole(role: Role, capabilities: Capabilities): Role {
  if (role === 'user' || role === 'assistant') return role;
  return capabilities.appends.includes('system') ? 'system' : 'user';
}

function lowerPart(part: Part, role: Role, lowering: Lowering): MessagePiece | readonly MessagePiece[] | undefined {
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? undefined : markablePiece(textHead(part.text), 'text', lowering.estimate(part.text));
    case 'image':
      return imagePiece(part, role, lowering);
    case 'reasoning':
      return role === 'assistant' ? reasoningPiece(part, lowering) : undefined;
    case 'call':
      return callPiece(part, lowering);
    case 'native':
      return nativePiece(part, lowering);
    case 'result':
      return resultPiece(part, lowering);
    case 'change':
      return changePieces(part, lowering);
  }
}

function imagePiece(part: Extract<Part, { type: 'image' }>, role: Role, lowering: Lowering): MessagePiece {
  const { head, holds, tokens, mediaBytes } =
    role === 'user'
      ? wireImage(part, lowering)
      : imageStub(part, `a message of role ${role} takes none`, lowering.estimate);
  return markablePiece(head, holds, tokens, mediaBytes);
}

function withoutTrailingThinking(pieces: readonly PlacedMessagePiece[]): readonly PlacedMessagePiece[] {
  return pieces.slice(0, pieces.findLastIndex((piece) => piece.holds !== 'thinking') + 1);
}

function resultsFirst(pieces: readonly PlacedMessagePiece[]): readonly PlacedMessagePiece[] {
  const results = pieces.filter((piece) => piece.holds === 'result');
  return results.length === 0 ? pieces : [...results, ...pieces.filter((piece) => piece.holds !== 'result')];
}
