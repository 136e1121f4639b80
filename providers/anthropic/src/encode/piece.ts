// A piece: what one part becomes, before it knows its message.

import type { Block } from '@tidemark/model';

/** The fields of a block that depend on the part alone. */
export type Piece = Pick<Block, 'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes' | 'betas'>;

/** Estimates tokens of a text. */
export type Estimate = (text: string) => number;

/** A block that takes a marker before its closing brace. */
export function markablePiece(head: string, holds: Piece['holds'], tokens: number, mediaBytes = 0): Piece {
  return { head, tail: '}', markable: true, run: RUNS[holds], holds, tokens, mediaBytes };
}

/** A block that goes out as it was recorded and takes no marker. */
export function verbatimPiece(item: string, holds: Piece['holds'], tokens: number): Piece {
  return { head: item, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes: 0 };
}

// Provider facts 1.1: only runs of calls and of results are one position.
const RUNS: { readonly [holds in Piece['holds']]: Piece['run'] } = {
  tool: 'none',
  text: 'none',
  image: 'none',
  thinking: 'none',
  call: 'calls',
  result: 'results',
  native: 'none',
  change: 'none',
};
