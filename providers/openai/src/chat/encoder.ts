// The encoder of Chat Completions for servers that are compatible with OpenAI's, revision 1. Its bytes are frozen once released:
// another way of writing is another revision beside it.

import type { Encoder, Lowering, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece } from '@tidemark/provider-wire';
import { jsonString, piece } from '@tidemark/provider-wire';
import { functionMembers, insideString, resultWords, wireId } from '../encode/content.ts';
import { isReasoning } from '../model-generation.ts';
import { cacheRouting, OPENAI } from '../service.ts';
import { CHAT_FIELDS, CHAT_RENAMED, chatEncoder, PART_PREFIX, RESULT_PREFIX } from './dialect.ts';

/**
 * Chat Completions with words as one string per message, as every compatible server takes that; parts of a list only where an
 * image is among them. No markers.
 */
export const openaiChatEncoder: Encoder = chatEncoder({
  service: OPENAI,
  api: 'Chat Completions',
  revision: 'openai-chat/1',
  appends: ['system'],
  routing: cacheRouting,
  parameters: {
    fields: new Set([...CHAT_FIELDS, 'reasoning_effort']),
    inside: new Map(),
    renamed: new Map([...CHAT_RENAMED, ['reasoning.effort', 'reasoning_effort']]),
  },
  // OpenAI's reasoning models refuse `max_tokens`; compatible servers know nothing else.
  varying: ({ model }, { outputLimit }) => ({
    [isReasoning(model) ? 'max_completion_tokens' : 'max_tokens']: outputLimit,
    stream: true,
    stream_options: { include_usage: true },
  }),
  tool: (tool, lowering) => {
    const head = `{"type":"function","function":{${functionMembers(OPENAI, tool)}}}`;
    return piece(head, 'tool', lowering.estimate(tool.definition));
  },
  words: (text, inList, lowering) => (inList ? partPiece(text, lowering) : wordsPiece(text, lowering)),
  callRun: 'none',
  result: resultPiece,
});

/** The inside of a string: neighbours of one message are joined. None for blank text. */
function wordsPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : piece(insideString(text), 'text', lowering.estimate(text));
}

/** A text part of a list. None for blank text. */
function partPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  return piece(`${PART_PREFIX}text","text":${jsonString(text)}}`, 'text', lowering.estimate(text));
}

/** A tool message, which takes words alone: an image in it becomes a line of text with its digest. */
function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":${jsonString(text)}}`;
  return piece(head, 'result', lowering.estimate(text));
}
