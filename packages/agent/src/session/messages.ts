// Messages of a conversation for a person: the prompts and the answers, read from the log.

import { defined } from '@tidemark/core';
import type {
  AnswerPart,
  AnswerReceived,
  ContentPart,
  Log,
  Position,
  Recorded,
  SessionId,
  Timestamp,
} from '@tidemark/log';
import type { SessionMessage } from '../ports/live-session.ts';
import { isAnswerRequest } from './answer-schema.ts';

/** Yields the recorded messages of a session, oldest first. A fork begins with the messages of its parent. */
export async function* readMessages(log: Log, session: SessionId): AsyncGenerator<SessionMessage, void> {
  for await (const record of log.read(session)) {
    const message = messageIn(record);
    if (message !== undefined) yield message;
  }
}

function messageIn({ position, at, ...record }: Recorded): SessionMessage | undefined {
  const place = { position, at };
  switch (record.kind) {
    case 'prompt.given':
      return userMessage(record.data.parts, place);
    case 'answer.received':
      if (record.data.stream !== 'main') return undefined;
      return { ...assistantMessage(record.data.parts, place), ...(stoppedAtLimit(record.data) && { truncated: true }) };
    case 'answer.interrupted':
      // If an attempt broke off, it is sent again. The next answer contains its text.
      if (record.data.stream !== 'main' || record.data.by === 'transport' || record.data.parts.length === 0)
        return undefined;
      return {
        ...assistantMessage(record.data.parts, place),
        interrupted: true,
        ...defined({ limit: record.data.limit }),
      };
    default:
      return undefined;
  }
}

interface Place {
  readonly position: Position;
  readonly at: Timestamp;
}

function userMessage(parts: readonly ContentPart[], place: Place): SessionMessage {
  // A file part has an artifact if the text part after it contains only the beginning of the file.
  const isCut = parts.some((part) => part.type === 'file' && part.artifact !== undefined);
  const last = parts.at(-1);
  const own = parts.length > 1 && last?.type === 'text' && isAnswerRequest(last.text) ? parts.slice(0, -1) : parts;
  return { role: 'user', ...textAndRest(own), parts, ...(isCut && { truncated: true }), ...place };
}

function assistantMessage(parts: readonly AnswerPart[], place: Place): SessionMessage & { readonly role: 'assistant' } {
  return { role: 'assistant', ...textAndRest(parts), parts, ...place };
}

function textAndRest(parts: readonly (ContentPart | AnswerPart)[]): Pick<SessionMessage, 'text' | 'omitted'> {
  const omitted = [...new Set(parts.flatMap(({ type }) => (type === 'text' ? [] : [type])))];
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { text, ...(omitted.length > 0 && { omitted }) };
}

/** Returns true if the answer stopped at a limit and not because the model had finished. */
export function stoppedAtLimit({ stop, truncated }: AnswerReceived): boolean {
  return stop === 'length' || stop === 'window' || truncated === 'yes';
}
