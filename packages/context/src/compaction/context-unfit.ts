// What makes a context too large for its window, by span: said where no compaction can mend it.

import { slice } from '../base/append-only.ts';
import { modelTokens, scalingOf } from '../fold/model-tokens.ts';
import { scaleOfText } from '../state/scales.ts';
import type { State } from '../state/state.ts';

/** One piece of a request, and its tokens: an estimate on the model's scale. */
export interface LargePart {
  /** `front`, `tools`, or who spoke and where: `user at 17`. */
  readonly what: string;
  readonly tokens: number;
}

/** The largest pieces of the next request, the largest first. */
export function largestParts(state: State, most = 4): readonly LargePart[] {
  const { epoch, history } = state;
  const scaling = scalingOf(state);
  const { layers = [], toolSize } = epoch?.opened ?? {};
  const spans = slice(history.packed).map((span) => ({
    what: span.origin.from === 'event' ? `${span.role} at ${span.origin.position}` : span.role,
    tokens: modelTokens(scaling, span),
  }));
  const inFront = scaleOfText(scaling, -1);
  const front = { what: 'front', tokens: layers.reduce((sum, { tokens }) => sum + tokens, 0) * inFront };
  const tools = { what: 'tools', tokens: (toolSize?.tokens ?? 0) * inFront };
  return [front, tools, ...spans]
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, most)
    .filter(({ tokens }) => tokens > 0)
    .map(({ what, tokens }) => ({ what, tokens: Math.ceil(tokens) }));
}
