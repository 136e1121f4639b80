// Checkpoints of small logs, as the log gives them back.

import type { HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Checkpoint } from '../src/checkpoint/checkpoint.ts';
import { checkpointText } from '../src/checkpoint/checkpoint-text.ts';
import type { CheckpointInput } from '../src/checkpoint/make-checkpoint.ts';
import { makeCheckpoint } from '../src/checkpoint/make-checkpoint.ts';
import type { Told } from './log-of.ts';
import { answer, logOf, text } from './log-of.ts';

/** The checkpoint of a whole log, of at most 4,000 tokens unless a test sets another bound. */
export function checkpointOf(told: readonly Told[], more: Partial<CheckpointInput> = {}): Checkpoint {
  const range = { from: position(0), to: position(told.length - 1) };
  return makeCheckpoint({ records: logOf(told), range, bound: 4_000, ...more });
}

/** The words of a checkpoint. */
export function textOf(checkpoint: Checkpoint): string {
  return checkpointText(checkpoint).text;
}

/** A checkpoint as the log gives it back. */
export function recorded(checkpoint: Checkpoint): HistoryCompacted {
  const { text: said, limitations } = checkpointText(checkpoint);
  const fields: NonNullable<HistoryCompacted['fields']> = JSON.parse(JSON.stringify(checkpoint));
  const { range, strategy } = checkpoint;
  return { range, strategy, trigger: 'manual', checkpoint: said, limitations, fields };
}

/** A call and its result. */
export function step(id: string, name: string, input: object, output: string, failed = false): readonly Told[] {
  const ended = { call: callId(id), parts: [text(output)].flatMap((part) => (part.type === 'text' ? [part] : [])) };
  return [
    answer([{ type: 'call', call: callId(id), name, arguments: JSON.stringify(input) }]),
    [failed ? 'tool.failed' : 'tool.returned', ended],
  ];
}
