// An assistant message of pi as a finished, a cut or a failed answer.

import type { AnswerPart, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { listOf, momentOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Slice } from '../file/raw-json.ts';
import { rawField, rawItems, rawPath } from '../file/raw-json.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { piStop, piUsage } from './pi-usage.ts';

/** The move of an assistant message; `text` is the raw text of its record. */
export function piAnswer(message: JsonObject, text: string, from: From): ImportedMove {
  const provider = nameOf(message['provider']) ?? 'unknown';
  const model = nameOf(message['model']) ?? 'unknown';
  const startedAt = momentOf(message['timestamp']);
  const parts = answerParts(message, text, provider);
  const usage = piUsage(message['usage']);
  const answerer = { from, provider, model, parts, ...(startedAt === undefined ? {} : { startedAt }) };
  const word = message['stopReason'];
  const cut = word === 'aborted' || word === 'error';
  if (!cut && (parts.length > 0 || usage !== undefined)) return finished(answerer, message, usage ?? {});
  const reason = textOf(message['errorMessage']);
  return {
    type: 'interrupted',
    ...answerer,
    by: word === 'aborted' ? 'user' : 'transport',
    ...(usage === undefined ? {} : { usage }),
    ...(reason === undefined ? {} : { message: reason }),
  };
}

type PiAnswer = Extract<ImportedMove, { type: 'answer' }>;

function finished(
  answerer: Pick<PiAnswer, 'from' | 'provider' | 'model' | 'parts' | 'startedAt'>,
  message: JsonObject,
  usage: PiAnswer['usage'],
): PiAnswer {
  const word = nameOf(message['stopReason']);
  const response = nameOf(message['responseId']);
  const stop = piStop(word);
  return {
    type: 'answer',
    ...answerer,
    stop,
    ...(word === undefined ? {} : { stopRaw: word }),
    ...(response === undefined ? {} : { response }),
    truncated: stop === 'length' ? 'yes' : word === undefined ? 'unknown' : 'no',
    usage,
  };
}

function answerParts(message: JsonObject, text: string, provider: string): readonly AnswerPart[] {
  const content = message['content'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const at = rawPath(text, 'message', 'content');
  const slices = at === undefined ? [] : rawItems(text, at.start);
  return listOf(content).map((block, index) => answerPart(block, { text, slice: slices[index] }, provider, message));
}

interface Raw {
  readonly text: string;
  readonly slice: Slice | undefined;
}

function answerPart(block: Json, raw: Raw, provider: string, message: JsonObject): AnswerPart {
  const fields = objectOf(block);
  const text = textOf(fields['text']);
  if (fields['type'] === 'text' && text !== undefined) return { type: 'text', text };
  if (fields['type'] === 'thinking') return reasoning(fields, nameOf(message['api']) ?? provider);
  const id = nameOf(fields['id']);
  const name = nameOf(fields['name']);
  if (fields['type'] === 'toolCall' && id !== undefined && name !== undefined) {
    return { type: 'call', call: callId(id), name, arguments: argumentsOf(fields, raw) };
  }
  // In pi's own words, which no provider would take back.
  return { type: 'native', provider: 'pi', item: JSON.stringify(block), text: text ?? '' };
}

function argumentsOf(fields: JsonObject, { text, slice }: Raw): string {
  const at = slice === undefined ? undefined : rawField(text, slice.start, 'arguments');
  return at === undefined ? JSON.stringify(fields['arguments'] ?? {}) : text.slice(at.start, at.end);
}

// pi keeps what binds a thinking block to its model in one text, each API in its own way: Anthropic a signature, the
// Responses API its whole item as JSON, others the name of a field, which binds nothing.
function reasoning(fields: JsonObject, api: string): AnswerPart {
  const thinking = textOf(fields['thinking']) ?? '';
  const signature = nameOf(fields['thinkingSignature']);
  const part = { type: 'reasoning', text: thinking } as const;
  if (signature === undefined) return part;
  if (signature.startsWith('{')) return { ...part, opaque: signature };
  if (!/anthropic|bedrock/.test(api)) return part;
  const item =
    fields['redacted'] === true
      ? { type: 'redacted_thinking', data: signature }
      : { type: 'thinking', thinking, signature };
  return { ...part, opaque: JSON.stringify(item) };
}
