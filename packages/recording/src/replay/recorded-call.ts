// Finds the model calls in a recording. A recorded call has a model, a start time and an end time, and the tokens that
// the provider counted.

import { defined } from '@tidemark/core';
import type { AnswerInterrupted, AnswerReceived, Recorded, Timestamp, Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** Model call of a recording that has usage. */
export interface RecordedCall {
  readonly data: AnswerReceived | AnswerInterrupted;
  readonly received: boolean;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  /** Tokens of the call. Input that the recording does not sort into buckets is in `fresh` here. */
  readonly usage: Usage;
  /** Number of input tokens in all buckets. It is 0 if the recording counts only the output. */
  readonly input: number;
}

/**
 * Returns the model call that a record contains. Returns `undefined` for a record that is no answer, for the answer of
 * a side call, and for an answer without usage.
 */
export function recordedCall(record: Recorded): RecordedCall | undefined {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return undefined;
  const { usage, stream } = record.data;
  // The answer of a side call is copied unchanged, because its request is not part of the replayed conversation.
  if (stream !== 'main') return undefined;
  if (usage === undefined || Object.keys(usage).length === 0) return undefined;
  const startedAt = record.data.startedAt === undefined ? record.at : timestamp(record.data.startedAt);
  const received = record.kind === 'answer.received';
  const sorted = sortInput(usage);
  return { data: record.data, received, startedAt, endedAt: record.at, usage: sorted, input: knownInput(sorted) };
}

// Written tokens without a known lifetime count as `5m`. Input that is only in the total counts as fresh, because
// nothing shows that the provider billed it at another price.
function sortInput({ input, written, ...usage }: Usage): Usage {
  const writes = usage.writes ?? (written === undefined ? undefined : ([{ ttl: '5m', tokens: written }] as const));
  const fresh = usage.fresh ?? (input === undefined ? undefined : input - knownInput(defined({ ...usage, writes })));
  return defined({ ...usage, fresh, writes });
}

function knownInput(usage: Usage): number {
  const written = (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
  return (usage.fresh ?? 0) + (usage.read ?? 0) + written;
}
