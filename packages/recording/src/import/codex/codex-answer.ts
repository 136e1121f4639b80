// Builds one answer of the Codex CLI from its items. The rollout does not mark where an answer ends: the reader decides
// it by the token counts and by the records between the items.

import { defined, rawMember } from '@tidemark/core';
import type { AnswerPart, CallId, Json, Timestamp, Usage } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, isObject, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import { billsWrites } from '../format/bills-writes.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CodexRecord } from './codex-record.ts';

/** Answer to which more items may be added. */
export interface CodexAnswer {
  readonly first: From;
  readonly startedAt: Timestamp | undefined;
  readonly provider: string;
  readonly model: string;
  /** Token counts that the rollout states before the items. */
  readonly usage: Usage | undefined;
  readonly parts: AnswerPart<CallId>[];
  at: Timestamp;
}

/** Token counts of one call, and the id that the provider gave to the answer. */
export interface CodexCounts {
  readonly usage: Usage;
  readonly response?: string | undefined;
}

/** Returns the finished answer as a move. */
export function finishedCodexAnswer(answer: CodexAnswer, counts: CodexCounts | undefined): ImportedMove {
  const { first, startedAt, provider, model, parts, at } = answer;
  const calls = parts.some(({ type }) => type === 'call');
  return {
    type: 'answer',
    from: { ...first, at },
    provider,
    model,
    ...defined({ startedAt, response: counts?.response }),
    parts,
    stop: calls ? 'calls' : 'end',
    truncated: 'unknown',
    usage: counts?.usage ?? answer.usage ?? {},
  };
}

/** Returns the move of an answer that was cut off. */
export function cutCodexAnswer(answer: CodexAnswer, by: 'user' | 'transport'): ImportedMove {
  const { first, startedAt, provider, model, parts, usage, at } = answer;
  return { type: 'interrupted', from: { ...first, at }, by, provider, model, parts, ...defined({ startedAt, usage }) };
}

/** Returns the part of an item that a model wrote. */
export function codexPart({ type, payload, text }: CodexRecord): AnswerPart<CallId> {
  switch (type) {
    case 'message':
      return messagePart(payload);
    case 'reasoning':
      return reasoningPart(payload, text());
    case 'function_call':
      return callPart(payload, textOf(payload['arguments']) ?? '{}') ?? nativePart(type, text());
    case 'custom_tool_call':
      return callPart(payload, JSON.stringify({ input: payload['input'] ?? '' })) ?? nativePart(type, text());
    case 'local_shell_call':
      return ownTool('local_shell', payload, rawMember(text(), 'action')) ?? nativePart(type, text());
    case 'tool_search_call':
      return ownTool('tool_search', payload, rawMember(text(), 'arguments')) ?? nativePart(type, text());
    default:
      return nativePart(type, text());
  }
}

function messagePart(payload: JsonObject): AnswerPart<CallId> {
  const text = listOf(payload['content'])
    .map((part) => textOf(objectOf(part)['text']) ?? textOf(objectOf(part)['refusal']) ?? '')
    .join('');
  return { type: 'text', text, ...defined({ phase: nameOf(payload['phase']) }) };
}

// Reasoning without its encrypted content is bound to nothing, and no request contains it again.
function reasoningPart(payload: JsonObject, text: string): AnswerPart<CallId> {
  const summary = textsOf(payload['summary']);
  const readable = summary.length > 0 ? summary : textsOf(payload['content']);
  const sealed = nameOf(payload['encrypted_content']) !== undefined;
  return { type: 'reasoning', ...(sealed ? { opaque: text } : {}), text: readable.join('\n\n') };
}

function textsOf(list: Json | undefined): readonly string[] {
  return listOf(list).flatMap((part) => nameOf(objectOf(part)['text']) ?? []);
}

function callPart(payload: JsonObject, args: string): AnswerPart<CallId> | undefined {
  const call = nameOf(payload['call_id']);
  const name = nameOf(payload['name']);
  if (call === undefined || name === undefined) return undefined;
  const space = nameOf(payload['namespace'])?.replace(/_+$/, '');
  return { type: 'call', call: callId(call), name: space === undefined ? name : `${space}__${name}`, arguments: args };
}

function ownTool(name: string, payload: JsonObject, args: string | undefined): AnswerPart<CallId> | undefined {
  const call = nameOf(payload['call_id']) ?? nameOf(payload['id']);
  return call === undefined ? undefined : { type: 'call', call: callId(call), name, arguments: args ?? '{}' };
}

function nativePart(type: string, item: string): AnswerPart<CallId> {
  return { type: 'native', provider: 'openai', item, text: `[${type}]` };
}

/**
 * Returns the token counts of a call in disjoint buckets. In the counts of the client the input includes read and
 * written tokens, and the output includes reasoning. Returns `undefined` if no tokens were counted. A count of 0 written
 * tokens is unknown for a model that bills writes, because the client writes 0 also if the provider reports nothing.
 */
export function codexUsage(value: Json | undefined, model: string): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = countOf(value['input_tokens']) ?? 0;
  const output = countOf(value['output_tokens']) ?? 0;
  if (input + output === 0) return undefined;
  const read = countOf(value['cached_input_tokens']);
  const written = countOf(value['cache_write_input_tokens']) ?? 0;
  const reasoning = countOf(value['reasoning_output_tokens']);
  const fresh = input - (read ?? 0) - written;
  const isSorted = read !== undefined && fresh >= 0 && (written > 0 || !billsWrites(model));
  return {
    ...(isSorted && { fresh }),
    ...defined({ read }),
    ...(written > 0 ? { written } : !billsWrites(model) && { writes: [] }),
    ...(!isSorted && fresh >= 0 && { input }),
    ...(reasoning === undefined || reasoning > output ? { answer: output } : { answer: output - reasoning, reasoning }),
  };
}
