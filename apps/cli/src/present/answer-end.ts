// Describes in an export how an incomplete answer ended: which limit cut it, or who or what interrupted it.

import type { Recorded, RecordedOf, TurnEnded } from '@tidemark/log';

/** Record of an answer, complete or not. */
export type AnswerRecord = RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'>;

/** Record for an export. If it is an interrupted answer, `turnEnd` is the end of its turn. */
export interface ExportedRecord {
  readonly record: Recorded;
  readonly turnEnd?: TurnEnded;
}

/**
 * Returns one sentence about the end of an incomplete answer, or an empty string for a complete answer. A limit of time
 * interrupts an answer like the user does, so `turnEnd` decides between the two.
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
 * Adds the end of its turn to each answer that was interrupted. The records after such an answer wait until the turn
 * has ended, or until the next prompt if the log has no end of the turn.
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
