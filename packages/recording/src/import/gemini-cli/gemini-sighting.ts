// First pass over a session file of the Gemini CLI. Each message has an id, and a later record with the same id replaces
// it. A rewind, or a history without its last messages, leads back to an earlier message. So the pass numbers the
// messages and remembers which of them the history contains.

import { defined } from '@tidemark/core';
import { canonicalText } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { hashText, listOf, momentOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting } from '../outline/outline.ts';
import type { GeminiMessage, GeminiRecord } from './gemini-record.ts';
import {
  compactedHistory,
  geminiRecord,
  historyKind,
  isAdded,
  isPrompt,
  partsOf,
  responsesOf,
  toolCallsOf,
} from './gemini-record.ts';

interface GeminiHistory {
  /** Row of each message, by the hash of its id. A row is a record that advanced the history, numbered from 0. */
  readonly rows: Map<number, number>;
  /** Hash of the content of each row that is a message of the user. */
  readonly contents: Map<number, number>;
  /** Rows that the history contains, in order. */
  live: number[];
  count: number;
  spoken: boolean;
  /** True for the session of a subagent. The client records the result of a subagent as its summary. */
  isSubagent: boolean;
  /** Row that advanced the history last. */
  last: number | undefined;
  /** Row from which the next record continues, after a rewind. `null` stands for the start. */
  resume: number | null | undefined;
}

/** Returns the function of the first pass for one file. */
export function geminiSightings(): (raw: RawRecord) => Sighting {
  const history: GeminiHistory = {
    rows: new Map(),
    contents: new Map(),
    live: [],
    count: 0,
    spoken: false,
    isSubagent: false,
    last: undefined,
    resume: undefined,
  };
  return (raw) => {
    const record = geminiRecord(raw);
    const line = objectOf(raw.value);
    const at = momentOf(line['timestamp'] ?? line['startTime']);
    return { ...defined({ at }), ...stepOf(history, record), ...factsOf(history, record) };
  };
}

function stepOf(history: GeminiHistory, record: GeminiRecord): Pick<Sighting, 'step' | 'id' | 'parent' | 'keptFrom'> {
  switch (record.kind) {
    case 'message':
      return messageStep(history, record.message);
    case 'rewind':
      rewind(history, record.to);
      return { step: 'floats' };
    case 'header':
    case 'change':
      return record.messages === undefined ? { step: 'floats' } : listStep(history, record.messages);
    case 'other':
      return { step: 'floats' };
  }
}

function messageStep(history: GeminiHistory, message: GeminiMessage): Pick<Sighting, 'step' | 'id' | 'parent'> {
  const key = hashText(message.id);
  if (history.rows.has(key)) return { step: 'floats' };
  if (message.type !== 'user' && message.type !== 'gemini') {
    if (history.last !== undefined) history.rows.set(key, history.last);
    return { step: 'floats' };
  }
  history.spoken ||= !isAdded(message);
  if (isPrompt(message)) history.contents.set(history.count, contentHash(message));
  return advance(history, [key]);
}

function advance(history: GeminiHistory, keys: readonly number[]): Pick<Sighting, 'step' | 'id' | 'parent'> {
  const { resume, count } = history;
  for (const key of keys) history.rows.set(key, count);
  history.live.push(count);
  history.last = count;
  history.count += 1;
  history.resume = undefined;
  const parent = resume === null || resume === undefined ? resume : `${resume}`;
  return { step: 'begins', id: `${count}`, ...defined({ parent }) };
}

// The client removes the named message and all messages after it. It removes the whole history if it does not find the
// message.
function rewind(history: GeminiHistory, id: string): void {
  const row = history.rows.get(hashText(id));
  const index = row === undefined ? -1 : history.live.indexOf(row);
  history.live = history.live.slice(0, Math.max(index, 0));
  resumeFrom(history, history.live.at(-1));
}

function resumeFrom(history: GeminiHistory, row: number | undefined): void {
  history.resume = row === history.last ? undefined : (row ?? null);
}

function listStep(
  history: GeminiHistory,
  messages: readonly GeminiMessage[],
): Pick<Sighting, 'step' | 'id' | 'parent' | 'keptFrom'> {
  const isSeen = (id: string): boolean => history.rows.has(hashText(id));
  const kind = historyKind(messages, isSeen, history.spoken);
  if (kind === 'known') return knownHistory(history, messages);
  const keys = messages.map(({ id }) => hashText(id));
  // A process that continues a session may state the same context twice.
  if (keys.every((key) => history.rows.has(key))) return { step: 'floats' };
  history.spoken ||= messages.some((message) => !isAdded(message));
  if (kind === 'opening') return advance(history, keys);
  const keptFrom = firstKept(history, messages);
  history.live = [];
  return { ...advance(history, keys), ...defined({ keptFrom }) };
}

/** Returns the row of the first message that a compaction kept. It is recognised by its content. */
function firstKept({ live, contents }: GeminiHistory, messages: readonly GeminiMessage[]): string | undefined {
  const [first] = compactedHistory(messages).kept;
  if (first === undefined || !isPrompt(first)) return undefined;
  const content = contentHash(first);
  const row = live.findLast((one) => contents.get(one) === content);
  return row === undefined ? undefined : `${row}`;
}

function contentHash(message: GeminiMessage): number {
  return hashText(canonicalText(partsOf(message).map(({ text, ...rest }) => ({ ...rest, text: textOf(text) ?? '' }))));
}

// The record states messages of the file again. If the last ones are missing, the client removed them from the history,
// for example after a failed request.
function knownHistory(history: GeminiHistory, messages: readonly GeminiMessage[]): Pick<Sighting, 'step'> {
  const rows: number[] = [];
  for (const { id } of messages) {
    const key = hashText(id);
    const row = history.rows.get(key) ?? rows.at(-1);
    if (row === undefined) continue;
    history.rows.set(key, row);
    if (rows.at(-1) !== row) rows.push(row);
  }
  history.live = rows;
  resumeFrom(history, rows.at(-1));
  return { step: 'floats' };
}

function factsOf(history: GeminiHistory, record: GeminiRecord): Partial<Sighting> {
  switch (record.kind) {
    case 'message':
      return messageFacts(record.message);
    case 'header':
    case 'change':
      history.isSubagent ||= record.fields['kind'] === 'subagent';
      return headerFacts(history, record.fields, record.messages ?? []);
    case 'rewind':
    case 'other':
      return {};
  }
}

function messageFacts(message: GeminiMessage): Partial<Sighting> {
  const calls = [...toolCallsOf(message), ...responsesOf(message)];
  const results = calls.flatMap(({ id }) => nameOf(id) ?? []);
  return {
    ...(results.length === 0 ? {} : { results }),
    ...(isPrompt(message) ? defined({ opening: openingOf(textOf(partsOf(message)[0]?.['text'])) }) : {}),
  };
}

function headerFacts(
  { isSubagent }: GeminiHistory,
  fields: JsonObject,
  messages: readonly GeminiMessage[],
): Partial<Sighting> {
  const all = messages.map(messageFacts);
  const results = all.flatMap((one) => one.results ?? []);
  const opening = all.find((one) => one.opening !== undefined)?.opening;
  const title = isSubagent ? undefined : openingOf(textOf(fields['summary']));
  const workspace = nameOf(listOf(fields['directories'])[0]) ?? workspaceIn(messages);
  return {
    ...(results.length === 0 ? {} : { results }),
    ...defined({ session: nameOf(fields['sessionId']), title, workspace, opening }),
  };
}

const WORKSPACE = /^- \*\*Workspace Directories:\*\*\n\s*- (.+)$/m;

// The header of a main session contains only a hash of the folder. The context names the folder itself.
function workspaceIn(messages: readonly GeminiMessage[]): string | undefined {
  const context = messages.find(isAdded);
  return context === undefined ? undefined : WORKSPACE.exec(textOf(partsOf(context)[0]?.['text']) ?? '')?.[1];
}
