// Finds the names that prompts, answers and arguments of calls mention. If a tool result contained a name and the name
// is mentioned later, it is likely to be needed again.

import type { AnswerPart, Recorded } from '@tidemark/log';
import { parseArguments } from './known-tools.ts';
import { wordsOf } from './gather.ts';
import { namesIn, stringsIn } from '../base/names.ts';

/** Mentions of names in records. */
export interface Mentions {
  /**
   * Position of the last prompt or answer in the range that mentions the name. The arguments of calls are a part of the
   * answer.
   */
  readonly last: ReadonlyMap<string, number>;
  /** Number of prompts and answers in the range that mention the name. */
  readonly count: ReadonlyMap<string, number>;
  /** Names mentioned after the range. A checkpoint does not need to repeat them. */
  readonly behind: ReadonlySet<string>;
}

/**
 * Finds the mentions in one pass. The range is from `after` (exclusive) to `to` (inclusive). Names in later records,
 * including tool results, go to `behind`, because these records remain in the request.
 */
export function mentionsIn(records: readonly Recorded[], after: number, to: number): Mentions {
  const last = new Map<string, number>();
  const count = new Map<string, number>();
  const later = new Set<string>();
  for (const record of records) {
    if (record.position <= after) continue;
    if (record.position > to) {
      for (const name of namesOf(textsOf(record, true))) later.add(name);
      continue;
    }
    for (const name of namesOf(textsOf(record, false))) {
      last.set(name, record.position);
      count.set(name, (count.get(name) ?? 0) + 1);
    }
  }
  return { last, count, behind: later };
}

function inputTexts(raw: string): readonly string[] {
  const value = parseArguments(raw);
  return value === undefined ? [raw] : stringsIn(value);
}

function namesOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap(namesIn).flatMap(({ name, kind }) => (kind === 'member' ? [] : [name])));
}

function textsOf(record: Recorded, results: boolean): readonly string[] {
  switch (record.kind) {
    case 'prompt.given':
      return [wordsOf(record.data.parts)];
    case 'answer.received':
      return record.data.stream === 'main' ? record.data.parts.flatMap(textsOfPart) : [];
    case 'tool.returned':
    case 'tool.failed':
      return results ? [wordsOf(record.data.parts)] : [];
    default:
      return [];
  }
}

function textsOfPart(part: AnswerPart): readonly string[] {
  if (part.type === 'text') return [part.text];
  return part.type === 'call' ? inputTexts(part.arguments) : [];
}
