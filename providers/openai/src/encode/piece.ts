// A piece: what one part becomes, before it knows its message. No piece takes a marker: caching is implicit here.

import type { Block, Front, Lowering, Part, Role, Span } from '@tidemark/model';

/** The fields of a block that depend on the part alone. */
export type BlockPiece = Pick<Block, 'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes'>;

/** Estimates tokens of a text. */
export type EstimateText = Lowering['estimate'];

/** A block without a slot: all of it is head. */
export function piece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes };
}

/** A block of the front: outside every message. */
export function frontBlock(section: 'tools' | 'system', made: BlockPiece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...made, opensTurn: false, origin };
}

/** The system texts of a front as `write` writes them; a text that was counted keeps its count. None for blank text. */
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

/** A piece, and which part of its span it is. */
export type PlacedBlockPiece = BlockPiece & Pick<Block, 'part'>;

/** The pieces of a span: what `lower` makes of each of its parts. */
export function piecesOf(span: Span, lower: (part: Part) => BlockPiece | undefined): readonly PlacedBlockPiece[] {
  return span.parts.flatMap((one, part) => {
    const made = lower(one);
    return made === undefined ? [] : [{ ...made, part }];
  });
}

/** The blocks of one span's pieces: reasoning that nothing follows is left out, and results come first. */
export function spanBlocks(span: Span, role: Role, pieces: readonly PlacedBlockPiece[]): readonly Block[] {
  const packed = pieces.slice(0, pieces.findLastIndex(({ holds }) => holds !== 'thinking') + 1);
  const results = packed.filter(({ holds }) => holds === 'result');
  return [...results, ...packed.filter(({ holds }) => holds !== 'result')].map((made, index) => ({
    section: 'messages',
    role,
    group: span.group,
    ...made,
    opensTurn: span.opensTurn && index === 0,
    origin: span.origin,
  }));
}

/** The same for a message of Chat Completions, in which all words stand before all calls. */
export function chatBlocks(span: Span, role: Role, pieces: readonly PlacedBlockPiece[]): readonly Block[] {
  const calls = pieces.filter(({ holds }) => holds === 'call');
  return spanBlocks(span, role, [...pieces.filter(({ holds }) => holds !== 'call'), ...calls]);
}

/** The operator's role where the model takes it as an appended message; else it is user text. */
export function wireRole(role: Role, lowering: Lowering): Role {
  if (role === 'user' || role === 'assistant') return role;
  return lowering.capabilities.appends.includes('system') ? 'developer' : 'user';
}
