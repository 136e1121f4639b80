// A reply as server-sent events, in the order of §1.9: the message opens, blocks open, grow and close one after another,
// the message's last numbers are told, the message stops.

import type { AnswerBlock } from '../core/answer.ts';
import { openingOf } from './message.ts';
import type { MessageReply } from './message.ts';
import type { WireObject } from '../core/wire.ts';
import type { SseEvent } from '../core/sse.ts';
import { encodeEvent, chunks } from '../core/sse.ts';

/** All events of a reply. `size` is the number of characters in a delta. */
export function* eventsOf(reply: MessageReply, size: number): Generator<SseEvent> {
  yield event({ type: 'message_start', message: openingOf(reply) });
  for (const [index, block] of reply.answer.blocks.entries()) {
    yield event({ type: 'content_block_start', index, content_block: emptied(block) });
    if (index === 0) yield event({ type: 'ping' });
    for (const delta of deltasOf(block, size)) yield event({ type: 'content_block_delta', index, delta });
    yield event({ type: 'content_block_stop', index });
  }
  yield event({
    type: 'message_delta',
    delta: { stop_reason: reply.answer.stop, stop_sequence: null, stop_details: null, container: null },
    usage: deltaUsage(reply),
  });
  yield event({ type: 'message_stop' });
}

/** All events of a reply as bytes of the stream. */
export function* encodedEvents(reply: MessageReply, size: number): Generator<string> {
  for (const each of eventsOf(reply, size)) yield encodeEvent(each);
}

/** An event whose data is no JSON. */
export const MALFORMED_EVENT = 'event: content_block_delta\ndata: {"type":"content_block_de\n\n';

/** An error that comes after the 200. `request` is told in it: `req_…`. */
export function errorEventOf(type = 'overloaded_error', message = 'Overloaded', request: string): string {
  const data = JSON.stringify({ type: 'error', error: { type, message }, request_id: request });
  return encodeEvent({ event: 'error', data });
}

function event(data: WireObject & { readonly type: string }): SseEvent {
  return { event: data.type, data: JSON.stringify(data) };
}

function emptied(block: AnswerBlock): WireObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { ...block };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

function* deltasOf(block: AnswerBlock, size: number): Generator<WireObject> {
  switch (block.type) {
    case 'text':
      for (const text of chunks(block.text, size)) yield { type: 'text_delta', text };
      return;
    case 'thinking':
      for (const thinking of chunks(block.thinking, size)) yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: block.signature };
      return;
    case 'redacted_thinking':
      return;
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: '' };
      for (const text of chunks(block.arguments, size)) yield { type: 'input_json_delta', partial_json: text };
  }
}

function deltaUsage(reply: MessageReply): WireObject {
  const { usage } = reply;
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens,
    cache_read_input_tokens: usage.cache_read_input_tokens,
    output_tokens: usage.output_tokens,
    output_tokens_details: usage.output_tokens_details,
    server_tool_use: usage.server_tool_use,
  };
}
