// Where the names of a history are used: what prose and inputs refer to later is likely to be needed again.

import type { AnswerPart, Recorded } from '@tidemark/log';
import { parseArguments } from './known-tools.ts';
import { wordsOf } from './gather.ts';
import { namesIn, stringsIn } from '../base/names.ts';

/** The names that records mention. */
export interface Mentions {
  /** The last position in the range whose prose or input holds a name. */
  readonly last: ReadonlyMap<string, number>;
  /** How many prompts, answers and inputs of the range hold it. */
  readonly count: ReadonlyMap<string, number>;
  /** Names in what stays behind the range: a checkpoint need not repeat them. */
  readonly behind: ReadonlySet<string>;
}

/** Reads records once. `after` and `to` bound the range; what stands behind it is what a request still holds. */
export function mentionsIn(records: readonly Recorded[], after: number, to: number): Mentions {
  const last = new Map<string, number>();
  const count = new Map<string, number>();
  const behind = new Set<string>();
  for (const record of records) {
    if (record.position <= after) continue;
    if (record.position > to) {
      for (const name of namesOf(textsOf(record, true))) behind.add(name);
      continue;
    }
    for (const name of namesOf(textsOf(record, false))) {
      last.set(name, record.position);
      count.set(name, (count.get(name) ?? 0) + 1);
    }
  }
  return { last, count, behind };
}

/** Returns every text in the arguments of a call; the raw text where they do not parse. */
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
