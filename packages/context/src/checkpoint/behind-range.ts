// What of the records behind a range stays in the context. A result goes with its call: what was said while calls ran may be
// kept behind them, and lies before their results.

import type { Position, Recorded, RecordedOf } from '@tidemark/log';

/** What closes a call. */
type ClosingRecord = RecordedOf<'tool.returned'> | RecordedOf<'tool.failed'> | RecordedOf<'tool.abandoned'>;

/** What tells of one call. */
type OfCall = ClosingRecord | RecordedOf<'tool.started'> | RecordedOf<'skill.loaded'>;

/** The records behind `to`, but for those of calls that were made up to there. `records`: those of the range, and all behind it. */
export function behindRange(records: readonly Recorded[], to: Position): readonly Recorded[] {
  const open = new Set<string>();
  for (const record of records) {
    if (record.position > to) break;
    if (record.kind === 'answer.received' && record.data.stream === 'main')
      for (const part of record.data.parts) if (part.type === 'call') open.add(part.call);
    if (isClosing(record)) open.delete(record.data.call);
  }
  return records.filter((record) => record.position > to && !isOfCall(record, open));
}

/** Whether it tells of one of these calls: how it began or closed, or what it loaded. */
export function isOfCall(record: Recorded, calls: ReadonlySet<string>): record is OfCall {
  if (record.kind === 'skill.loaded') return record.data.call !== undefined && calls.has(record.data.call);
  return record.kind === 'tool.started' || isClosing(record) ? calls.has(record.data.call) : false;
}

function isClosing(record: Recorded): record is ClosingRecord {
  return record.kind === 'tool.returned' || record.kind === 'tool.failed' || record.kind === 'tool.abandoned';
}
