// Turns server-sent events of the Responses API into stream parts. The events come in the order of provider-facts §2.6.
// Unknown events are ignored. The final form of an item comes from its `output_item.done` event. The deltas before that
// event are only for live display.

import { rawMember } from '@tidemark/core';
import type { AnswerPart, StreamPart } from '@tidemark/model';
import type { Decoding } from '@tidemark/provider-wire';
import { cut, malformed, parseJson, readAs, requireFewParts } from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';
import { answerOf, calledIn, failureOf, isRefusal, partOf, textIn } from './answer.ts';
import type { ResponseEvents, ResponseEventType, WireItem, WireResponse } from './events.ts';
import { isReadEvent, readEvent } from './events.ts';

/**
 * An item that has begun. `index` is the number of the item's part, and `grown` is the text that has arrived since the
 * item began.
 */
interface OpenItem {
  readonly index: number;
  readonly item: WireItem;
  readonly grown: string;
}

interface ResponseStreamState {
  readonly began: boolean;
  readonly items: number;
  readonly open: ReadonlyMap<number, OpenItem>;
  readonly parts: readonly AnswerPart[];
  readonly refused: boolean;
  readonly finished: boolean;
}

interface ResponseStreamStep {
  readonly arrived: ResponseStreamState;
  readonly says: readonly StreamPart[];
}

const NOTHING: ResponseStreamState = {
  began: false,
  items: 0,
  open: new Map(),
  parts: [],
  refused: false,
  finished: false,
};

/** Begins to decode one streamed answer. */
export function beginResponse(): Decoding {
  let arrived = NOTHING;
  return {
    finished: () => arrived.finished,
    take(data) {
      if (arrived.finished) return [];
      const event = parseJson(OPENAI, data);
      const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
      if (typeof type !== 'string' || !isReadEvent(type)) return [];
      const step = withBeginning(arrived, take(type, arrived, event, data));
      arrived = step.arrived;
      return step.says;
    },
    end() {
      if (!arrived.finished) throw cut(OPENAI);
      return [];
    },
  };
}

/** Adds a `began` part before the first stream part if the server did not send `response.created`. */
function withBeginning(before: ResponseStreamState, step: ResponseStreamStep): ResponseStreamStep {
  const isFirst = !before.began && step.says.length > 0 && step.says[0]?.type !== 'began';
  if (!isFirst) return step;
  return { arrived: { ...step.arrived, began: true }, says: [{ type: 'began', usage: {} }, ...step.says] };
}

function take(type: ResponseEventType, arrived: ResponseStreamState, event: unknown, data: string): ResponseStreamStep {
  switch (type) {
    case 'response.created':
      return startResponse(arrived, read(type, event).response);
    case 'response.output_item.added':
      return openItem(arrived, read(type, event));
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return addDelta(arrived, read(type, event), 'text.delta');
    case 'response.reasoning_summary_part.added':
      return separateParagraph(arrived, read(type, event));
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return addDelta(arrived, read(type, event), 'reasoning.delta');
    case 'response.function_call_arguments.delta':
      return addDelta(arrived, read(type, event), 'call.delta');
    case 'response.output_item.done':
      return closeItem(arrived, read(type, event), rawMember(data, 'item'));
    case 'response.completed':
      return finishResponse(arrived, { status: 'completed', ...read(type, event).response });
    case 'response.incomplete':
      return finishResponse(closeAll(arrived), { status: 'incomplete', ...read(type, event).response });
    case 'response.failed':
      throw responseError(read(type, event).response);
    case 'error':
      throw eventError(read(type, event));
  }
}

function startResponse(arrived: ResponseStreamState, { id, model }: WireResponse): ResponseStreamStep {
  const named = { ...(typeof id === 'string' && { response: id }), ...(typeof model === 'string' && { model }) };
  return { arrived: { ...arrived, began: true }, says: [{ type: 'began', ...named, usage: {} }] };
}

function openItem(
  arrived: ResponseStreamState,
  { output_index, item }: ResponseEvents['response.output_item.added'],
): ResponseStreamStep {
  const index = arrived.items;
  requireFewParts(OPENAI, index + 1);
  const open = new Map([...arrived.open, [output_index, { index, item, grown: '' }]]);
  const says: readonly StreamPart[] =
    item.type === 'function_call' ? [{ type: 'call.began', index, ...calledIn(item) }] : [];
  return { arrived: { ...arrived, items: index + 1, open }, says };
}

type DeltaType = 'text.delta' | 'reasoning.delta' | 'call.delta';

function addDelta(
  arrived: ResponseStreamState,
  { output_index, delta }: { readonly output_index: number; readonly delta: string },
  type: DeltaType,
): ResponseStreamStep {
  const before = openAt(arrived, output_index);
  const open = new Map([...arrived.open, [output_index, { ...before, grown: before.grown + delta }]]);
  const { index } = before;
  if (delta === '') return { arrived, says: [] };
  const part: StreamPart = type === 'call.delta' ? { type, index, arguments: delta } : { type, index, text: delta };
  return { arrived: { ...arrived, open }, says: [part] };
}

/** Inserts an empty line between two parts of a reasoning summary, because each part is a paragraph. */
function separateParagraph(
  arrived: ResponseStreamState,
  event: ResponseEvents['response.reasoning_summary_part.added'],
): ResponseStreamStep {
  if (event.summary_index === 0) return { arrived, says: [] };
  return addDelta(arrived, { output_index: event.output_index, delta: '\n\n' }, 'reasoning.delta');
}

function closeItem(
  arrived: ResponseStreamState,
  { output_index, item }: ResponseEvents['response.output_item.done'],
  raw: string | undefined,
): ResponseStreamStep {
  const { index } = openAt(arrived, output_index);
  const part = partOf(item, raw ?? JSON.stringify(item));
  const open = new Map([...arrived.open].filter(([other]) => other !== output_index));
  const refused = arrived.refused || isRefusal(item);
  return {
    arrived: { ...arrived, open, refused, parts: [...arrived.parts, part] },
    says: [{ type: 'part', index, part }],
  };
}

/**
 * Closes all open items of an incomplete answer with the data that has arrived. Reasoning that was cut cannot be sent
 * again. So only its text is kept.
 */
function closeAll(arrived: ResponseStreamState): ResponseStreamState {
  const parts = [...arrived.open.values()].flatMap(({ item, grown: text }): readonly AnswerPart[] => {
    if (item.type === 'message') return [textIn(item, text)];
    if (item.type === 'reasoning') return [{ type: 'reasoning', text }];
    return item.type === 'function_call' ? [partOf({ ...item, arguments: text }, '')] : [];
  });
  return { ...arrived, open: new Map(), parts: [...arrived.parts, ...parts] };
}

function finishResponse(arrived: ResponseStreamState, response: WireResponse): ResponseStreamStep {
  if (arrived.open.size > 0) throw malformed(OPENAI, 'the answer ended inside an item');
  const answer = answerOf(arrived.parts, response, arrived.refused);
  return { arrived: { ...arrived, finished: true }, says: [{ type: 'finished', answer }] };
}

function responseError({ error, id }: WireResponse): Error {
  return failureOf(error, { response: id });
}

function eventError(event: ResponseEvents['error']): Error {
  return failureOf(event.error ?? event, event);
}

function read<T extends ResponseEventType>(type: T, event: unknown): ResponseEvents[T] {
  return readAs(OPENAI, `an event "${type}"`, () => readEvent(type, event));
}

function openAt(arrived: ResponseStreamState, output: number): OpenItem {
  const open = arrived.open.get(output);
  if (open === undefined) throw malformed(OPENAI, `an event for item ${output}, which is not open`);
  return open;
}
