// Derives the state of the latest compaction and of the notes before it. A `history.compacted` record is only a plan
// until an epoch uses it. Only a later accepted request proves that the compaction worked.

import type { Position } from '@tidemark/log';
import type { State } from '../state/state.ts';
import { slice } from '../base/append-only.ts';
import { remainingSpans } from '../fold/settle.ts';

/**
 * State of the latest compaction. `recorded`: no epoch uses it yet, and the next request will open one. `taken-up`: an
 * epoch uses it, but no request was accepted after that epoch opened. `confirmed`: a request was accepted after that.
 */
export interface CompactionStanding {
  /** Position of the `history.compacted` record. */
  readonly position: Position;
  readonly standing: 'recorded' | 'taken-up' | 'confirmed';
}

/** Returns the state of the latest compaction, or `undefined` if the history was never compacted. */
export function compactionStanding({ compacted, epoch, streams, counted }: State): CompactionStanding | undefined {
  if (compacted === undefined) return undefined;
  const { position } = compacted;
  if (epoch?.opened.checkpoint !== position) return { position, standing: 'recorded' };
  // A session imported from another program contains answers but no requests, so the last counted answer is checked
  // too.
  const accepted = Math.max(streams['main']?.accepted?.position ?? -1, counted?.position ?? -1);
  return { position, standing: accepted > position ? 'confirmed' : 'taken-up' };
}

/**
 * State of a note. `waiting`: it was recorded during a turn and will be packed with the next prompt, so a compaction
 * cannot omit it. `packed`: it is in the next request. `dropped`: the latest compaction omits it.
 */
export type NoteStanding = 'waiting' | 'packed' | 'dropped';

/**
 * Returns the state of the note at a position. A note and the prompt after it are packed in one message. A compaction
 * keeps or omits whole messages. A note that was recorded before the end of the range is therefore packed if its
 * message is kept.
 */
export function noteStanding({ history, compacted }: State, position: number): NoteStanding {
  if (history.notes.some((note) => note.position === position)) return 'waiting';
  if (compacted === undefined || position > compacted.data.range.to) return 'packed';
  const { range, keeps = [] } = compacted.data;
  const spans = remainingSpans(slice(history.packed, history.lead), { to: range.to, keeps, shortens: undefined });
  return spans.some(({ origin }) => origin.from === 'event' && origin.position === position) ? 'packed' : 'dropped';
}
