// The words of a side call: one message behind what it holds of the history, in that request and in no other.

import type { ContentPart, Position } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { renderContent, UNANSWERED } from '../base/render.ts';
import { waitsForAnswer } from './settle.ts';
import type { State } from '../state/state.ts';

/**
 * The spans of a side call's own words, behind the main history or with nothing of it; none when they are blank. Where the
 * history ends with a change that a provider wants an answer behind, a line stands between. Their origin is the
 * `request.prepared` that records the words (L4), at this position.
 */
export function besideSpans(
  state: State,
  words: readonly ContentPart[],
  position: Position,
  behind: 'main' | 'none',
): readonly Span[] {
  const parts = renderContent(words).filter((part) => part.type !== 'text' || !isBlank(part.text));
  if (parts.length === 0 || state.session === undefined) return [];
  const said: Span = {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session: state.session, position },
    ordinal: state.history.settled,
    group: position,
    opensTurn: true,
    parts,
  };
  if (behind === 'none' || !waitsForAnswer(state.history)) return [said];
  return [{ ...said, role: 'assistant', opensTurn: false, parts: [{ type: 'text', text: UNANSWERED }] }, said];
}
