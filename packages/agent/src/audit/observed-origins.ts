// Finds the record of an import that contains the same text, call or result as a block of an observed request.

import { createHash } from 'node:crypto';
import type { ContentPart, Position, Recorded } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { ObservedFields } from './observed-json.ts';

/** Records of an import by their content. */
export interface ObservedOrigins {
  /** Adds the content of a record. */
  note(record: Recorded): void;
  /** Returns the latest record with the content of a block, or `undefined` if no record has it. */
  find(content: ObservedFields): Position | undefined;
}

/** Creates an index without records. It keeps a short hash of each text, not the text. */
export function createObservedOrigins(): ObservedOrigins {
  const found = new Map<string, number>();
  return {
    note: (record) => {
      for (const key of keysOf(record)) found.set(key, record.position);
    },
    find: (content) => {
      const key = keyOf(content);
      const at = key === undefined ? undefined : found.get(key);
      return at === undefined ? undefined : position(at);
    },
  };
}

function keysOf(record: Recorded): readonly string[] {
  switch (record.kind) {
    case 'prompt.given':
      return textsOf(record.data.parts);
    case 'context.noted':
    case 'notification.received':
      return record.data.body === undefined ? [] : [textKey(record.data.body)];
    case 'answer.received':
    case 'answer.interrupted':
      return record.data.parts.flatMap((part) => {
        if (part.type === 'call') return [`call ${part.call}`];
        return part.type === 'text' ? [textKey(part.text)] : [];
      });
    case 'tool.returned':
    case 'tool.failed':
      return [`result ${record.data.call}`];
    case 'history.compacted':
      return [textKey(record.data.checkpoint)];
    default:
      return [];
  }
}

function textsOf(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [textKey(part.text)] : []));
}

function keyOf({ type, id, text, tool_use_id: call }: ObservedFields): string | undefined {
  if (type === 'tool_use' && typeof id === 'string') return `call ${id}`;
  if (type === 'tool_result' && typeof call === 'string') return `result ${call}`;
  return type === 'text' && typeof text === 'string' ? textKey(text) : undefined;
}

function textKey(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
