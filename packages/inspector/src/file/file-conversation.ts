// Conversation of a session for a file: the records that the page shows, with the fields that it shows.

import type { AnswerPart, ContentPart, Recorded } from '@tidemark/log';
import type { Json } from '@tidemark/core';

/** Returns the fields of a record that the page shows. Returns `undefined` for a record that it does not show. */
export function shownFields(record: Recorded): Json | undefined {
  switch (record.kind) {
    case 'prompt.given':
      return { parts: record.data.parts.map(contentFields) };
    case 'answer.received':
    case 'answer.interrupted': {
      const { stream, parts } = record.data;
      return stream === 'main' ? { stream, parts: parts.flatMap(answerFields) } : undefined;
    }
    case 'answer.failed':
      return { message: record.data.message };
    case 'tool.started':
    case 'tool.abandoned':
      return { call: record.data.call };
    case 'tool.returned':
    case 'tool.failed':
      return { call: record.data.call, parts: record.data.parts.map(contentFields) };
    case 'turn.ended':
      return { outcome: record.data.outcome };
    case 'turn.started':
    case 'turn.resumed':
    case 'history.compacted':
      return {};
    default:
      return undefined;
  }
}

function contentFields(part: ContentPart): Json {
  return part.type === 'text' ? { type: part.type, text: part.text } : { type: part.type };
}

function answerFields(part: AnswerPart): readonly Json[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text }];
    case 'call':
      return [{ type: part.type, call: part.call, name: part.name, arguments: part.arguments }];
    case 'native':
      return [];
  }
}
