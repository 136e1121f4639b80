// Conversation of a session for a person: the prompts, answers and calls of its records. A pure fold, so that any number of
// records can be added without reading the earlier ones again.

import type { AnswerPart, ContentPart, Recorded } from '@tidemark/log';

/** One entry of the conversation. */
export type Entry =
  | {
      readonly type: 'prompt' | 'answer' | 'reasoning' | 'note' | 'failure';
      readonly position: number;
      readonly text: string;
    }
  | CallEntry;

/** A tool call with what came of it. */
export interface CallEntry {
  readonly type: 'call';
  readonly position: number;
  readonly call: string;
  readonly name: string;
  readonly input: string;
  readonly state: 'waiting' | 'running' | 'returned' | 'failed' | 'abandoned';
  readonly output: string;
}

/** Entries so far. The array is replaced by a longer one, and an entry of a call when its state changes. */
export interface Conversation {
  readonly entries: readonly Entry[];
  readonly length: number;
  readonly running: boolean;
}

export const NO_CONVERSATION: Conversation = { entries: [], length: 0, running: false };

/** Adds records to a conversation. */
export function addRecords(before: Conversation, records: readonly Recorded[]): Conversation {
  const entries = [...before.entries];
  let { running } = before;
  for (const record of records) {
    if (record.kind === 'turn.started' || record.kind === 'turn.resumed') running = true;
    if (record.kind === 'turn.ended') running = false;
    addRecord(entries, record);
  }
  const last = records.at(-1);
  return { entries, length: last === undefined ? before.length : last.position + 1, running };
}

function addRecord(entries: Entry[], record: Recorded): void {
  const { position } = record;
  switch (record.kind) {
    case 'prompt.given':
      entries.push({ type: 'prompt', position, text: textOfParts(record.data.parts) });
      return;
    case 'answer.received':
    case 'answer.interrupted':
      if (record.data.stream === 'main') entries.push(...entriesOfAnswer(record.data.parts, position));
      return;
    case 'answer.failed':
      entries.push({ type: 'failure', position, text: `The call failed: ${record.data.message}` });
      return;
    case 'tool.started':
      return change(entries, record.data.call, { state: 'running' });
    case 'tool.returned':
    case 'tool.failed':
      return change(entries, record.data.call, {
        state: record.kind === 'tool.returned' ? 'returned' : 'failed',
        output: textOfParts(record.data.parts),
      });
    case 'tool.abandoned':
      return change(entries, record.data.call, { state: 'abandoned' });
    case 'history.compacted':
      entries.push({ type: 'note', position, text: 'The history before this was replaced by a checkpoint.' });
      return;
    case 'turn.ended':
      if (record.data.outcome !== 'completed')
        entries.push({ type: 'note', position, text: `The turn ended: ${record.data.outcome}.` });
      return;
    default:
  }
}

function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function entriesOfAnswer(parts: readonly AnswerPart[], position: number): readonly Entry[] {
  return parts.flatMap((part): readonly Entry[] => {
    // Some models begin an answer with a blank text.
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'answer', position, text: part.text }];
    if (part.type === 'reasoning')
      return part.text === undefined || part.text === '' ? [] : [{ type: 'reasoning', position, text: part.text }];
    if (part.type !== 'call') return [];
    const { call, name, arguments: input } = part;
    return [{ type: 'call', position, call, name, input, state: 'waiting', output: '' }];
  });
}

/** Replaces the latest entry of a call. */
function change(entries: Entry[], call: string, next: Partial<Pick<CallEntry, 'state' | 'output'>>): void {
  const at = entries.findLastIndex((entry) => entry.type === 'call' && entry.call === call);
  const entry = entries[at];
  if (entry?.type === 'call') entries[at] = { ...entry, ...next };
}
