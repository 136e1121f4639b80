// The content blocks of an assistant row as parts of an answer, verbatim where the model wrote them.

import type { AnswerPart, CallId, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { isObject, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Slice } from '../file/raw-json.ts';
import { rawField, rawItems, rawPath } from '../file/raw-json.ts';

/** The provider that all rows of Claude Code are from. */
export const ANTHROPIC = 'anthropic';

/** A part, and the raw text of the block it was made from. */
export interface RawPart {
  readonly part: AnswerPart<CallId>;
  readonly raw: string;
}

/** The parts of a row, in order; `text` is the raw text of the row. */
export function claudeParts(content: Json | undefined, text: string): readonly RawPart[] {
  if (typeof content === 'string') return [{ part: { type: 'text', text: content }, raw: content }];
  const at = rawPath(text, 'message', 'content');
  const slices = at === undefined ? [] : rawItems(text, at.start);
  return listOf(content).map((block, index) => {
    const slice = slices[index];
    const raw = slice === undefined ? JSON.stringify(block) : text.slice(slice.start, slice.end);
    return { part: partOf(objectOf(block), raw, text, slice), raw };
  });
}

function partOf(block: JsonObject, raw: string, text: string, slice: Slice | undefined): AnswerPart<CallId> {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: textOf(block['text']) ?? '' };
    case 'thinking': {
      const thinking = textOf(block['thinking']) ?? '';
      const signed = nameOf(block['signature']) !== undefined;
      return { type: 'reasoning', ...(signed ? { opaque: raw } : {}), text: thinking };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', opaque: raw, text: '' };
    case 'tool_use':
      return callOf(block, text, slice) ?? native(block, raw);
    default:
      return native(block, raw);
  }
}

/** Items of tools that the provider runs itself: it takes them back as they are. */
const SERVED = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/;

/** Who wrote what no provider would take back: kept, and told by its text alone. */
const UNKNOWN = 'unknown';

function native(block: JsonObject, raw: string): AnswerPart<CallId> {
  const type = textOf(block['type']) ?? '';
  const isCall = nameOf(block['id']) !== undefined && nameOf(block['name']) !== undefined && isObject(block['input']);
  const isTaken = SERVED.test(type) && (isCall || type.endsWith('_result'));
  return { type: 'native', provider: isTaken ? ANTHROPIC : UNKNOWN, item: raw, text: textOf(block['text']) ?? '' };
}

function callOf(block: JsonObject, text: string, slice: Slice | undefined): AnswerPart<CallId> | undefined {
  const id = nameOf(block['id']);
  const name = nameOf(block['name']);
  if (id === undefined || name === undefined) return undefined;
  const at = slice === undefined ? undefined : rawField(text, slice.start, 'input');
  const raw = at === undefined ? JSON.stringify(block['input'] ?? {}) : text.slice(at.start, at.end);
  return { type: 'call', call: callId(id), name, arguments: raw };
}
