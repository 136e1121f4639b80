// One answer out of its rows. Claude Code writes a row per block, all with the same `message.id`, and results of the
// first calls may stand between them. The parts keep their order; usage and stop are those of the last row.

import type { Timestamp } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { nameOf, objectOf } from '../file/fields.ts';
import type { AnswerMove, From } from '../format/move.ts';
import type { RawPart } from './claude-parts.ts';
import { ANTHROPIC, claudeParts } from './claude-parts.ts';
import { claudeStop, claudeUsage } from './claude-usage.ts';

/** An answer of which rows may still come. */
export interface MergingAnswer {
  readonly id: string;
  /** Its first row. */
  readonly first: From;
  readonly startedAt: Timestamp | undefined;
  /** Ordinal of the row that came last. */
  last: number;
  parts: readonly RawPart[];
  message: JsonObject;
  at: Timestamp;
}

/** The name that the rows of one answer share. */
export function answerId(row: JsonObject): string | undefined {
  return nameOf(objectOf(row['message'])['id']) ?? nameOf(row['requestId']) ?? nameOf(row['uuid']);
}

/** An answer from its first row. It was asked for when the row before that was written. */
export function beginAnswer(
  id: string,
  row: JsonObject,
  text: string,
  from: From,
  startedAt?: Timestamp,
): MergingAnswer {
  const message = objectOf(row['message']);
  return {
    id,
    first: from,
    startedAt,
    last: from.ordinal,
    parts: claudeParts(message['content'], text),
    message,
    at: from.at,
  };
}

/** One more row of it. */
export function growAnswer(answer: MergingAnswer, row: JsonObject, text: string, from: From): void {
  const message = objectOf(row['message']);
  answer.parts = added(answer.parts, claudeParts(message['content'], text));
  answer.message = message;
  answer.last = from.ordinal;
  answer.at = from.at;
}

/** The finished answer. */
export function finishAnswer({ first, startedAt, parts, message, at }: MergingAnswer): AnswerMove {
  const word = nameOf(message['stop_reason']);
  const response = nameOf(message['id']);
  const calls = parts.some(({ part }) => part.type === 'call');
  const stop = claudeStop(word, calls);
  return {
    type: 'answer',
    from: { ...first, at },
    provider: ANTHROPIC,
    model: nameOf(message['model']) ?? 'unknown',
    ...(startedAt === undefined ? {} : { startedAt }),
    parts: parts.map(({ part }) => part),
    stop,
    ...(word === undefined ? {} : { stopRaw: word }),
    ...(response === undefined ? {} : { response }),
    truncated: word === undefined ? 'unknown' : stop === 'length' || stop === 'window' ? 'yes' : 'no',
    usage: claudeUsage(message['usage']) ?? {},
  };
}

// A row that begins with all blocks so far repeats them; a call stands once.
function added(before: readonly RawPart[], row: readonly RawPart[]): readonly RawPart[] {
  const repeats = row.length > before.length && before.every(({ raw }, index) => row[index]?.raw === raw);
  const fresh = repeats ? row.slice(before.length) : row;
  const known = new Set(before.flatMap(({ part }) => (part.type === 'call' ? [part.call] : [])));
  return [...before, ...fresh.filter(({ part }) => part.type !== 'call' || !known.has(part.call))];
}
