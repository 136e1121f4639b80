// How a front and spans become blocks, whatever the API: parts become pieces, pieces become blocks in the order that every API wants.

import type { Block, Front, Lowering, Part, BoundReasoningPart, Role, Span } from '@tidemark/model';
import type { Service } from './service.ts';

/** The fields of a block that depend on one part alone, before its message is known. */
export type BlockPiece = Pick<
  Block,
  'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes' | 'betas'
>;

/** A piece without a slot for a marker: all of it is head. */
export function piece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes };
}

/** A block of the front: outside every message. */
export function frontBlock(section: 'tools' | 'system', made: BlockPiece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...made, opensTurn: false, origin };
}

/** The system texts of a front as `write` writes them; a text with a recorded count keeps it. None for blank text. */
export function systemBlocks(
  front: Front,
  lowering: Lowering,
  write: (text: string, lowering: Lowering) => BlockPiece | undefined,
): readonly Block[] {
  return front.system.flatMap(({ text, tokens, origin }) => {
    const made = write(text, lowering);
    return made === undefined ? [] : [frontBlock('system', { ...made, tokens: tokens ?? made.tokens }, origin)];
  });
}

/** A piece, with the index of its part in its span. */
type PlacedBlockPiece = BlockPiece & Pick<Block, 'part'>;

/** Lowers each part of a span. A part may become one piece, several or none. */
export function piecesOf(
  span: Span,
  lower: (part: Part) => BlockPiece | readonly BlockPiece[] | undefined,
): readonly PlacedBlockPiece[] {
  return span.parts.flatMap((one, part) => [lower(one) ?? []].flat().map((made) => ({ ...made, part })));
}

/** The blocks of the pieces of one span: reasoning that nothing follows is left out, and results come first. */
export function spanBlocks(span: Span, role: Role, pieces: readonly PlacedBlockPiece[]): readonly Block[] {
  const packed = pieces.slice(0, pieces.findLastIndex(({ holds }) => holds !== 'thinking') + 1);
  return resultsFirst(packed).map((made, index) => ({
    section: 'messages',
    role,
    group: span.group,
    ...made,
    opensTurn: span.opensTurn && index === 0,
    origin: span.origin,
  }));
}

function resultsFirst(pieces: readonly PlacedBlockPiece[]): readonly PlacedBlockPiece[] {
  const results = pieces.filter(({ holds }) => holds === 'result');
  return results.length === 0 ? pieces : [...results, ...pieces.filter(({ holds }) => holds !== 'result')];
}

/** The role of a message: an operator's words have the role `operator` where the model takes them in the history, else `user`. */
export function wireRole(role: Role, lowering: Lowering, operator: Role): Role {
  if (role === 'user' || role === 'assistant') return role;
  return lowering.capabilities.appends.includes('system') ? operator : 'user';
}

/** Whether reasoning came from this service and from the model that is asked, by any of the model's names. */
export function isOwnReasoning({ name }: Service, part: BoundReasoningPart, lowering: Lowering): boolean {
  if (part.provider !== name) return false;
  if (part.model === lowering.model) return true;
  const names = [lowering.capabilities.model, ...lowering.capabilities.aliases];
  return names.includes(part.model) && names.includes(lowering.model);
}
