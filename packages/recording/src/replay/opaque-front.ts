// What a file does not hold (system text, tool schemas) as one opaque layer of the size that the first call leaves.

import { newHash } from '@tidemark/agent';
import type { FrontTexts, State } from '@tidemark/context';
import { estimateImageTokens, estimateTokens, layer, slice } from '@tidemark/context';
import type { SessionId } from '@tidemark/log';
import type { Part, Span } from '@tidemark/model';

/** An estimate may be too high: the front is then a tenth of the first call, not nothing. */
const LARGEST_TAIL = 0.9;

/** The front of a session whose first call counted `input` tokens. */
export function opaqueFront(state: State, input: number, id: SessionId): FrontTexts {
  const tail = slice(state.history.packed).reduce((sum, span) => sum + estimateSpan(span), 0);
  const tokens = Math.max(1, input - Math.min(tail, Math.floor(input * LARGEST_TAIL)));
  const text = `The front of this recording (system text and tool schemas of ${id}) is not in the file: ${tokens} tokens.`;
  const opaque = layer('recorded-front', 'opaque', 'session', text, newHash);
  return {
    contract: 'recorded',
    layers: [{ ...opaque, record: { ...opaque.record, tokens, sized: 'recorded' } }],
    tools: [],
  };
}

function estimateSpan(span: Span): number {
  return span.parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'image':
      return estimateImageTokens(part.width, part.height, part.bytes);
    case 'call':
      return estimateTokens(part.arguments);
    case 'reasoning':
      return estimateTokens(part.text);
    case 'native':
      return estimateTokens(part.item);
    case 'result':
      return part.content.reduce((sum, one) => sum + estimatePart(one), 0);
    case 'change':
      // No recording holds one: a change is appended by the runtime alone.
      return 0;
  }
}
