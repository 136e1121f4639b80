// Input tokens of a turn by bucket: fresh, read from the cache, written to the cache. They are derived from the records
// of the calls, because the totals in the log contain only the sum.

import type { Recorded, TurnId, Usage } from '@tidemark/log';
import { allWritten } from '@tidemark/model';
import type { FinishedTotals } from '../ports/live-session.ts';
import type { InputBuckets } from '../ports/input-buckets.ts';
import type { Session } from './session.ts';

/** Sums of input tokens over the calls of a turn. */
interface BucketSums {
  fresh: number;
  read: number;
  written: number;
  /** Sums at the last end of the turn. If a side call is answered later, it is not part of the turn's totals. */
  atEnd: InputBuckets | undefined;
}

/** Watches a turn while it runs and adds up its input. */
export interface BucketWatch {
  /** Returns the totals with the buckets. */
  addTo(totals: FinishedTotals): Promise<FinishedTotals>;
  stop(): void;
}

/**
 * Starts the watch of a turn. If the turn began earlier, the earlier records are read from the log when the turn ends.
 */
export function watchBuckets(session: Session, turn: TurnId, began: 'now' | 'before'): BucketWatch {
  const sums = newSums();
  const watch = (record: Recorded): void => add(sums, turn, record);
  if (began === 'now') session.watchers.add(watch);
  return {
    async addTo(totals) {
      if (began === 'before') for await (const record of session.log.read(session.writer.session)) watch(record);
      return withBuckets(totals, sums.atEnd);
    },
    stop: () => void session.watchers.delete(watch),
  };
}

function newSums(): BucketSums {
  return { fresh: 0, read: 0, written: 0, atEnd: undefined };
}

function add(sums: BucketSums, turn: TurnId, record: Recorded): void {
  if (record.turn !== turn) return;
  switch (record.kind) {
    case 'answer.received':
    case 'answer.interrupted':
    case 'answer.failed':
      return addUsage(sums, record.data.usage ?? {});
    case 'turn.resumed':
      // If a turn had ended and is resumed, its buckets count from zero again. Its totals do the same.
      if (sums.atEnd !== undefined) Object.assign(sums, newSums());
      return;
    case 'turn.ended':
      sums.atEnd = { fresh: sums.fresh, read: sums.read, written: sums.written };
      return;
    default:
  }
}

function addUsage(sums: BucketSums, usage: Usage): void {
  sums.fresh += usage.fresh ?? 0;
  sums.read += usage.read ?? 0;
  sums.written += allWritten(usage) ?? 0;
}

/**
 * Returns the totals with the buckets. If the sum of the buckets is not equal to the input, a call did not report a
 * bucket, or a subagent used tokens. The buckets are then unknown (L7).
 */
function withBuckets(totals: FinishedTotals, buckets: InputBuckets | undefined): FinishedTotals {
  if (buckets === undefined || totals.input === undefined) return totals;
  const sum = buckets.fresh + buckets.read + buckets.written;
  return sum === totals.input ? { ...totals, inputBuckets: buckets } : totals;
}
