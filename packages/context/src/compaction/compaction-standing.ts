// What has become of the latest compaction. It is derived: a record is a plan, an epoch takes it up, and only a request that was
// accepted behind it proves that it served.

import type { Position } from '@tidemark/log';
import type { State } from '../state/state.ts';

/** `recorded`: the next request takes it up. `taken-up`: no request behind it was accepted yet. `confirmed`: one was. */
export interface CompactionStanding {
  /** Its `history.compacted`. */
  readonly position: Position;
  readonly standing: 'recorded' | 'taken-up' | 'confirmed';
}

/** See the head of this file; `undefined` where nothing was compacted. */
export function compactionStanding({ compacted, epoch, streams, counted }: State): CompactionStanding | undefined {
  if (compacted === undefined) return undefined;
  const { position } = compacted;
  if (epoch?.opened.checkpoint !== position) return { position, standing: 'recorded' };
  // Of a recording the answers alone are known.
  const accepted = Math.max(streams['main']?.accepted?.position ?? -1, counted?.position ?? -1);
  return { position, standing: accepted > position ? 'confirmed' : 'taken-up' };
}
