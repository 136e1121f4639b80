// Reads the messages that the Gemini CLI adds to the history: prompts, context, and results of calls.

import { defined } from '@tidemark/core';
import type { ContentPart, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { isObject, listOf, momentOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Keep } from '../format/format.ts';
import { contentParts, plainText } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { GeminiMessage } from './gemini-record.ts';
import { isAdded, partsOf, toolCallsOf } from './gemini-record.ts';

const GEMINI = 'gemini-cli';

/**
 * Returns the move of a message of the user or of the client. Context with an image becomes a prompt, because a note
 * can contain only text.
 */
export function geminiInput(
  message: GeminiMessage,
  from: From,
  keep: Keep,
  trigger: 'user' | 'subagent',
): ImportedMove {
  const parts = geminiContent(partsOf(message), keep);
  const body = isAdded(message) ? plainText(parts) : undefined;
  if (body !== undefined) return { type: 'note', from, source: GEMINI, body };
  return { type: 'prompt', from, parts, presenter: GEMINI, trigger };
}

/** Returns the results that a message states together with its calls. A call without a result has none. */
export function geminiResults(message: GeminiMessage, from: From, keep: Keep): readonly ImportedMove[] {
  return toolCallsOf(message).flatMap((call) => {
    const id = nameOf(call['id']);
    if (id === undefined || call['result'] === undefined || call['result'] === null) return [];
    const at = momentOf(call['timestamp']) ?? from.at;
    const failed = call['status'] === 'error' || call['status'] === 'cancelled';
    return [resultMove(id, { ...from, at }, failed, call['result'], keep)];
  });
}

/** Returns the move of a result in the form of the Gemini API. */
export function responseMove(response: JsonObject, from: From, keep: Keep): ImportedMove | undefined {
  const id = nameOf(response['id']);
  return id === undefined ? undefined : resultMove(id, from, false, [{ functionResponse: response }], keep);
}

function resultMove(id: string, from: From, failed: boolean, result: Json, keep: Keep): ImportedMove {
  const list = typeof result === 'string' ? [{ text: result }] : isObject(result) ? [result] : listOf(result);
  const parts = list.map(objectOf);
  const error = failed || parts.some((part) => errorIn(part) !== undefined);
  return { type: 'result', from, call: callId(id), error, parts: geminiContent(parts, keep) };
}

function errorIn({ functionResponse }: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(functionResponse)['response'])['error']);
}

/** Returns parts of the Gemini API as content. Bytes are stored outside the log. */
function geminiContent(parts: readonly JsonObject[], keep: Keep): readonly ContentPart[] {
  return contentParts(parts.flatMap(blocksOf), keep);
}

function blocksOf(part: JsonObject): readonly Json[] {
  const text = textOf(part['text']);
  if (text !== undefined) return [{ type: 'text', text }];
  const response = part['functionResponse'];
  if (isObject(response)) return responseBlocks(response);
  const { mimeType, data, displayName } = objectOf(part['inlineData']);
  const kind = textOf(mimeType);
  if (kind === undefined || data === undefined) return [defined(part)];
  if (kind.startsWith('image/')) return [{ type: 'image', mimeType: kind, data }];
  const title = nameOf(displayName);
  return [{ type: 'document', source: { type: 'base64', data }, ...defined({ title }) }];
}

function responseBlocks(response: JsonObject): readonly Json[] {
  const content = objectOf(response['response']);
  const text = textOf(content['output']) ?? textOf(content['error']) ?? JSON.stringify(content);
  return [{ type: 'text', text }, ...listOf(response['parts']).flatMap((one) => blocksOf(objectOf(one)))];
}
