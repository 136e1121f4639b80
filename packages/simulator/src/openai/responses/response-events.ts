// A response as server-sent events, in the order of §2.6: the response is created, items are added, grow and are done one
// after another, the response is completed or incomplete. Every event carries its number.

import { chunks, encodeEvent } from '../../core/sse.ts';
import { isList, isObject, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { isCut } from '../format/output.ts';
import { failedResponse, openingResponse, responseOf } from './response.ts';
import type { ResponsesReply } from './response.ts';

type Loose = WireObject & { readonly type: string };

/** All events of a response as bytes of the stream. `size` is the number of characters in a delta. */
export function* responseEvents(reply: ResponsesReply, size: number): Generator<string> {
  let number = 0;
  for (const event of looseEvents(reply, size)) yield numbered(event, number++);
}

/** An error that comes after the 200, as a top-level event. `number` is that of the event. */
export function errorEvent(number: number, code: string, message: string): string {
  return numbered({ type: 'error', code, message, param: null }, number);
}

/** An error that comes after the 200, as the end of the response. */
export function failedEvent(reply: ResponsesReply, number: number, code: string, message: string): string {
  return numbered({ type: 'response.failed', response: failedResponse(reply, code, message) }, number);
}

/** An event whose data is no JSON. */
export const MALFORMED_RESPONSE_EVENT = 'event: response.output_text.delta\ndata: {"type":"response.output_text.de\n\n';

function numbered({ type, ...rest }: Loose, number: number): string {
  return encodeEvent({ event: type, data: JSON.stringify({ type, sequence_number: number, ...rest }) });
}

function* looseEvents(reply: ResponsesReply, size: number): Generator<Loose> {
  yield { type: 'response.created', response: openingResponse(reply) };
  yield { type: 'response.in_progress', response: openingResponse(reply) };
  for (const [index, { item }] of reply.items.entries()) {
    yield { type: 'response.output_item.added', output_index: index, item: opened(item) };
    yield* growth(item, { item_id: item['id'], output_index: index }, size);
    yield { type: 'response.output_item.done', output_index: index, item };
  }
  const type = isCut(reply.answer) ? 'response.incomplete' : 'response.completed';
  yield { type, response: responseOf(reply) };
}

/** The item before anything of it was said. What is sealed may be incomplete by then (§2.4), and here it is. */
function opened(item: WireObject): WireObject {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    default:
      return 'encrypted_content' in item
        ? { ...item, summary: [], encrypted_content: textOf(item['encrypted_content']).slice(0, 24) }
        : { ...item, summary: [] };
  }
}

interface ItemPlace {
  readonly item_id: unknown;
  readonly output_index: number;
}

function growth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  if (item['type'] === 'message') return messageGrowth(item, place, size);
  return item['type'] === 'function_call' ? callGrowth(item, place, size) : reasoningGrowth(item, place, size);
}

function* messageGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  for (const [index, part] of partsOf(item['content']).entries()) {
    const at = { ...place, content_index: index };
    const refused = part['type'] === 'refusal';
    const said = textOf(refused ? part['refusal'] : part['text']);
    const name = refused ? 'response.refusal' : 'response.output_text';
    const empty = refused ? { type: 'refusal', refusal: '' } : { ...part, text: '' };
    const beside = refused ? {} : { logprobs: [] };
    yield { type: 'response.content_part.added', ...at, part: empty };
    for (const delta of chunks(said, size)) yield { type: `${name}.delta`, ...at, delta, ...beside };
    yield { type: `${name}.done`, ...at, ...(refused ? { refusal: said } : { text: said }), ...beside };
    yield { type: 'response.content_part.done', ...at, part };
  }
}

function* callGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  const type = 'response.function_call_arguments';
  const words = textOf(item['arguments']);
  for (const delta of chunks(words, size)) yield { type: `${type}.delta`, ...place, delta };
  yield { type: `${type}.done`, ...place, arguments: words, name: item['name'] };
}

function* reasoningGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  for (const [index, part] of partsOf(item['summary']).entries()) {
    const at = { ...place, summary_index: index };
    const text = textOf(part['text']);
    yield { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } };
    for (const delta of chunks(text, size)) yield { type: 'response.reasoning_summary_text.delta', ...at, delta };
    yield { type: 'response.reasoning_summary_text.done', ...at, text };
    yield { type: 'response.reasoning_summary_part.done', ...at, part };
  }
}

function partsOf(parts: unknown): readonly WireObject[] {
  return isList(parts) ? parts.filter(isObject) : [];
}
