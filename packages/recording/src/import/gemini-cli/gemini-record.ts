// Reads one record of a session file of the Gemini CLI. A record is a message, a header, a change of the header
// (`$set`), or a rewind (`$rewindTo`). Source: `chatRecordingService.ts` in the bundle of `@google/gemini-cli` 0.61.0.

import { rawElements, rawMember } from '@tidemark/core';
import type { Json } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { isList, isObject, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';

/** Message of a session file, with the raw JSON text of its fields. */
export interface GeminiMessage {
  readonly id: string;
  readonly type: string;
  readonly fields: JsonObject;
  readonly text: string;
}

/** Record of a session file. */
export type GeminiRecord =
  | { readonly kind: 'message'; readonly message: GeminiMessage }
  | { readonly kind: 'rewind'; readonly to: string }
  | {
      readonly kind: 'header' | 'change';
      readonly fields: JsonObject;
      /** History that the record states. It replaces the history before it. */
      readonly messages: readonly GeminiMessage[] | undefined;
    }
  | { readonly kind: 'other' };

/** Returns a record in the same form for all versions of the format. */
export function geminiRecord({ value, text }: RawRecord): GeminiRecord {
  const line = objectOf(value);
  const to = textOf(line['$rewindTo']);
  if (to !== undefined) return { kind: 'rewind', to };
  const message = messageOf(value, text);
  if (message !== undefined) return { kind: 'message', message };
  if (isObject(line['$set']))
    return { kind: 'change', fields: line['$set'], messages: messagesOf(line['$set'], rawMember(text, '$set') ?? '') };
  if (isHeader(line)) return { kind: 'header', fields: line, messages: messagesOf(line, text) };
  // The fields after the messages in a session that is one JSON document.
  if (isTrailer(line)) return { kind: 'change', fields: line, messages: undefined };
  return { kind: 'other' };
}

function messageOf(value: Json, text: string): GeminiMessage | undefined {
  const fields = objectOf(value);
  const id = nameOf(fields['id']);
  const type = nameOf(fields['type']);
  return id === undefined || type === undefined ? undefined : { id, type, fields, text };
}

function messagesOf(fields: JsonObject, text: string): readonly GeminiMessage[] | undefined {
  if (!isList(fields['messages'])) return undefined;
  const raws = rawElements(rawMember(text, 'messages') ?? '');
  return fields['messages'].flatMap((one, index) => messageOf(one, raws[index] ?? JSON.stringify(one)) ?? []);
}

const TYPES: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning']);

const CHANGED = ['messages', 'lastUpdated', 'sessionId', 'summary', 'directories', 'memoryScratchpad'] as const;

/** True if a record has the form of a record of the Gemini CLI. */
export function isGeminiRecord(line: JsonObject): boolean {
  if (isHeader(line) || typeof line['$rewindTo'] === 'string') return true;
  const change = line['$set'];
  if (isObject(change)) return CHANGED.some((name) => change[name] !== undefined);
  const isMessage = TYPES.has(line['type']) && typeof line['id'] === 'string' && typeof line['timestamp'] === 'string';
  return isMessage && line['content'] !== undefined && line['uuid'] === undefined;
}

function isHeader(line: JsonObject): boolean {
  return typeof line['sessionId'] === 'string' && typeof line['projectHash'] === 'string';
}

function isTrailer(line: JsonObject): boolean {
  return line['type'] === undefined && (typeof line['kind'] === 'string' || typeof line['summary'] === 'string');
}

/** Returns the content of a message as a list of parts. */
export function partsOf({ fields }: GeminiMessage): readonly JsonObject[] {
  const { content } = fields;
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (isObject(content) ? [content] : listOf(content)).map((part) =>
    typeof part === 'string' ? { text: part } : objectOf(part),
  );
}

/** Returns the calls of a message with their results, as the client records them after the calls ended. */
export function toolCallsOf({ fields }: GeminiMessage): readonly JsonObject[] {
  return listOf(fields['toolCalls']).map(objectOf);
}

/** Returns the results in the parts of a message. */
export function responsesOf(message: GeminiMessage): readonly JsonObject[] {
  return partsOf(message).flatMap(({ functionResponse }) => (isObject(functionResponse) ? [functionResponse] : []));
}

/** Texts that the client adds as messages of the user. They begin with one of these words. */
const ADDED =
  /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up|Here is (?:the user's editor context|a summary of changes in the user's editor context)|System: )/;

/** True if a message of the user contains context that the client added. */
export function isAdded(message: GeminiMessage): boolean {
  return message.type === 'user' && ADDED.test(textOf(partsOf(message)[0]?.['text']) ?? '');
}

/** True if a message is a prompt. Messages of the type `user` are also results and context that the client adds. */
export function isPrompt(message: GeminiMessage): boolean {
  return message.type === 'user' && !isAdded(message) && responsesOf(message).length === 0;
}

/**
 * Meaning of a history that a record states: the first one of the file (`opening`), a summary that replaces the history
 * (`compaction`), or the history that the file already contains, complete or without its end (`known`).
 */
export type HistoryKind = 'opening' | 'compaction' | 'known';

/**
 * Returns the meaning of a history. `isSeen` is true for the id of an earlier message. `spoken` is true if the file
 * already contains a message that is not context.
 */
export function historyKind(
  messages: readonly GeminiMessage[],
  isSeen: (id: string) => boolean,
  spoken: boolean,
): HistoryKind {
  if (!spoken) return 'opening';
  const first = messages.find((message) => !isAdded(message));
  // A compaction gives new ids to all messages.
  return first !== undefined && !isSeen(first.id) ? 'compaction' : 'known';
}

/** Returns the parts of a history after a compaction: the summary, and the messages that the client kept. */
export function compactedHistory(messages: readonly GeminiMessage[]): {
  readonly summary: string;
  readonly kept: readonly GeminiMessage[];
} {
  const start = messages.findIndex((message) => !isAdded(message));
  const [first, ...rest] = messages.slice(Math.max(start, 0));
  const summary =
    first === undefined
      ? ''
      : partsOf(first)
          .map((part) => textOf(part['text']) ?? '')
          .join('\n');
  // The client answers the summary in the name of the model.
  const kept = rest[0]?.type === 'gemini' ? rest.slice(1) : rest;
  return { summary, kept };
}
