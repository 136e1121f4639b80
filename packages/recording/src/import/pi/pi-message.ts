// Reads the messages of pi. An assistant message becomes a finished or an interrupted answer. The role of any other
// message decides which move it becomes.

import { defined, rawMember } from '@tidemark/core';
import type { AnswerPart, CallId, Json, ContentPart, StopReason, Usage } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { listOf, momentOf, nameOf, objectOf, textOf, countOf, isObject } from '../file/fields.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { contentParts, plainText } from '../format/format.ts';
import type { RawRecord } from '../file/read-records.ts';
import { rawContent } from '../file/read-records.ts';
import type { Keep } from '../format/format.ts';

/** Returns the move of an assistant message. `text` is the raw JSON text of the record that contains the message. */
function piAnswer(message: JsonObject, text: string, from: From): ImportedMove {
  const provider = nameOf(message['provider']) ?? 'unknown';
  const model = nameOf(message['model']) ?? 'unknown';
  const startedAt = momentOf(message['timestamp']);
  const parts = answerParts(message, text, provider);
  const usage = piUsage(message['usage']);
  const answerer = defined({ from, provider, model, parts, startedAt });
  const word = message['stopReason'];
  const cut = word === 'aborted' || word === 'error';
  if (!cut && (parts.length > 0 || usage !== undefined)) return finishedAnswer(answerer, message, usage ?? {});
  const reason = textOf(message['errorMessage']);
  return {
    type: 'interrupted',
    ...answerer,
    by: word === 'aborted' ? 'user' : 'transport',
    ...defined({ usage, message: reason }),
  };
}

type PiAnswer = Extract<ImportedMove, { type: 'answer' }>;

function finishedAnswer(
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
    ...defined({ stopRaw: word, response }),
    truncated: stop === 'length' ? 'yes' : word === undefined ? 'unknown' : 'no',
    usage,
  };
}

function answerParts(message: JsonObject, text: string, provider: string): readonly AnswerPart<CallId>[] {
  const content = message['content'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const raws = rawContent(text);
  return listOf(content).map((block, index) =>
    answerPart(block, raws[index] ?? JSON.stringify(block), provider, message),
  );
}

function answerPart(block: Json, raw: string, provider: string, message: JsonObject): AnswerPart<CallId> {
  const fields = objectOf(block);
  const text = textOf(fields['text']);
  if (fields['type'] === 'text' && text !== undefined) return { type: 'text', text };
  if (fields['type'] === 'thinking') return reasoning(fields, nameOf(message['api']) ?? provider);
  const id = nameOf(fields['id']);
  const name = nameOf(fields['name']);
  if (fields['type'] === 'toolCall' && id !== undefined && name !== undefined) {
    return { type: 'call', call: callId(id), name, arguments: rawMember(raw, 'arguments') ?? '{}' };
  }
  // The block is in pi's own format, which no provider accepts back.
  return { type: 'native', provider: 'pi', item: JSON.stringify(block), text: text ?? '' };
}

// Returns the reasoning part of a thinking block. pi stores the data that binds the block to its model in the field
// `thinkingSignature`. The content of this field depends on the API. For Anthropic it is a signature. For the Responses
// API it is the whole item as JSON. For other APIs it is the name of a field, which binds nothing.
function reasoning(fields: JsonObject, api: string): AnswerPart<CallId> {
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

/** Returns the moves of a `message` entry. */
export function piMessage(entry: JsonObject, raw: RawRecord, from: From, keep: Keep): readonly ImportedMove[] {
  const message = entry['message'];
  if (!isObject(message)) return [{ type: 'foreign', from, reason: 'a message entry without a message' }];
  switch (message['role']) {
    case 'user':
      return [prompt(message, from, keep)];
    case 'assistant':
      return [piAnswer(message, raw.text, from)];
    case 'toolResult':
      return [result(message, from, keep)];
    case 'bashExecution':
      return [bash(message, from)];
    case 'custom':
    case 'hookMessage':
      return [piCustom(message, from, keep)];
    case 'branchSummary':
      return [piBranchSummary(message, from)];
    case 'compactionSummary':
      return [piCompaction(message, from)];
    default:
      return [{ type: 'foreign', from, reason: `a message of the role ${JSON.stringify(message['role'] ?? null)}` }];
  }
}

/**
 * Returns the move for content that an extension added to the context. Content with an image becomes a prompt, because
 * a note can contain only text.
 */
export function piCustom(fields: JsonObject, from: From, keep: Keep): ImportedMove {
  const source = nameOf(fields['customType']) ?? 'custom';
  const parts = contentParts(fields['content'], keep);
  const body = plainText(parts);
  if (body !== undefined) return { type: 'note', from, source, body };
  return { type: 'prompt', from, parts, presenter: source, trigger: 'user' };
}

/**
 * Returns the move for the summary of a branch that the conversation left. An empty summary is kept as a foreign
 * record.
 */
export function piBranchSummary(fields: JsonObject, from: From): ImportedMove {
  const text = nameOf(fields['summary']);
  return text === undefined ? { type: 'foreign', from, reason: 'an empty summary' } : { type: 'branch', from, text };
}

/**
 * Returns the move for a compaction, whose summary replaces history. A compaction without a summary is kept as a
 * foreign record.
 */
export function piCompaction(fields: JsonObject, from: From): ImportedMove {
  const summary = textOf(fields['summary']);
  if (summary === undefined) return { type: 'foreign', from, reason: 'a compaction without a summary' };
  const before = countOf(fields['tokensBefore']);
  return defined({ type: 'compaction', from, summary, trigger: 'recorded', before });
}

function prompt(message: JsonObject, from: From, keep: Keep): ImportedMove {
  if (message['content'] === undefined) return { type: 'foreign', from, reason: 'a user message without content' };
  const parts: readonly ContentPart[] = contentParts(message['content'], keep);
  return { type: 'prompt', from, parts, presenter: 'pi', trigger: 'user' };
}

function result(message: JsonObject, from: From, keep: Keep): ImportedMove {
  const call = nameOf(message['toolCallId']);
  if (call === undefined) return { type: 'foreign', from, reason: 'a tool result that names no call' };
  const error = message['isError'] === true;
  return { type: 'result', from, call: callId(call), error, parts: contentParts(message['content'], keep) };
}

function bash(message: JsonObject, from: From): ImportedMove {
  if (message['excludeFromContext'] === true) return { type: 'foreign', from };
  const command = textOf(message['command']) ?? '';
  const output = textOf(message['output']) ?? '';
  const code = countOf(message['exitCode']);
  const end = message['cancelled'] === true ? '\n(cancelled)' : code === undefined ? '' : `\n(exit code ${code})`;
  return { type: 'note', from, source: 'bash', body: `$ ${command}\n${output}${end}` };
}

/**
 * Returns the token counts of a message in disjoint buckets. Returns `undefined` if all counts are zero, because pi
 * writes zeros for unknown usage.
 */
function piUsage(value: Json | undefined): Usage | undefined {
  const { input, output, cacheRead, cacheWrite } = objectOf(value);
  const fresh = countOf(input);
  const read = countOf(cacheRead);
  const written = countOf(cacheWrite);
  const answer = countOf(output);
  if ([fresh, read, written, answer].every((count) => count === undefined || count === 0)) return undefined;
  return {
    ...defined({ fresh, read }),
    ...(written === undefined ? {} : { writes: written === 0 ? [] : [{ ttl: '5m', tokens: written }] }),
    ...defined({ answer }),
  };
}

const STOPS: ReadonlyMap<Json | undefined, StopReason> = new Map([
  ['stop', 'end'],
  ['toolUse', 'calls'],
  ['length', 'length'],
]);

function piStop(word: Json | undefined): StopReason {
  return STOPS.get(word) ?? 'other';
}
