// A piece: what one part becomes, before it knows its message.

import type { Block } from '@tidemark/model';

/** The fields of a block that depend on the part alone. */
export type MessagePiece = Pick<
  Block,
  'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes' | 'betas'
>;

/** Estimates tokens of a text. */
export type EstimateWords = (text: string) => number;

/** A block that takes a marker before its closing brace. */
export function markablePiece(
  head: string,
  holds: MessagePiece['holds'],
  tokens: number,
  mediaBytes = 0,
): MessagePiece {
  return { head, tail: '}', markable: true, run: RUNS[holds], holds, tokens, mediaBytes };
}

/** A block that goes out as it was recorded and takes no marker. */
export function verbatimPiece(item: string, holds: MessagePiece['holds'], tokens: number): MessagePiece {
  return { head: item, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes: 0 };
}

// Provider facts 1.1: only runs of calls and of results are one position.
const RUNS: { readonly [holds in MessagePiece['holds']]: MessagePiece['run'] } = {
  tool: 'none',
  text: 'none',
  image: 'none',
  thinking: 'none',
  call: 'calls',
  result: 'results',
  native: 'none',
  change: 'none',
};
