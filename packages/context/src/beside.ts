// The words of a side call: one message behind what it holds of the history, in that request and in no other.

import type { ContentPart, Position } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { renderContent } from './render.ts';
import type { State } from './state.ts';

/**
 * The span of a side call's own words; `undefined` when they are blank. Its origin is the `request.prepared` that records
 * them (L4), at this position.
 */
export function besideSpan(state: State, words: readonly ContentPart[], position: Position): Span | undefined {
  const parts = renderContent(words).filter((part) => part.type !== 'text' || !isBlank(part.text));
  if (parts.length === 0 || state.session === undefined) return undefined;
  return {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session: state.session, position },
    ordinal: state.history.settled,
    group: position,
    opensTurn: true,
    parts,
  };
}
