// Whether a note is still in the context after a compaction was recorded.

import { slice } from '../base/append-only.ts';
import { keptBehind } from './settle.ts';
import type { State } from '../state/state.ts';

/**
 * `waiting`: recorded while a turn was at work, and packed with the next prompt, whatever a compaction leaves out. `packed`: in
 * the next request. `dropped`: left out by the compaction that was recorded last.
 */
export type NoteStanding = 'waiting' | 'packed' | 'dropped';

/**
 * Returns the standing of the note at a position. Its message decides, not its own position: a note is packed together with the
 * prompt that follows it, and a compaction keeps or leaves out both.
 */
export function noteStanding({ history, compacted }: State, position: number): NoteStanding {
  if (history.notes.some((note) => note.position === position)) return 'waiting';
  if (compacted === undefined || position > compacted.data.range.to) return 'packed';
  const { range, keeps = [] } = compacted.data;
  const kept = keptBehind(slice(history.packed, history.lead), { to: range.to, keeps, shortens: undefined });
  return kept.some(({ origin }) => origin.from === 'event' && origin.position === position) ? 'packed' : 'dropped';
}
