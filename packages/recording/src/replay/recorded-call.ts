// One call of a model as a recording holds it: what was asked of which model, when, and what the provider counted.

import type { AnswerInterrupted, AnswerReceived, Recorded, Timestamp, Usage } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

/** A recorded call with usage. */
export interface RecordedCall {
  readonly data: AnswerReceived | AnswerInterrupted;
  readonly received: boolean;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly usage: Usage;
  /** Input tokens in all buckets that are told; 0 where the file tells of the answer alone. */
  readonly input: number;
}

/** The call of the conversation that a record tells of; `undefined` for any other record, and for an answer without usage. */
export function recordedCall(record: Recorded): RecordedCall | undefined {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return undefined;
  const { usage, stream } = record.data;
  // A side call is carried over as it is: what it was asked is no part of the conversation that is driven.
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
