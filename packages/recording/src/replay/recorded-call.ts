// Model call as a recording contains it: the model, the times, and the tokens that the provider counted.

import type { AnswerInterrupted, AnswerReceived, Recorded, Timestamp, Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** Recorded call with usage. */
export interface RecordedCall {
  readonly data: AnswerReceived | AnswerInterrupted;
  readonly received: boolean;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly usage: Usage;
  /** Input tokens in all known buckets. 0 if the file counts only the answer. */
  readonly input: number;
}

/**
 * Returns the call of the main conversation in a record. Returns `undefined` for any other record, and for an answer
 * without usage.
 */
export function recordedCall(record: Recorded): RecordedCall | undefined {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return undefined;
  const { usage, stream } = record.data;
  // A side call is copied unchanged, because its request is not part of the driven conversation.
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
