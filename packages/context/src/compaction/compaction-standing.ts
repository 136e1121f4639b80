// What has become of the latest compaction, and of the notes before it. It is derived: a record is a plan, an epoch takes it up, and only a request that was
// accepted behind it proves that it served.

import type { Position } from '@tidemark/log';
import type { State } from '../state/state.ts';
import { slice } from '../base/append-only.ts';
import { keptBehind } from '../fold/settle.ts';

/** `recorded`: the next request takes it up. `taken-up`: no request behind it was accepted yet. `confirmed`: one was. */
export interface CompactionStanding {
  /** Its `history.compacted`. */
  readonly position: Position;
  readonly standing: 'recorded' | 'taken-up' | 'confirmed';
}

/** Returns what has become of the latest compaction; `undefined` where nothing was compacted. */
export function compactionStanding({ compacted, epoch, streams, counted }: State): CompactionStanding | undefined {
  if (compacted === undefined) return undefined;
  const { position } = compacted;
  if (epoch?.opened.checkpoint !== position) return { position, standing: 'recorded' };
  // Of a recording the answers alone are known.
  const accepted = Math.max(streams['main']?.accepted?.position ?? -1, counted?.position ?? -1);
  return { position, standing: accepted > position ? 'confirmed' : 'taken-up' };
}

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
