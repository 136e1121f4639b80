// Writes a chat completion, whole and in chunks. A router adds two things: the reasoning text, which OpenAI itself
// hides, and a comment before the first chunk. A router also reports the usage in every stream (provider-facts §3).

import type { SimulatedAnswer } from '../../core/answer.ts';
import { chunks } from '../../core/sse.ts';
import { objectAt } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { isCut, servedTier } from '../format/output.ts';
import type { OpenAIRequest } from '../format/prompt.ts';
import type { TokenCounts } from '../../core/ledger.ts';

/** Data from which a chat completion is built, streamed or not. */
export interface ChatReply {
  /** Completion id: `chatcmpl-…`, or `gen-…` from a router. */
  readonly id: string;
  readonly request: OpenAIRequest;
  readonly answer: SimulatedAnswer;
  readonly counts: TokenCounts;
  /** Time of creation, in seconds since the epoch. */
  readonly createdAt: number;
}

/** Returns the body of a completion that is not streamed. */
export function completionOf(reply: ChatReply): WireObject {
  return {
    ...envelope(reply, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(reply), logprobs: null, finish_reason: finishOf(reply.answer) }],
    usage: usageOf(reply),
  };
}

/**
 * Yields all chunks of a completion as encoded text, ready to write to the stream. `size` is the maximum number of
 * characters in a delta.
 */
export function* completionChunks(reply: ChatReply, size: number): Generator<string> {
  const routed = reply.request.wire === 'router';
  if (routed) yield ': OPENROUTER PROCESSING\n\n';
  const reportsUsage = routed || objectAt(reply.request.fields, 'stream_options')['include_usage'] === true;
  const noUsage = reportsUsage && !routed ? { usage: null } : {};
  const head = envelope(reply, 'chat.completion.chunk');
  const chunk = (delta: WireObject, finish: string | null): string =>
    encode({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...noUsage });
  yield chunk({ role: 'assistant', content: '', ...(routed ? {} : { refusal: null }) }, null);
  for (const delta of deltasOf(reply, size)) yield chunk(delta, null);
  yield chunk({}, finishOf(reply.answer));
  if (reportsUsage) yield encode({ ...head, choices: [], usage: usageOf(reply) });
  yield 'data: [DONE]\n\n';
}

/** Returns the error event of a stream that fails after it has sent status 200. */
export function chatErrorEvent(code: string, message: string): string {
  return encode({ error: { message, type: 'server_error', param: null, code } });
}

/** Stream event whose data is not valid JSON. */
export const MALFORMED_CHUNK = 'data: {"id":"chatcmpl-sim","object":"chat.completion.ch\n\n';

function encode(data: WireObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function envelope({ id, request, createdAt }: ChatReply, object: string): WireObject {
  const own = { id, object, created: createdAt, model: request.model };
  if (request.wire === 'router') return { ...own, provider: request.capabilities.provider };
  return { ...own, service_tier: servedTier(request.fields), system_fingerprint: null };
}

function usageOf({ request, counts }: ChatReply): WireObject {
  return chatUsage(counts, request.rules.kind === 'unknown');
}

function finishOf(answer: SimulatedAnswer): string {
  if (isCut(answer)) return 'length';
  if (answer.stop === 'refusal') return 'content_filter';
  return answer.blocks.some((block) => block.type === 'tool_use') ? 'tool_calls' : 'stop';
}

function messageOf({ answer, request }: ChatReply): WireObject {
  const text = textsOf(answer, 'text');
  const thought = shownThinking(answer, request);
  const calls = callsOf(answer);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(request.wire === 'router' ? { reasoning: thought === '' ? null : thought } : { annotations: [] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Returns the reasoning text that a router shows: none if the request hides reasoning. */
function shownThinking(answer: SimulatedAnswer, { fields }: OpenAIRequest): string {
  const isHidden = fields['include_reasoning'] === false || objectAt(fields, 'reasoning')['exclude'] === true;
  return isHidden ? '' : textsOf(answer, 'thinking');
}

function textsOf({ blocks }: SimulatedAnswer, type: 'text' | 'thinking'): string {
  const texts = blocks.map((block) => {
    if (block.type !== type) return '';
    return block.type === 'text' ? block.text : block.thinking;
  });
  return texts.filter((text) => text !== '').join('\n\n');
}

function callsOf({ blocks }: SimulatedAnswer): readonly WireObject[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, type: 'function', function: { name: block.name, arguments: block.arguments } }]
      : [],
  );
}

function* deltasOf({ answer, request }: ChatReply, size: number): Generator<WireObject> {
  if (request.wire === 'router') {
    for (const reasoning of chunks(shownThinking(answer, request), size)) yield { reasoning, content: '' };
  }
  for (const content of chunks(textsOf(answer, 'text'), size)) yield { content };
  let index = 0;
  for (const block of answer.blocks) {
    if (block.type !== 'tool_use') continue;
    const opening = { name: block.name, arguments: '' };
    yield { tool_calls: [{ index, id: block.id, type: 'function', function: opening }] };
    for (const words of chunks(block.arguments, size))
      yield { tool_calls: [{ index, function: { arguments: words } }] };
    index += 1;
  }
}

/**
 * Returns the `usage` of a chat completion. With `silent`, `usage` has no cache details, because the cache of the
 * provider that the router calls is unknown.
 */
export function chatUsage(counts: TokenCounts, silent: boolean): WireObject {
  const { input, read, writtenShort, writtenLong, output, reasoning } = counts;
  const details = { cached_tokens: read, cache_write_tokens: writtenShort + writtenLong, audio_tokens: 0 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(silent ? {} : { prompt_tokens_details: details }),
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}
