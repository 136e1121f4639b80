// Finds the model calls in a recording. A recorded call has a model, a start time and an end time, and the tokens that
// the provider counted.

import type { AnswerInterrupted, AnswerReceived, Recorded, Timestamp, Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** Model call of a recording that has usage. */
export interface RecordedCall {
  readonly data: AnswerReceived | AnswerInterrupted;
  readonly received: boolean;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly usage: Usage;
  /** Number of input tokens in all known buckets. It is 0 if the recording counts only the output. */
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
  return { data: record.data, received, startedAt, endedAt: record.at, usage, input: knownInput(usage) };
}

function knownInput(usage: Usage): number {
  const written = (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
  return (usage.fresh ?? 0) + (usage.read ?? 0) + written;
}
