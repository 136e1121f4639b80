// Encoder of Chat Completions for servers that are compatible with OpenAI, revision 1. After a release, its bytes must
// never change. Any change of the bytes needs a new encoder with a new revision.

import type { Encoder, Envelope, Front, Lowering, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece, BodyFields } from '@tidemark/provider-wire';
import { jsonString, piece } from '@tidemark/provider-wire';
import { functionMembers, insideString, resultWords, wireId } from '../encode/content.ts';
import { isReasoning } from '../model-generation.ts';
import { cacheRouting, OPENAI } from '../service.ts';
import type { ChatDialect } from './dialect.ts';
import { CHAT_FIELDS, CHAT_RENAMED, chatEncoder, PART_PREFIX, RESULT_PREFIX } from './dialect.ts';

/**
 * Dialect of OpenAI's Chat Completions, without markers. A message has its text as one string, because every compatible
 * server accepts a string. A message with an image has a list of parts instead.
 */
export const CHAT_DIALECT: Omit<ChatDialect, 'revision'> = {
  service: OPENAI,
  api: 'Chat Completions',
  appends: ['system'],
  routing: cacheRouting,
  parameters: {
    fields: new Set([...CHAT_FIELDS, 'reasoning_effort']),
    inside: new Map(),
    renamed: new Map([...CHAT_RENAMED, ['reasoning.effort', 'reasoning_effort']]),
  },
  varying: (front, envelope) => ({ ...limitFields(front, envelope), stream_options: { include_usage: true } }),
  tool: (tool, lowering) => {
    const head = `{"type":"function","function":{${functionMembers(OPENAI, tool)}}}`;
    return piece(head, 'tool', lowering.estimate(tool.definition));
  },
  words: (text, inList, lowering) => (inList ? partPiece(text, lowering) : wordsPiece(text, lowering)),
  callRun: 'none',
  result: resultPiece,
};

/**
 * Returns the output limit and the field that requests a stream. OpenAI's reasoning models refuse `max_tokens`.
 * Compatible servers accept only `max_tokens`.
 */
export function limitFields({ model }: Front, { outputLimit }: Envelope): BodyFields {
  return { [isReasoning(model) ? 'max_completion_tokens' : 'max_tokens']: outputLimit, stream: true };
}

/** Encoder for Chat Completions of OpenAI, revision 1. */
export const openaiChatEncoder: Encoder = chatEncoder({ ...CHAT_DIALECT, revision: 'openai-chat/1' });

/**
 * Returns the content of a JSON string without quotes. So the texts of one message can be joined. Returns `undefined`
 * for blank text.
 */
function wordsPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : piece(insideString(text), 'text', lowering.estimate(text));
}

function partPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  return piece(`${PART_PREFIX}text","text":${jsonString(text)}}`, 'text', lowering.estimate(text));
}

/** A tool message contains only text, so an image becomes a line of text with its digest. */
function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":${jsonString(text)}}`;
  return piece(head, 'result', lowering.estimate(text));
}
