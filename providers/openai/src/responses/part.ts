// An output item becomes a part of the answer. One item is one part, so that the order of arrival is the order of replay.

import type { AnswerPart } from '@tidemark/model';
import { OPENAI } from '../service.ts';
import type { WireItem } from './events.ts';

/** Whether a message holds a refusal. */
export function isRefusal(item: WireItem): boolean {
  return item.type === 'message' && recordsOf(item['content']).some(({ type }) => type === 'refusal');
}

/**
 * The part of a finished item; `raw` is the item's bytes. Reasoning and whatever is not text or a call are kept verbatim:
 * web searches and the like, and text with its citations.
 */
export function partOf(item: WireItem, raw: string): AnswerPart {
  switch (item.type) {
    case 'message':
      return messagePart(item, raw);
    case 'reasoning':
      return { type: 'reasoning', opaque: raw, text: reasoningText(item) };
    case 'function_call':
      return { type: 'call', ...calledIn(item), arguments: textOf(item, 'arguments') };
    default:
      return { type: 'native', provider: OPENAI.name, item: raw, text: `[${item.type}]` };
  }
}

/** Returns the id and the tool of a call. The id is empty where the item has none: who records the call names it then. */
export function calledIn(item: WireItem): { readonly call: string; readonly name: string } {
  return { call: textOf(item, 'call_id'), name: textOf(item, 'name') };
}

/** A text field; anything else is empty. */
function textOf(record: Readonly<Record<string, unknown>>, field: string): string {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  return typeof value === 'string' ? value : '';
}

function messagePart(item: WireItem, raw: string): AnswerPart {
  const contents = recordsOf(item['content']);
  const text = contents.map((one) => textOf(one, 'text') || textOf(one, 'refusal')).join('');
  const isCited = contents.some(({ annotations }) => Array.isArray(annotations) && annotations.length > 0);
  return isCited ? { type: 'native', provider: OPENAI.name, item: raw, text } : textIn(item, text);
}

/** Text of a message, with the phase that the message is of. */
export function textIn({ phase }: WireItem, text: string): AnswerPart {
  return { type: 'text', text, ...(typeof phase === 'string' && { phase }) };
}

function reasoningText(item: WireItem): string {
  const summary = recordsOf(item['summary']).map((one) => textOf(one, 'text'));
  const said = summary.length > 0 ? summary : recordsOf(item['content']).map((one) => textOf(one, 'text'));
  return said.join('\n\n');
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
}
