// Builds one answer from its rows. Claude Code writes one row per block, all with the same `message.id`. Results of the
// first calls may be between these rows. The parts keep their order. Usage and stop reason are taken from the last row.

import { defined, rawMember } from '@tidemark/core';
import type {
  Timestamp,
  AnswerPart,
  CallId,
  DiagnosisRecord,
  Json,
  CacheWrite,
  StopReason,
  Usage,
} from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { nameOf, objectOf, isObject, listOf, textOf, countOf } from '../file/fields.ts';
import type { AnswerMove, From } from '../format/move.ts';
import { callId } from '@tidemark/log';
import { rawContent } from '../file/read-records.ts';

/** Answer to which more rows may be added. */
export interface MergingAnswer {
  readonly id: string;
  /** Record of the first row of the answer. */
  readonly first: From;
  readonly startedAt: Timestamp | undefined;
  /** Ordinal of the latest row of the answer. */
  last: number;
  parts: readonly RawPart[];
  message: JsonObject;
  /** Latest row of the answer. */
  row: JsonObject;
  at: Timestamp;
}

/** Returns the id that the rows of one answer share, or `undefined` if the row has no id. */
export function answerId(row: JsonObject): string | undefined {
  return nameOf(objectOf(row['message'])['id']) ?? nameOf(row['requestId']) ?? nameOf(row['uuid']);
}

/**
 * Starts an answer with its first row. `startedAt` is the time of the row before the answer, which is the best known
 * start time of the request.
 */
export function beginAnswer(
  id: string,
  row: JsonObject,
  text: string,
  from: From,
  startedAt?: Timestamp,
): MergingAnswer {
  const message = objectOf(row['message']);
  return {
    id,
    first: from,
    startedAt,
    last: from.ordinal,
    parts: claudeParts(message['content'], text),
    message,
    row,
    at: from.at,
  };
}

/** Adds a row to the answer. */
export function growAnswer(answer: MergingAnswer, row: JsonObject, text: string, from: From): void {
  const message = objectOf(row['message']);
  answer.parts = addParts(answer.parts, claudeParts(message['content'], text));
  answer.message = message;
  answer.row = row;
  answer.last = from.ordinal;
  answer.at = from.at;
}

/** Returns the finished answer as a move. */
export function finishAnswer({ first, startedAt, parts, message, row, at }: MergingAnswer): AnswerMove {
  const word = nameOf(message['stop_reason']);
  const response = nameOf(message['id']);
  const request = nameOf(row['requestRef']);
  const calls = parts.some(({ part }) => part.type === 'call');
  const stop = claudeStop(word, calls);
  return defined({
    type: 'answer',
    from: { ...first, at },
    provider: ANTHROPIC,
    model: nameOf(message['model']) ?? 'unknown',
    startedAt,
    request,
    parts: parts.map(({ part }) => part),
    stop,
    stopRaw: word,
    response,
    truncated: word === undefined ? 'unknown' : stop === 'length' || stop === 'window' ? 'yes' : 'no',
    usage: claudeUsage(message['usage']) ?? {},
    diagnosis: claudeDiagnosis(message['diagnostics']),
  });
}

/**
 * Returns the provider's comparison of the request with the one before it. Source: the field `diagnostics` of
 * Anthropic's Messages API. `null` has two meanings, "no difference" and "not asked", so it is no evidence.
 */
function claudeDiagnosis(value: Json | undefined): DiagnosisRecord | undefined {
  const told = objectOf(objectOf(value)['cache_miss_reason']);
  const reason = nameOf(told['type']);
  if (reason === undefined) return undefined;
  if (reason === 'previous_message_not_found') return { found: 'unknown-response' };
  if (reason === 'unavailable') return { found: 'unavailable' };
  return defined({ found: 'miss', reason, missed: countOf(told['cache_missed_input_tokens']) });
}

// Adds the parts of a row to the parts of the answer. A row may start with all earlier blocks again. These repeated
// blocks are dropped. A call is added only once.
function addParts(before: readonly RawPart[], row: readonly RawPart[]): readonly RawPart[] {
  const repeats = row.length > before.length && before.every(({ raw }, index) => row[index]?.raw === raw);
  const fresh = repeats ? row.slice(before.length) : row;
  const known = new Set(before.flatMap(({ part }) => (part.type === 'call' ? [part.call] : [])));
  return [...before, ...fresh.filter(({ part }) => part.type !== 'call' || !known.has(part.call))];
}

const ANTHROPIC = 'anthropic';

/** Part of an answer, with the exact text of its content block in the transcript. */
export interface RawPart {
  readonly part: AnswerPart<CallId>;
  readonly raw: string;
}

/** Returns the parts of a row, in order. `text` is the raw JSON text of the row. */
function claudeParts(content: Json | undefined, text: string): readonly RawPart[] {
  if (typeof content === 'string') return [{ part: { type: 'text', text: content }, raw: content }];
  const raws = rawContent(text);
  return listOf(content).map((block, index) => {
    const raw = raws[index] ?? JSON.stringify(block);
    return { part: partOf(objectOf(block), raw), raw };
  });
}

function partOf(block: JsonObject, raw: string): AnswerPart<CallId> {
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
      return callOf(block, raw) ?? native(block, raw);
    default:
      return native(block, raw);
  }
}

/**
 * Types of blocks that come from tools that the provider itself runs. The provider accepts these blocks back unchanged.
 */
const SERVED = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/;

/**
 * Provider name for an item that no provider would accept back. The item is kept in the log, and a request contains
 * only its text.
 */
const UNKNOWN = 'unknown';

function native(block: JsonObject, raw: string): AnswerPart<CallId> {
  const type = textOf(block['type']) ?? '';
  const isCall = nameOf(block['id']) !== undefined && nameOf(block['name']) !== undefined && isObject(block['input']);
  const isTaken = SERVED.test(type) && (isCall || type.endsWith('_result'));
  return { type: 'native', provider: isTaken ? ANTHROPIC : UNKNOWN, item: raw, text: textOf(block['text']) ?? '' };
}

function callOf(block: JsonObject, raw: string): AnswerPart<CallId> | undefined {
  const id = nameOf(block['id']);
  const name = nameOf(block['name']);
  if (id === undefined || name === undefined) return undefined;
  return { type: 'call', call: callId(id), name, arguments: rawMember(raw, 'input') ?? '{}' };
}

/**
 * Returns the token counts of a row in disjoint buckets, with the written tokens by lifetime. Returns `undefined` if
 * the row contains no usage or only zeros. The row uses the field names of Anthropic's Messages API.
 */
function claudeUsage(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const fresh = countOf(value['input_tokens']);
  const read = countOf(value['cache_read_input_tokens']);
  const answer = countOf(value['output_tokens']);
  const writes = cacheWrites(value['cache_creation_input_tokens'], value['cache_creation']);
  const counts = [fresh, read, answer, ...(writes ?? []).map((write) => write.tokens)];
  if (counts.every((count) => count === undefined || count === 0)) return undefined;
  return defined({ fresh, read, writes, answer });
}

// Returns the written tokens by lifetime. Written tokens without a known lifetime count as `5m`, the default.
function cacheWrites(total: Json | undefined, split: Json | undefined): readonly CacheWrite[] | undefined {
  const long = countOf(objectOf(split)['ephemeral_1h_input_tokens']);
  const short = countOf(objectOf(split)['ephemeral_5m_input_tokens']);
  const all = countOf(total) ?? (long === undefined && short === undefined ? undefined : (long ?? 0) + (short ?? 0));
  if (all === undefined) return undefined;
  const writes: readonly CacheWrite[] = [
    { ttl: '1h', tokens: long ?? 0 },
    { ttl: '5m', tokens: Math.max(all - (long ?? 0), 0) },
  ];
  return writes.filter((write) => write.tokens > 0);
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'sequence'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'window'],
]);

/**
 * Returns the stop reason of an answer. Many rows contain no stop reason. The result is then `calls` if the answer has
 * calls, else `end`.
 */
function claudeStop(word: string | undefined, calls: boolean): StopReason {
  if (word === undefined) return calls ? 'calls' : 'end';
  return STOPS.get(word) ?? 'other';
}
