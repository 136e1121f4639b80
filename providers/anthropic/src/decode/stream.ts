// Turns an answer of Anthropic into stream parts. The input is a stream of server-sent events. If the call or a proxy
// does not stream, the input is one whole message. The events come in the order of provider facts 1.9. Unknown events
// are ignored.

import { defined, rawElements, rawMember } from '@tidemark/core';
import type { Answer, AnswerPart, Diagnosis, ProviderError, StreamPart } from '@tidemark/model';
import { parseJson } from '@tidemark/model';
import type { AnswerDecoder } from '@tidemark/provider-wire';
import {
  cut,
  malformed,
  parseJson as parseReceived,
  readAs,
  requireFewParts,
  wholeAsStream,
} from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import type { OpenBlock } from './answer.ts';
import {
  closeBlock,
  decodeDiagnosis,
  decodeInputUsage,
  decodeStop,
  decodeUsage,
  growBlock,
  liveDelta,
  mergeUsage,
  openBlock,
} from './answer.ts';
import type { MessageEventType, MessageEvents, MessageUsage, WholeMessage } from './events.ts';
import { isReadEvent, readCount, readEvent, readMessage } from './events.ts';
import { sortFailure } from './failure.ts';

/** Decodes answers of the Messages API, streamed or whole. */
export const messageDecoder: AnswerDecoder = {
  begin() {
    let arrived = NOTHING;
    return {
      finished: () => arrived.finished,
      take(data) {
        const step = decodeEvent(arrived, data);
        arrived = step.arrived;
        return step.says;
      },
      end() {
        requireFinished(arrived);
        return [];
      },
    };
  },
  whole(text) {
    const answer = decodeMessage(text);
    return wholeAsStream(answer, answer.usage);
  },
};

/**
 * Decodes the text of a whole message to an answer.
 *
 * @throws ProviderError `provider/malformed` when the text is not a message.
 */
export function decodeMessage(text: string): Answer {
  const message = readWhole(text);
  const raws = rawElements(rawMember(text, 'content') ?? '[]');
  const { id, model } = message;
  return {
    parts: message.content.map((block, index) => withRaw(closeBlock(openBlock(block)), raws[index])),
    ...decodeStop(message.stop_reason),
    ...(typeof id === 'string' && { response: id }),
    ...(typeof model === 'string' && { model }),
    usage: decodeUsage(message.usage ?? {}),
    ...decodeDiagnosis(message.diagnostics),
  };
}

function withRaw(part: AnswerPart, raw: string | undefined): AnswerPart {
  if (raw === undefined) return part;
  switch (part.type) {
    case 'text':
      return part;
    case 'reasoning':
      return { ...part, opaque: raw };
    case 'call':
      return { ...part, arguments: rawMember(raw, 'input') ?? part.arguments };
    case 'native':
      return { ...part, item: raw };
  }
}

function readWhole(text: string): WholeMessage {
  try {
    const value = parseJson(text);
    return readMessage(value);
  } catch (cause) {
    throw malformed(ANTHROPIC, 'an answer that is not a message', cause);
  }
}

/**
 * Returns the number of tokens in an answer of the count endpoint.
 *
 * @throws ProviderError `provider/malformed` when the text is not a token count.
 */
export function decodeCount(text: string): number {
  try {
    const value = parseJson(text);
    return readCount(value);
  } catch (cause) {
    throw malformed(ANTHROPIC, 'an answer that is not a token count', cause);
  }
}

/** The state of one streamed answer: all data that has arrived so far. */
export interface MessageStreamState {
  readonly response?: string;
  readonly model?: string;
  readonly usage: MessageUsage;
  readonly diagnosis?: Diagnosis;
  readonly open: ReadonlyMap<number, OpenBlock>;
  readonly parts: readonly AnswerPart[];
  readonly stop?: string;
  readonly finished: boolean;
}

interface MessageStreamStep {
  readonly arrived: MessageStreamState;
  readonly says: readonly StreamPart[];
}

/** State of a stream before its first event. */
export const NOTHING: MessageStreamState = { usage: {}, open: new Map(), parts: [], finished: false };

/**
 * Applies one event of the stream. `data` is the text of the event.
 *
 * @throws ProviderError `provider/malformed` for an event without its documented shape, or the error that an `error`
 *   event describes.
 */
export function decodeEvent(arrived: MessageStreamState, data: string): MessageStreamStep {
  const event = parseReceived(ANTHROPIC, data);
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  if (arrived.finished || typeof type !== 'string' || !isReadEvent(type)) return { arrived, says: [] };
  return take(type, arrived, event);
}

/**
 * Checks that the answer is complete.
 *
 * @throws ProviderError `provider/cut` when the stream ended before `message_stop`.
 */
export function requireFinished(arrived: MessageStreamState): void {
  if (!arrived.finished) throw cut(ANTHROPIC);
}

function take(type: MessageEventType, arrived: MessageStreamState, event: unknown): MessageStreamStep {
  switch (type) {
    case 'message_start':
      return startMessage(arrived, read(type, event));
    case 'content_block_start':
      return startBlock(arrived, read(type, event));
    case 'content_block_delta':
      return addDelta(arrived, read(type, event));
    case 'content_block_stop':
      return endBlock(arrived, read(type, event));
    case 'message_delta':
      return takeStop(arrived, read(type, event));
    case 'message_stop':
      return finishMessage(arrived);
    case 'error':
      throw eventError(read(type, event));
  }
}

function startMessage(arrived: MessageStreamState, { message }: MessageEvents['message_start']): MessageStreamStep {
  const { id, model, diagnostics } = message;
  const named = { ...(typeof id === 'string' && { response: id }), ...(typeof model === 'string' && { model }) };
  const usage = mergeUsage(arrived.usage, message.usage);
  const began: StreamPart = { type: 'began', ...named, usage: decodeInputUsage(usage) };
  return { arrived: { ...arrived, ...named, usage, ...decodeDiagnosis(diagnostics) }, says: [began] };
}

function startBlock(arrived: MessageStreamState, event: MessageEvents['content_block_start']): MessageStreamStep {
  const { index } = event;
  requireFewParts(ANTHROPIC, arrived.open.size + arrived.parts.length + 1);
  const block = openBlock(event.content_block);
  const part = closeBlock(block);
  const says: readonly StreamPart[] =
    part.type === 'call' ? [{ type: 'call.began', index, call: part.call, name: part.name }] : [];
  return { arrived: withOpen(arrived, index, block), says };
}

function addDelta(
  arrived: MessageStreamState,
  { index, delta }: MessageEvents['content_block_delta'],
): MessageStreamStep {
  const block = openAt(arrived, index);
  const live = liveDelta(index, block, delta);
  return { arrived: withOpen(arrived, index, growBlock(block, delta)), says: live === undefined ? [] : [live] };
}

function endBlock(arrived: MessageStreamState, { index }: MessageEvents['content_block_stop']): MessageStreamStep {
  const part = closeBlock(openAt(arrived, index));
  const open = new Map([...arrived.open].filter(([other]) => other !== index));
  return { arrived: { ...arrived, open, parts: [...arrived.parts, part] }, says: [{ type: 'part', index, part }] };
}

function takeStop(arrived: MessageStreamState, { delta, usage }: MessageEvents['message_delta']): MessageStreamStep {
  const stop = delta?.stop_reason;
  const next = { ...arrived, usage: mergeUsage(arrived.usage, usage) };
  return { arrived: typeof stop === 'string' ? { ...next, stop } : next, says: [] };
}

function finishMessage(arrived: MessageStreamState): MessageStreamStep {
  if (arrived.open.size > 0) throw malformed(ANTHROPIC, 'the answer ended inside a block');
  const { response, model, parts, usage, diagnosis } = arrived;
  const named = defined({ response, model });
  const last = defined({ usage: decodeUsage(usage), diagnosis });
  const answer = { parts, ...decodeStop(arrived.stop), ...named, ...last };
  return { arrived: { ...arrived, finished: true }, says: [{ type: 'finished', answer }] };
}

function eventError({ error, request_id }: MessageEvents['error']): ProviderError {
  return sortFailure({
    message: error?.message ?? 'an error event without a message',
    ...(typeof error?.type === 'string' && { type: error.type }),
    ...(typeof request_id === 'string' && { request: request_id }),
  });
}

function read<T extends MessageEventType>(type: T, event: unknown): MessageEvents[T] {
  return readAs(ANTHROPIC, `an event "${type}"`, () => readEvent(type, event));
}

function withOpen(arrived: MessageStreamState, index: number, block: OpenBlock): MessageStreamState {
  return { ...arrived, open: new Map([...arrived.open, [index, block]]) };
}

function openAt(arrived: MessageStreamState, index: number): OpenBlock {
  const block = arrived.open.get(index);
  if (block === undefined) throw malformed(ANTHROPIC, `an event for block ${index}, which is not open`);
  return block;
}
