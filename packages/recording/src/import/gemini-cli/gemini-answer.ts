// Builds one answer of the Gemini CLI. The client records the readable thoughts, the text, the calls and the token
// counts of an answer in separate fields. Signatures of thoughts are not recorded.

import { defined, rawElements, rawMember } from '@tidemark/core';
import type { AnswerPart, CallId, Json, Timestamp, Usage } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, isObject, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { GeminiMessage } from './gemini-record.ts';
import { partsOf } from './gemini-record.ts';

/** Provider of all answers. The file does not name the service that was used. */
const PROVIDER = 'google';

/** Returns the answer of a message as a move. `model` is used if the message names no model. */
export function geminiAnswer(
  message: GeminiMessage,
  from: From,
  model: string,
  startedAt: Timestamp | undefined,
): ImportedMove {
  return answerMove(answerParts(message), from, {
    model: nameOf(message.fields['model']) ?? model,
    startedAt,
    usage: geminiUsage(message.fields['tokens']) ?? {},
  });
}

/** Returns calls that the file adds to an answer after the answer was read. They become an answer without usage. */
export function lateCalls(message: GeminiMessage, from: From, model: string): ImportedMove | undefined {
  const parts = callParts(message);
  if (parts.length === 0) return undefined;
  return answerMove(parts, from, { model: nameOf(message.fields['model']) ?? model, startedAt: undefined, usage: {} });
}

function answerMove(
  parts: readonly AnswerPart<CallId>[],
  from: From,
  {
    model,
    startedAt,
    usage,
  }: { readonly model: string; readonly startedAt: Timestamp | undefined; readonly usage: Usage },
): ImportedMove {
  return {
    type: 'answer',
    from,
    provider: PROVIDER,
    model,
    ...defined({ startedAt }),
    parts,
    stop: parts.some(({ type }) => type === 'call') ? 'calls' : 'end',
    truncated: 'unknown',
    usage,
  };
}

function answerParts(message: GeminiMessage): readonly AnswerPart<CallId>[] {
  const thoughts = listOf(message.fields['thoughts']).map((thought) => reasoningPart(objectOf(thought)));
  const content = partsOf(message).map(contentPart);
  const named = new Set(content.flatMap((part) => (part.type === 'call' ? [part.call] : [])));
  const calls = callParts(message).filter((part) => part.type !== 'call' || !named.has(part.call));
  return [...thoughts, ...content, ...calls];
}

function reasoningPart({ subject, description }: JsonObject): AnswerPart<CallId> {
  const title = nameOf(subject);
  const lines = [title === undefined ? '' : `**${title}**`, textOf(description) ?? ''];
  return { type: 'reasoning', text: lines.filter((line) => line !== '').join('\n\n') };
}

function callParts(message: GeminiMessage): readonly AnswerPart<CallId>[] {
  const raws = rawElements(rawMember(message.text, 'toolCalls') ?? '');
  return listOf(message.fields['toolCalls']).map((call, index) => {
    const raw = raws[index] ?? JSON.stringify(call);
    return callPart(objectOf(call), rawMember(raw, 'args')) ?? nativePart(objectOf(call));
  });
}

// A part of the content is in the form of the Gemini API.
function contentPart(part: JsonObject): AnswerPart<CallId> {
  const text = textOf(part['text']);
  if (part['thought'] === true) return { type: 'reasoning', text: text ?? '' };
  if (text !== undefined) return { type: 'text', text };
  const call = objectOf(part['functionCall']);
  return callPart(call, JSON.stringify(call['args'] ?? {})) ?? nativePart(part);
}

function callPart(call: JsonObject, args: string | undefined): AnswerPart<CallId> | undefined {
  const id = nameOf(call['id']);
  const name = nameOf(call['name']);
  if (id === undefined || name === undefined) return undefined;
  return { type: 'call', call: callId(id), name, arguments: args ?? '{}' };
}

function nativePart(part: JsonObject): AnswerPart<CallId> {
  return { type: 'native', provider: PROVIDER, item: JSON.stringify(part), text: '' };
}

/**
 * Returns the token counts of an answer in disjoint buckets. In the counts of the client the input includes read tokens.
 * Thoughts, and results of tools of the provider, are counted separately. Returns `undefined` if no tokens were counted.
 * The Gemini API leaves out a count of 0, and the implicit cache bills no written tokens, so both are known.
 */
export function geminiUsage(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = (countOf(value['input']) ?? 0) + (countOf(value['tool']) ?? 0);
  const output = countOf(value['output']) ?? 0;
  const reasoning = countOf(value['thoughts']) ?? 0;
  const read = countOf(value['cached']);
  if (input + output + reasoning === 0) return undefined;
  // In some answers the output includes the thoughts. The total shows it.
  const isIncluded = reasoning > 0 && reasoning <= output && value['total'] === input + output;
  const isSorted = read !== undefined && read <= input;
  return {
    ...(isSorted ? { fresh: input - read, read } : { input }),
    writes: [],
    answer: isIncluded ? output - reasoning : output,
    reasoning,
  };
}
