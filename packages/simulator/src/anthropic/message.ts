// Builds the provider's format of an answer: the finished message, its `usage`, and the events of a stream.

import { defined } from '@tidemark/core';
import { contentOf } from '../core/answer.ts';
import type { SimulatedAnswer, AnswerBlock } from '../core/answer.ts';
import type { MessageDiagnostics } from './diagnostics.ts';
import type { Transformation } from './thinking.ts';
import type { SimulatedUsage } from '../core/ledger.ts';
import type { WireObject } from '../core/wire.ts';
import type { CacheCounts } from './accounting.ts';
import type { WrongUsage } from '../core/faults.ts';
import type { SseEvent } from '../core/sse.ts';
import { encodeEvent, chunks } from '../core/sse.ts';

/** Data from which a response is built, streamed or not. */
export interface MessageReply {
  /** Message id: `msg_…`. */
  readonly id: string;
  readonly model: string;
  readonly answer: SimulatedAnswer;
  /** Usage as reported to the client. A `wrong-usage` fault can make it wrong. */
  readonly usage: SimulatedUsage;
  readonly diagnosis: MessageDiagnostics | null;
  /** Thinking blocks that were dropped. `undefined` if the request did not ask for this list with a beta header. */
  readonly transformations: readonly Transformation[] | undefined;
  /** Context edits that were applied. `undefined` if the request asked for none. */
  readonly edits: { readonly applied_edits: readonly [] } | undefined;
}

/** Returns the body of a response that is not streamed. */
export function messageOf(reply: MessageReply): WireObject {
  return {
    ...envelope(reply),
    content: reply.answer.blocks.map(contentOf),
    stop_reason: reply.answer.stop,
    stop_sequence: reply.answer.stopSequence ?? null,
    usage: reply.usage,
    ...defined({ context_management: reply.edits }),
  };
}

/**
 * Returns the message of the `message_start` event. It has no content, no stop reason, all input tokens, and at most
 * one output token.
 */
function openingOf(reply: MessageReply): WireObject {
  const begun = Math.min(1, reply.usage.output_tokens);
  return {
    ...envelope(reply),
    content: [],
    stop_reason: null,
    usage: { ...reply.usage, output_tokens: begun, output_tokens_details: null },
  };
}

function envelope(reply: MessageReply): WireObject {
  return defined({
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: reply.diagnosis,
    input_transformations: reply.transformations,
  });
}

/** Output tokens, thinking tokens, speed and region of an answer, as `usageOf` needs them. */
export interface OutputCounts {
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly speed: SimulatedUsage['speed'];
  readonly geo: string;
}

/**
 * Returns the `usage` of an answer from its input and output counts. The fields are exactly the fields in
 * provider-facts §1.4.
 */
export function usageOf(counts: CacheCounts, output: OutputCounts): SimulatedUsage {
  return {
    input_tokens: counts.fresh,
    cache_creation_input_tokens: counts.written5m + counts.written1h,
    cache_read_input_tokens: counts.read,
    cache_creation: {
      ephemeral_5m_input_tokens: counts.written5m,
      ephemeral_1h_input_tokens: counts.written1h,
    },
    output_tokens: output.outputTokens,
    output_tokens_details: output.thinkingTokens === 0 ? null : { thinking_tokens: output.thinkingTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: output.geo,
    speed: output.speed,
  };
}

/** Returns the total number of input tokens: the sum of the three input fields. */
export function totalInput(usage: SimulatedUsage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/**
 * Returns a copy of the usage with the numbers of a `wrong-usage` fault. They replace the true numbers. Without a
 * fault, the usage is unchanged.
 */
export function distort(usage: SimulatedUsage, wrong: WrongUsage | undefined): SimulatedUsage {
  return wrong === undefined ? usage : { ...usage, ...wrong };
}

/**
 * Yields all server-sent events of a reply in the order of provider-facts §1.9. The order is `message_start`, then the
 * start, the deltas and the stop of each block, then `message_delta` with the final usage, then `message_stop`. A
 * `ping` follows the start of the first block. `size` is the maximum number of characters in a delta.
 */
export function* eventsOf(reply: MessageReply, size: number): Generator<SseEvent> {
  yield event({ type: 'message_start', message: openingOf(reply) });
  for (const [index, block] of reply.answer.blocks.entries()) {
    yield event({ type: 'content_block_start', index, content_block: emptyBlock(block) });
    if (index === 0) yield event({ type: 'ping' });
    for (const delta of deltasOf(block, size)) yield event({ type: 'content_block_delta', index, delta });
    yield event({ type: 'content_block_stop', index });
  }
  yield event({
    type: 'message_delta',
    delta: {
      stop_reason: reply.answer.stop,
      stop_sequence: reply.answer.stopSequence ?? null,
      stop_details: null,
      container: null,
    },
    usage: deltaUsage(reply),
    ...defined({ context_management: reply.edits }),
  });
  yield event({ type: 'message_stop' });
}

/**
 * Yields all events of a reply as encoded text, ready to write to the stream. `size` is the maximum number of
 * characters in a delta.
 */
export function* encodedEvents(reply: MessageReply, size: number): Generator<string> {
  for (const each of eventsOf(reply, size)) yield encodeEvent(each);
}

/** Stream event whose data is not valid JSON. The fault `malformed-event` sends it. */
export const MALFORMED_EVENT = 'event: content_block_delta\ndata: {"type":"content_block_de\n\n';

/**
 * Returns the error event of a stream that fails after it has sent status 200. `request` is the request id in the
 * event: `req_…`.
 */
export function errorEventOf(type = 'overloaded_error', message = 'Overloaded', request: string): string {
  const data = JSON.stringify({ type: 'error', error: { type, message }, request_id: request });
  return encodeEvent({ event: 'error', data });
}

function event(data: WireObject & { readonly type: string }): SseEvent {
  return { event: data.type, data: JSON.stringify(data) };
}

function emptyBlock(block: AnswerBlock): WireObject {
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
