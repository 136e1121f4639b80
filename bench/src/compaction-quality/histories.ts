// Reads complete histories from a log, without their compactions.

import { emptyState, evolve, slice } from '@tidemark/context';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import type { Span } from '@tidemark/model';

/** Reads all records of a session. */
export async function recordsOf(log: Log, session: SessionId): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of log.read(session)) records.push(record);
  return records;
}

/**
 * Returns the records without their compactions and the epochs that apply them. The content that was compacted is then
 * present in full, so each cut has a whole history before it.
 */
export function withoutCompactions(records: readonly Recorded[]): readonly Recorded[] {
  return records.filter(
    (record) =>
      record.kind !== 'history.compacted' && !(record.kind === 'epoch.opened' && record.data.checkpoint !== undefined),
  );
}

/** Returns the whole history of records without compactions, in the order in which a model reads it. */
export function spansOf(records: readonly Recorded[]): readonly Span[] {
  return slice(records.reduce(evolve, emptyState()).history.packed);
}
