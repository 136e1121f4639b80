// Helpers for tests: make the checkpoint of a small log, and convert a checkpoint to the data of its
// `history.compacted` event.

import type { HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Checkpoint } from '../src/checkpoint/checkpoint.ts';
import { checkpointText } from '../src/checkpoint/checkpoint-text.ts';
import type { CheckpointInput } from '../src/checkpoint/make-checkpoint.ts';
import { makeCheckpoint } from '../src/checkpoint/make-checkpoint.ts';
import type { TestEvent } from './log-of.ts';
import { answer, logOf, text } from './log-of.ts';

/** Makes the checkpoint of a whole log. It has at most 4,000 tokens unless a test sets another limit. */
export function checkpointOf(events: readonly TestEvent[], more: Partial<CheckpointInput> = {}): Checkpoint {
  const range = { from: position(0), to: position(events.length - 1) };
  return makeCheckpoint({ records: logOf(events), range, bound: 4_000, ...more });
}

export function textOf(checkpoint: Checkpoint): string {
  return checkpointText(checkpoint).text;
}

/** Returns the data of the `history.compacted` event that a log would contain for the checkpoint. */
export function recorded(checkpoint: Checkpoint): HistoryCompacted {
  const { text: shown, limitations } = checkpointText(checkpoint);
  const fields: NonNullable<HistoryCompacted['fields']> = JSON.parse(JSON.stringify(checkpoint));
  const { range, strategy } = checkpoint;
  return { range, strategy, trigger: 'manual', checkpoint: shown, limitations, fields };
}

/**
 * Returns two events: an answer with one tool call, and the result of the call. With `failed`, the result is
 * `tool.failed`, otherwise `tool.returned`.
 */
export function step(id: string, name: string, input: object, output: string, failed = false): readonly TestEvent[] {
  const ended = { call: callId(id), parts: [text(output)].flatMap((part) => (part.type === 'text' ? [part] : [])) };
  return [
    answer([{ type: 'call', call: callId(id), name, arguments: JSON.stringify(input) }]),
    [failed ? 'tool.failed' : 'tool.returned', ended],
  ];
}
