// Decodes the elements of an answer: content blocks (their start, deltas and end), stop reasons, token usage, and the
// diagnosis of a cache miss.

import { defined } from '@tidemark/core';
import type { Answer, AnswerPart, CacheWrite, StopReason, StreamPart, Usage } from '@tidemark/model';
import { ANTHROPIC } from '../service.ts';
import type { MessageUsage, MessageWireDiagnostics, WireBlock, WireDelta } from './events.ts';

/**
 * Content block that has begun and is not complete. `json` is the raw JSON text of the block's input that has arrived
 * so far.
 */
export interface OpenBlock {
  readonly block: WireBlock;
  readonly json: string;
  readonly citations: readonly unknown[];
}

/** Returns an open block that contains only the data of its start event. */
export function openBlock(block: WireBlock): OpenBlock {
  return { block, json: '', citations: [] };
}

/** Returns the block with one more delta added. A delta of an unknown type changes nothing. */
export function growBlock(open: OpenBlock, delta: WireDelta): OpenBlock {
  switch (delta.type) {
    case 'text_delta':
      return withText(open, 'text', delta.text);
    case 'thinking_delta':
      return withText(open, 'thinking', delta.thinking);
    case 'signature_delta':
      return withText(open, 'signature', delta.signature);
    case 'compaction_delta':
      return withText(open, 'content', delta.content);
    case 'input_json_delta':
      return { ...open, json: open.json + (delta.partial_json ?? '') };
    case 'citations_delta':
      return { ...open, citations: [...open.citations, delta.citation] };
    default:
      return open;
  }
}

/**
 * Returns a stream part that shows the text of a delta while it arrives. Returns `undefined` if the delta has no text.
 */
export function liveDelta(index: number, open: OpenBlock, delta: WireDelta): StreamPart | undefined {
  if (delta.type === 'text_delta' && delta.text) return { type: 'text.delta', index, text: delta.text };
  if (delta.type === 'thinking_delta' && delta.thinking)
    return { type: 'reasoning.delta', index, text: delta.thinking };
  if (delta.type === 'input_json_delta' && delta.partial_json && open.block.type === 'tool_use') {
    return { type: 'call.delta', index, arguments: delta.partial_json };
  }
  return undefined;
}

/**
 * Turns a complete block into a part of the answer. A call keeps its arguments as the raw text that was streamed.
 * Thinking blocks, texts with citations and blocks of other types are kept as JSON text.
 */
export function closeBlock(open: OpenBlock): AnswerPart {
  const { block, citations } = open;
  switch (block.type) {
    case 'text':
      return citations.length === 0 ? { type: 'text', text: textOf(block, 'text') } : nativeOf(open);
    case 'thinking':
    case 'redacted_thinking':
      return { type: 'reasoning', opaque: JSON.stringify(reasoningOf(block)), text: textOf(block, 'thinking') };
    case 'tool_use':
      return { type: 'call', call: textOf(block, 'id'), name: textOf(block, 'name'), arguments: argumentsOf(open) };
    default:
      return nativeOf(open);
  }
}

function withText(open: OpenBlock, field: string, more: string | null | undefined): OpenBlock {
  return { ...open, block: { ...open.block, [field]: textOf(open.block, field) + (more ?? '') } };
}

function textOf(block: WireBlock, field: string): string {
  const value = Object.hasOwn(block, field) ? block[field] : undefined;
  return typeof value === 'string' ? value : '';
}

// Writes the fields `type`, `thinking` and `signature` first, in the order of the API documentation. All other fields
// come after them.
function reasoningOf(block: WireBlock): WireBlock {
  const { type, thinking, signature, ...rest } = block;
  return type === 'thinking' ? { type, thinking: thinking ?? '', signature: signature ?? '', ...rest } : block;
}

// In a stream, a block opens with `input: {}`, and later events contain the text of the arguments. In a whole message,
// the block already contains its input.
function argumentsOf({ block, json }: OpenBlock): string {
  if (json !== '') return json;
  const input = block['input'];
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}

function nativeOf({ block, json, citations }: OpenBlock): AnswerPart {
  const { input, ...rest } = block;
  const cited = citations.length === 0 ? rest : { ...rest, citations };
  const plain = textOf(block, 'text') || textOf(block, 'content') || `[${block.type}]`;
  const item = json === '' ? JSON.stringify(input === undefined ? cited : { ...cited, input }) : withInput(cited, json);
  return { type: 'native', provider: ANTHROPIC.name, item, text: plain };
}

function withInput(block: object, json: string): string {
  return `${JSON.stringify(block).slice(0, -1)},"input":${json}}`;
}

interface MessageStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

const STOPS: ReadonlyMap<string, MessageStop> = new Map([
  ['end_turn', { stop: 'end', truncated: 'no' }],
  ['tool_use', { stop: 'calls', truncated: 'no' }],
  ['stop_sequence', { stop: 'sequence', truncated: 'no' }],
  ['pause_turn', { stop: 'pause', truncated: 'no' }],
  ['max_tokens', { stop: 'length', truncated: 'yes' }],
  ['model_context_window_exceeded', { stop: 'window', truncated: 'yes' }],
  ['refusal', { stop: 'refusal', truncated: 'unknown' }],
  ['compaction', { stop: 'other', truncated: 'no' }],
]);

/** Translates the provider's stop reason. A missing or unknown reason becomes `other`. */
export function decodeStop(
  raw: string | null | undefined,
): Pick<Answer, 'stop' | 'truncated'> & { readonly stopRaw?: string } {
  if (raw === null || raw === undefined) return { stop: 'other', truncated: 'unknown' };
  return { ...(STOPS.get(raw) ?? { stop: 'other', truncated: 'unknown' }), stopRaw: raw };
}

/**
 * Translates the API's comparison with an earlier request. If the field is missing, there is no diagnosis. `null`
 * becomes `same`. The API also sends `null` when the request asked for no comparison, so these two cases cannot be
 * distinguished.
 */
export function decodeDiagnosis(wire: MessageWireDiagnostics | null | undefined): Pick<Answer, 'diagnosis'> {
  if (wire === undefined) return {};
  if (wire === null) return { diagnosis: { found: 'same' } };
  const { type: reason, cache_missed_input_tokens: missed } = wire.cache_miss_reason ?? {};
  switch (reason) {
    case undefined:
    case null:
      return { diagnosis: { found: 'pending' } };
    case 'previous_message_not_found':
      return { diagnosis: { found: 'unknown-response' } };
    case 'unavailable':
      return { diagnosis: { found: 'unavailable' } };
    default:
      return { diagnosis: { found: 'miss', reason, ...(typeof missed === 'number' && { missed }) } };
  }
}

/**
 * Adds the counts of a later event to the counts of an earlier event. Counts in a stream are cumulative, so a later
 * count replaces the earlier one. If the later event does not have a count, the earlier count stays. A count that no
 * event contained is unknown, never 0 (L7).
 */
export function mergeUsage(before: MessageUsage, after: MessageUsage | null | undefined): MessageUsage {
  const present = Object.entries(after ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(present) };
}

/**
 * Decodes the token counts. `input_tokens` counts only the tokens after the last breakpoint. So the three input counts
 * do not overlap (provider-facts §1.4). Every request has input. So if all input counts are 0, the server does not
 * count input. Then every count of 0 is unknown.
 */
export function decodeUsage(usage: MessageUsage): Usage {
  const wire = countsNoInput(usage) ? withoutZeros(usage) : usage;
  const { input_tokens: fresh, cache_read_input_tokens: read } = wire;
  const { writes, written } = decodeWrites(wire);
  return {
    ...(typeof fresh === 'number' && { fresh }),
    ...(typeof read === 'number' && { read }),
    ...defined({ writes, written }),
    ...decodeOutput(wire),
  };
}

function countsNoInput({ input_tokens, ...wire }: MessageUsage): boolean {
  const written = wire.cache_creation;
  const others = [
    wire.cache_read_input_tokens,
    wire.cache_creation_input_tokens,
    written?.ephemeral_5m_input_tokens,
    written?.ephemeral_1h_input_tokens,
  ];
  return input_tokens === 0 && others.every((count) => (count ?? 0) === 0);
}

/** Drops all counts except an output count above 0. */
function withoutZeros({ output_tokens, output_tokens_details }: MessageUsage): MessageUsage {
  return (output_tokens ?? 0) === 0 ? {} : { output_tokens, output_tokens_details };
}

/** Returns only the input counts. Used at the start of a stream, when the output counts are not known yet. */
export function decodeInputUsage(wire: MessageUsage): Usage {
  const { answer: _answer, reasoning: _reasoning, ...input } = decodeUsage(wire);
  return input;
}

/**
 * Returns the written tokens by lifetime. The end of a stream reports a new total, without the split by lifetime. The
 * tokens added to the total were written by the API itself between server tool calls. Their lifetime is 5 minutes
 * (provider-facts §1.1). Gateways, Bedrock and Vertex report a total without any split. If such a total is above 0, it
 * is returned as `written`, with an unknown lifetime.
 */
function decodeWrites(wire: MessageUsage): Pick<Usage, 'writes' | 'written'> {
  const total = wire.cache_creation_input_tokens;
  const hour = wire.cache_creation?.ephemeral_1h_input_tokens;
  const short = wire.cache_creation?.ephemeral_5m_input_tokens;
  if (typeof hour !== 'number')
    return total === 0 ? { writes: [] } : typeof total === 'number' ? { written: total } : {};
  const rest = typeof total === 'number' ? Math.max(0, total - hour) : short;
  if (typeof rest !== 'number') return {};
  const writes: readonly CacheWrite[] = [
    { ttl: '5m', tokens: rest },
    { ttl: '1h', tokens: hour },
  ];
  return { writes: writes.filter(({ tokens }) => tokens > 0) };
}

function decodeOutput(wire: MessageUsage): Usage {
  const output = wire.output_tokens;
  const reasoning = wire.output_tokens_details?.thinking_tokens;
  if (typeof output !== 'number') return {};
  return typeof reasoning === 'number' ? { answer: Math.max(0, output - reasoning), reasoning } : { answer: output };
}
