// Makes the spans of a side call's own words. The words are the last message of the side call. The message is after the
// main history or has no history before it. No other request contains this message.

import type { ContentPart, Position } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { renderContent, UNANSWERED } from '../base/render.ts';
import { waitsForAnswer } from './settle.ts';
import type { State } from '../state/state.ts';

/**
 * Returns the spans for the text of a side call. The text follows the main history, or there is no history. Returns an
 * empty list if the text is blank. If the history ends with a change of tools or of the role, and no answer follows the change, an
 * assistant message (`UNANSWERED`) is inserted before the text. Providers require an answer there. The origin of the
 * spans is the `request.prepared` at `position`, which records the text (L4).
 */
export function sideCallSpans(
  state: State,
  words: readonly ContentPart[],
  position: Position,
  history: 'main' | 'none',
): readonly Span[] {
  const parts = renderContent(words).filter((part) => part.type !== 'text' || !isBlank(part.text));
  if (parts.length === 0 || state.session === undefined) return [];
  const span: Span = {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session: state.session, position },
    ordinal: state.history.settled,
    group: position,
    opensTurn: true,
    parts,
  };
  if (history === 'none' || !waitsForAnswer(state.history)) return [span];
  return [{ ...span, role: 'assistant', opensTurn: false, parts: [{ type: 'text', text: UNANSWERED }] }, span];
}
