// Anthropic's server-sent events become stream parts. The order is that of provider facts 1.9; unknown events pass.

import type { AnswerPart, Diagnosis, ProviderError, StreamPart } from '@tidemark/model';
import { cut, malformed, parseJson, readAs, requireFewParts } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import type { OpenBlock } from './answer.ts';
import { closeBlock, decodeDiagnosis, decodeStop, growBlock, liveDelta, openBlock } from './answer.ts';
import type { MessageEvents, MessageEventType, MessageUsage } from './events.ts';
import { isReadEvent, readEvent } from './events.ts';
import { sortFailure } from './failure.ts';
import { decodeInputUsage, decodeUsage, mergeUsage } from './usage.ts';

/** What has arrived of one answer. */
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

/** One step: what has arrived by now, and the stream parts of the event. */
interface MessageStreamStep {
  readonly arrived: MessageStreamState;
  readonly says: readonly StreamPart[];
}

/** Nothing has arrived. */
export const NOTHING: MessageStreamState = { usage: {}, open: new Map(), parts: [], finished: false };

/**
 * Takes one event, `data` being its text.
 *
 * @throws ProviderError `provider/malformed` for an event without its documented shape; what an `error` event says.
 */
export function decodeEvent(arrived: MessageStreamState, data: string): MessageStreamStep {
  const event = parseJson(ANTHROPIC, data);
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  if (arrived.finished || typeof type !== 'string' || !isReadEvent(type)) return { arrived, says: [] };
  return take(type, arrived, event);
}

/** @throws ProviderError `provider/cut` when the stream ended before `message_stop`. */
export function requireFinished(arrived: MessageStreamState): void {
  if (!arrived.finished) throw cut(ANTHROPIC);
}

function take(type: MessageEventType, arrived: MessageStreamState, event: unknown): MessageStreamStep {
  switch (type) {
    case 'message_start':
      return started(arrived, read(type, event));
    case 'content_block_start':
      return opened(arrived, read(type, event));
    case 'content_block_delta':
      return grown(arrived, read(type, event));
    case 'content_block_stop':
      return closed(arrived, read(type, event));
    case 'message_delta':
      return told(arrived, read(type, event));
    case 'message_stop':
      return finished(arrived);
    case 'error':
      throw failed(read(type, event));
  }
}

function started(arrived: MessageStreamState, { message }: MessageEvents['message_start']): MessageStreamStep {
  const { id, model, diagnostics } = message;
  const named = { ...(typeof id === 'string' && { response: id }), ...(typeof model === 'string' && { model }) };
  const usage = mergeUsage(arrived.usage, message.usage);
  const began: StreamPart = { type: 'began', ...named, usage: decodeInputUsage(usage) };
  return { arrived: { ...arrived, ...named, usage, ...decodeDiagnosis(diagnostics) }, says: [began] };
}

function opened(arrived: MessageStreamState, event: MessageEvents['content_block_start']): MessageStreamStep {
  const { index } = event;
  requireFewParts(ANTHROPIC, arrived.open.size + arrived.parts.length + 1);
  const block = openBlock(event.content_block);
  const part = closeBlock(block);
  const says: readonly StreamPart[] =
    part.type === 'call' ? [{ type: 'call.began', index, call: part.call, name: part.name }] : [];
  return { arrived: withOpen(arrived, index, block), says };
}

function grown(arrived: MessageStreamState, { index, delta }: MessageEvents['content_block_delta']): MessageStreamStep {
  const block = openAt(arrived, index);
  const live = liveDelta(index, block, delta);
  return { arrived: withOpen(arrived, index, growBlock(block, delta)), says: live === undefined ? [] : [live] };
}

function closed(arrived: MessageStreamState, { index }: MessageEvents['content_block_stop']): MessageStreamStep {
  const part = closeBlock(openAt(arrived, index));
  const open = new Map([...arrived.open].filter(([other]) => other !== index));
  return { arrived: { ...arrived, open, parts: [...arrived.parts, part] }, says: [{ type: 'part', index, part }] };
}

function told(arrived: MessageStreamState, { delta, usage }: MessageEvents['message_delta']): MessageStreamStep {
  const stop = delta?.stop_reason;
  const next = { ...arrived, usage: mergeUsage(arrived.usage, usage) };
  return { arrived: typeof stop === 'string' ? { ...next, stop } : next, says: [] };
}

function finished(arrived: MessageStreamState): MessageStreamStep {
  if (arrived.open.size > 0) throw malformed(ANTHROPIC, 'the answer ended inside a block');
  const { response, model, parts, usage, diagnosis } = arrived;
  const named = { ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
  const last = { usage: decodeUsage(usage), ...(diagnosis !== undefined && { diagnosis }) };
  const answer = { parts, ...decodeStop(arrived.stop), ...named, ...last };
  return { arrived: { ...arrived, finished: true }, says: [{ type: 'finished', answer }] };
}

function failed({ error, request_id }: MessageEvents['error']): ProviderError {
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
  if (block === undefined) throw malformed(ANTHROPIC, `an event came for block ${index}, which is not open`);
  return block;
}
