// Blocks of a request whose recording contains only the conversation, as it would have been sent: the packed history,
// without a front, which the recording does not contain.

import type { Sequence, State } from '@tidemark/context';
import { beginSequence, estimateTokens, extendSequence, parameterDigests, sizeOfSpan, slice } from '@tidemark/context';
import { canonicalText } from '@tidemark/log';
import type { Block, NewHash, Part, Span } from '@tidemark/model';

/** Returns the blocks of the history before a record. Each part of a span is one block. */
export function conversationSequence(state: State, model: string, before: number, newHash: NewHash): Sequence {
  const parameters = parameterDigests(model, {}, { renderParameters: {} }, newHash);
  const begun = beginSequence(parameters, [], newHash);
  // The answer itself can already be packed. It was not in its own request.
  const spans = slice(state.history.packed).filter((span) => isBefore(span, before));
  return extendSequence(begun, spans.flatMap(blocksOfSpan));
}

/** Returns the number of blocks of `conversationSequence`. */
export function conversationLength({ history }: State, before: number): number {
  return slice(history.packed)
    .filter((span) => isBefore(span, before))
    .reduce((sum, { parts }) => sum + parts.length, 0);
}

function isBefore({ origin }: Span, before: number): boolean {
  return origin.from === 'layer' || origin.position < before;
}

const BLOCKS = new WeakMap<Span, readonly Block[]>();

function blocksOfSpan(span: Span): readonly Block[] {
  const known = BLOCKS.get(span);
  if (known !== undefined) return known;
  const { role, group, origin, opensTurn } = span;
  const made = span.parts.map((part, index): Block => {
    // The keys are sorted, so equal parts of different formats are equal.
    const head = canonicalText(part);
    return {
      section: 'messages',
      role,
      group,
      origin,
      part: index,
      head,
      tail: '',
      opensTurn: opensTurn && index === 0,
      markable: true,
      run: part.type === 'call' ? 'calls' : part.type === 'result' ? 'results' : 'none',
      holds: holdsOf(part),
      tokens:
        part.type === 'image'
          ? sizeOfSpan({
              ...span,
              parts: [part],
            }).tokens
          : estimateTokens(head),
      mediaBytes: 0,
    };
  });
  BLOCKS.set(span, made);
  return made;
}

function holdsOf({ type }: Part): Block['holds'] {
  return type === 'reasoning' ? 'thinking' : type;
}
