// Builds one answer of OpenCode from the parts of its message. A message is one call of the model. In older versions a
// message can contain several calls, each of which ends with a part `step-finish`.

import { defined, rawMember } from '@tidemark/core';
import type { AnswerPart, CallId, Json, StopReason, Timestamp } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { listOf, momentOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import { failureOf } from '../format/failure.ts';
import type { Keep } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { filePart } from './opencode-prompt.ts';
import { openCodeUsage } from './opencode-usage.ts';

/** Answer to which more parts may be added. */
export interface OpenCodeAnswer {
  /** Row of the message. */
  readonly message: JsonObject;
  readonly from: From;
  readonly provider: string;
  readonly model: string;
  startedAt: Timestamp | undefined;
  /** Time of the last part that the model wrote. */
  at: Timestamp;
  parts: AnswerPart<CallId>[];
  /** Results of the calls in `parts`. */
  results: ImportedMove[];
  /** Number of calls of the model that are finished. */
  finished: number;
  /** All texts of the message, if it is the summary of a compaction. */
  summary: string;
}

/** Returns the answer of a message without parts. */
export function newOpenCodeAnswer(message: JsonObject, from: From): OpenCodeAnswer {
  const startedAt = momentOf(objectOf(message['time'])['created']);
  const provider = nameOf(message['providerID']) ?? 'unknown';
  const model = nameOf(message['modelID']) ?? 'unknown';
  const at = startedAt ?? from.at;
  return {
    message,
    from: { ...from, at },
    provider,
    model,
    startedAt,
    at,
    parts: [],
    results: [],
    finished: 0,
    summary: '',
  };
}

/** Adds a part that the model wrote. `text` is the JSON text of the row. Returns false for any other part. */
export function takeAnswerPart(answer: OpenCodeAnswer, row: JsonObject, text: string, from: From, keep: Keep): boolean {
  switch (row['type']) {
    case 'text': {
      const body = textOf(row['text']) ?? '';
      if (answer.message['summary'] === true) answer.summary += body;
      write(answer, { type: 'text', text: body }, objectOf(row['time'])['end']);
      return true;
    }
    case 'reasoning':
      write(answer, reasoningPart(row), objectOf(row['time'])['end']);
      return true;
    case 'tool':
      return takeCall(answer, row, text, from, keep);
    default:
      return false;
  }
}

function write(answer: OpenCodeAnswer, part: AnswerPart<CallId>, time: Json | undefined): void {
  answer.parts.push(part);
  const at = momentOf(time);
  if (at !== undefined && at > answer.at) answer.at = at;
}

// The provider's data that binds the reasoning to its model is in `metadata`, by the name of the provider.
function reasoningPart(row: JsonObject): AnswerPart<CallId> {
  const text = textOf(row['text']) ?? '';
  const { anthropic, bedrock, openai } = objectOf(row['metadata']);
  const { signature, redactedData } = objectOf(anthropic ?? bedrock);
  if (nameOf(redactedData) !== undefined)
    return { type: 'reasoning', text, opaque: JSON.stringify({ type: 'redacted_thinking', data: redactedData }) };
  if (nameOf(signature) !== undefined)
    return { type: 'reasoning', text, opaque: JSON.stringify({ type: 'thinking', thinking: text, signature }) };
  const { itemId, reasoningEncryptedContent: sealed } = objectOf(openai);
  if (nameOf(sealed) === undefined) return { type: 'reasoning', text };
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  const item = defined({ type: 'reasoning', id: itemId, summary, encrypted_content: sealed });
  return { type: 'reasoning', text, opaque: JSON.stringify(item) };
}

function takeCall(answer: OpenCodeAnswer, row: JsonObject, text: string, from: From, keep: Keep): boolean {
  const id = nameOf(row['callID']);
  const name = nameOf(row['tool']);
  if (id === undefined || name === undefined) return false;
  const call = callId(id);
  const state = objectOf(row['state']);
  const { start, end } = objectOf(state['time']);
  const args = rawMember(rawMember(text, 'state') ?? '', 'input') ?? '{}';
  write(answer, { type: 'call', call, name, arguments: args }, start);
  const { status } = state;
  if (status !== 'completed' && status !== 'error') return true;
  const parts = listOf(state['attachments']).flatMap((one) => filePart(objectOf(one), keep) ?? []);
  const body = textOf(status === 'error' ? state['error'] : state['output']) ?? '';
  const at = momentOf(end) ?? from.at;
  const durationMs = typeof start === 'number' && typeof end === 'number' && end >= start ? end - start : undefined;
  const result: ImportedMove = {
    type: 'result',
    from: { ...from, at },
    call,
    error: status === 'error',
    parts: [{ type: 'text', text: body }, ...parts],
    ...defined({ durationMs }),
  };
  answer.results.push(result);
  return true;
}

/** Ends one call of the model: returns its answer and the results of its calls. */
export function finishStep(
  answer: OpenCodeAnswer,
  tokens: Json | undefined,
  reason: string | undefined,
): readonly ImportedMove[] {
  const { from, at, parts, results } = answer;
  const usage = openCodeUsage(tokens, answer.provider, answer.model);
  const stop = stopOf(reason, parts);
  const move: ImportedMove = {
    type: 'answer',
    from: { ...from, at },
    ...answererOf(answer),
    parts,
    stop,
    ...defined({ stopRaw: reason }),
    truncated: reason === undefined ? 'unknown' : stop === 'length' ? 'yes' : 'no',
    usage: usage ?? {},
  };
  clear(answer, results);
  return [move, ...results];
}

function clear(answer: OpenCodeAnswer, results: readonly ImportedMove[]): void {
  answer.parts = [];
  answer.results = [];
  answer.finished += 1;
  // The next call of the same message starts after the results of this one.
  answer.startedAt = results.at(-1)?.from.at ?? answer.at;
}

function answererOf({ provider, model, startedAt }: OpenCodeAnswer) {
  return { provider, model, ...defined({ startedAt }) };
}

const STOPS: ReadonlyMap<string | undefined, StopReason> = new Map([
  ['stop', 'end'],
  ['tool-calls', 'calls'],
  ['length', 'length'],
  ['content-filter', 'refusal'],
]);

function stopOf(reason: string | undefined, parts: OpenCodeAnswer['parts']): StopReason {
  if (reason === undefined) return parts.some(({ type }) => type === 'call') ? 'calls' : 'end';
  return STOPS.get(reason) ?? 'other';
}

/**
 * Ends a message. Parts after the last finished call are a call without a recorded end: it was interrupted, it failed, or
 * the client stopped. If they contain a tool call, the model had finished. In versions that write no `step-finish`, the
 * message states the end.
 */
export function endMessage(answer: OpenCodeAnswer): readonly ImportedMove[] {
  const { message, parts, finished } = answer;
  const error = objectOf(message['error']);
  const name = nameOf(error['name']);
  const reason = nameOf(message['finish']);
  const hasCalls = parts.some(({ type }) => type === 'call');
  if (hasCalls || (name === undefined && finished === 0 && reason !== undefined))
    return finishStep(answer, finished === 0 ? message['tokens'] : undefined, reason);
  if (name === 'MessageAbortedError') return [cutOff(answer, 'user', undefined)];
  if (parts.length > 0) return [cutOff(answer, 'transport', messageOf(error))];
  return name === undefined || finished > 0 ? [] : [openCodeFailure(error, answer.from, answer.startedAt)];
}

function messageOf(error: JsonObject): string | undefined {
  return nameOf(objectOf(error['data'])['message']) ?? nameOf(error['name']);
}

function cutOff(answer: OpenCodeAnswer, by: 'user' | 'transport', message: string | undefined): ImportedMove {
  const { from, at, parts, provider, model, finished } = answer;
  const usage = finished > 0 ? undefined : openCodeUsage(answer.message['tokens'], provider, model);
  return {
    type: 'interrupted',
    from: { ...from, at },
    ...answererOf(answer),
    by,
    parts,
    ...defined({ usage, message }),
  };
}

/** Returns the move of a failed call. */
export function openCodeFailure(error: JsonObject, from: From, startedAt: Timestamp | undefined): ImportedMove {
  const data = objectOf(error['data']);
  const message = messageOf(error) ?? 'an error without a message';
  const status = typeof data['statusCode'] === 'number' ? `${data['statusCode']}` : '';
  const name = nameOf(error['name']) ?? '';
  const failure =
    name === 'ContextOverflowError' ? failureOf('context window') : failureOf(`${status} ${name} ${message}`);
  return { type: 'failed', from, ...failure, message, ...defined({ startedAt }) };
}
