// Describes in an export how an incomplete answer ended. The text names the limit that cut the answer, or the user or
// the event that interrupted it.

import type { Recorded, RecordedOf, TurnEnded } from '@tidemark/log';

/** Record of an answer, which may be incomplete. */
export type AnswerRecord = RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'>;

/** Record for an export. If it is an interrupted answer, `turnEnd` is the end of its turn. */
export interface ExportedRecord {
  readonly record: Recorded;
  readonly turnEnd?: TurnEnded;
}

/**
 * Returns one sentence about the end of an incomplete answer. For a complete answer, returns an empty string. A time
 * limit and the user interrupt an answer in the same way. `turnEnd` shows which of them interrupted it.
 */
export function answerEnd({ kind, data }: AnswerRecord, turnEnd?: TurnEnded): string {
  if (kind === 'answer.received') {
    if (data.stop === 'length') return 'The answer was cut at the output limit.';
    if (data.stop === 'window') return 'The answer was cut because the context window was full.';
    if (data.stop === 'refusal') return 'The model refused to answer.';
    return data.truncated === 'yes' ? 'The answer was cut by the provider.' : '';
  }
  if (data.by === 'transport') return 'The connection ended before the answer was complete.';
  const { outcome, error } = turnEnd ?? {};
  return outcome === 'limited' && error !== undefined
    ? `The answer was cut: ${error.message}.`
    : 'The user interrupted the answer.';
}

/**
 * Adds to each interrupted answer the end of its turn. The records after such an answer are delayed until the turn has
 * ended. If the log has no end of the turn, they are delayed until the next prompt.
 */
export async function* withTurnEnds(records: AsyncIterable<Recorded>): AsyncIterable<ExportedRecord> {
  let waiting: Recorded[] = [];
  for await (const record of records) {
    const ended = record.kind === 'turn.ended' ? record.data : undefined;
    if (ended !== undefined || record.kind === 'prompt.given') {
      yield* released(waiting, ended);
      waiting = [];
    }
    if (waiting.length > 0 || record.kind === 'answer.interrupted') waiting.push(record);
    else yield { record };
  }
  yield* released(waiting);
}

function released(waiting: readonly Recorded[], turnEnd?: TurnEnded): readonly ExportedRecord[] {
  return waiting.map((record) => (turnEnd === undefined ? { record } : { record, turnEnd }));
}
