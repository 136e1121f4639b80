// Records as data for a model that cannot be shown the history itself: one line of JSON each. No `<` stands in a line, so
// nothing that was said, read or written can end the enclosure and speak from outside of it.

import type { AnswerPart, Json, Kind, Recorded, RecordedOf } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { excerptOf } from './excerpt.ts';
import { wordsOf } from './gather.ts';

type LineFields = { readonly [name: string]: Json };
type HistoryLine<K extends Kind> = (data: RecordedOf<K>['data']) => LineFields | undefined;

/** Of one text, in UTF-16 units. */
const TEXT = 6_000;
const RESULT = 2_000;
const skip = (): undefined => undefined;
const short = (text: string): string => excerptOf(text, TEXT);

const LINES: { readonly [K in Kind]: HistoryLine<K> } = {
  'session.created': skip,
  'epoch.opened': skip,
  'context.noted': ({ source, body }) => (body === undefined ? undefined : { source, text: excerptOf(body, RESULT) }),
  'turn.started': skip,
  'turn.resumed': skip,
  'prompt.given': ({ parts }) => ({ text: short(wordsOf(parts)) }),
  'notification.received': ({ source, body }) => ({ source, text: short(body) }),
  'request.prepared': skip,
  'answer.received': ({ stream, parts }) => (stream === 'main' ? { parts: parts.flatMap(partOf) } : undefined),
  'answer.failed': skip,
  'answer.interrupted': ({ stream, by, parts }) =>
    stream === 'main' && by === 'user' ? { interrupted: true, parts: parts.flatMap(partOf) } : undefined,
  'tool.started': skip,
  'tool.returned': ({ call, parts }) => ({ call, text: excerptOf(wordsOf(parts), RESULT) }),
  'tool.failed': ({ call, parts }) => ({ call, text: excerptOf(wordsOf(parts), RESULT) }),
  'tool.abandoned': ({ call, reason }) => ({ call, reason }),
  'permission.decided': ({ call, decision, by }) => ({ call, decision, by }),
  'mode.changed': ({ mode }) => ({ mode }),
  'foreign.recorded': skip,
  'tools.changed': skip,
  'reasoning.changed': skip,
  'reasoning.set': skip,
  'role.changed': skip,
  'skill.loaded': ({ name }) => ({ name }),
  'history.compacted': skip,
  'compaction.refused': skip,
  'history.pruned': skip,
  'block.quarantined': skip,
  'pressure.crossed': skip,
  'memory.changed': ({ file, operation }) => ({ file, operation }),
  'subagent.started': ({ child, role, task }) => ({ child, role, task: short(task) }),
  'subagent.ended': ({ child, status, summary }) => ({ child, status, summary: short(summary) }),
  'branch.summarized': ({ text }) => ({ text: short(text) }),
  'turn.ended': ({ outcome }) => ({ outcome }),
};

/** The line of a record; `undefined` where it says nothing that a checkpoint could hold. */
export function historyLine(record: Recorded): string | undefined {
  if (record.kind === 'unknown') return undefined;
  const fields = fieldsOf(record);
  return fields && dataLine({ position: record.position, kind: record.kind, ...fields });
}

/** A value as one line of JSON without a `<`. */
export function dataLine(value: LineFields): string {
  return canonicalText(value).replaceAll('<', '\\u003c');
}

// The table is typed by kind; TypeScript cannot see that a union indexes it with its own kind.
function fieldsOf<K extends Kind>({ kind, data }: RecordedOf<K>): LineFields | undefined {
  const one: HistoryLine<K> = LINES[kind];
  return one(data);
}

function partOf(part: AnswerPart): readonly LineFields[] {
  switch (part.type) {
    case 'text':
      return [{ text: short(part.text) }];
    case 'call':
      return [{ call: part.call, name: part.name, arguments: excerptOf(part.arguments, RESULT) }];
    // Reasoning is the model's own way to what it said, and no fact.
    case 'reasoning':
    case 'native':
      return [];
  }
}
