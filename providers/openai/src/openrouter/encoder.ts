// The encoder of OpenRouter's Chat Completions, revision 1. Its bytes are frozen once released: another way of writing is another
// revision beside it.

import type { Encoder, Lowering, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece, BodyForm } from '@tidemark/provider-wire';
import { piece, textHead } from '@tidemark/provider-wire';
import { CHAT_FIELDS, CHAT_RENAMED, chatEncoder, RESULT_PREFIX } from '../chat/dialect.ts';
import { functionMembers, resultWords, wireId } from '../encode/content.ts';
import { OPENROUTER } from '../service.ts';

/** The two markers. The 5 minute lifetime is the default and has no field. */
const MARKS = {
  '5m': ',"cache_control":{"type":"ephemeral"}',
  '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}',
} as const satisfies BodyForm['marks'];

/**
 * Chat Completions that takes markers. Words are parts of lists throughout, as only a part can carry a marker (`cache_control`,
 * OpenRouter's SDK 1.3.19: text parts and tools have one, images do not).
 */
export const openrouterEncoder: Encoder = chatEncoder({
  service: OPENROUTER,
  api: 'OpenRouter',
  revision: 'openrouter-chat/1',
  appends: [],
  // A conversation stays with the upstream that its session was sent to (provider facts 3.2).
  routing: (cacheKey) => ({ session_id: cacheKey }),
  // Of OpenRouter's SDK 1.3.19; `provider` chooses among upstreams, and another one has another cache.
  parameters: {
    fields: new Set([...CHAT_FIELDS, 'provider', 'reasoning', 'top_k']),
    inside: new Map([['reasoning.effort', ['reasoning', 'effort']]]),
    renamed: new Map(CHAT_RENAMED),
  },
  // Usage comes without being asked for.
  varying: (_front, { outputLimit }) => ({ max_completion_tokens: outputLimit, stream: true }),
  marks: MARKS,
  tool: (tool, lowering) => {
    const head = `{"type":"function","function":{${functionMembers(OPENROUTER, tool)}}`;
    return markable(head, '}', 'tool', lowering.estimate(tool.definition));
  },
  words: (text, _inList, lowering) =>
    isBlank(text) ? undefined : markable(textHead(text), '}', 'text', lowering.estimate(text)),
  callRun: 'calls',
  result: resultPiece,
});

/** A tool message of one text part. An image in it becomes a line of text with its digest: upstreams differ in what they take there. */
function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":[${textHead(text)}`;
  return { ...markable(head, '}]}', 'result', lowering.estimate(text)), run: 'results' };
}

function markable(head: string, tail: string, holds: BlockPiece['holds'], tokens: number): BlockPiece {
  return { ...piece(head, holds, tokens), tail, markable: true };
}

/**
 * The one lifetime that all markers in a body ask for; `undefined` without markers, and where they differ. The answer has one number
 * for all that was written, whatever its lifetime.
 */
export function askedLife(body: Uint8Array): '5m' | '1h' | undefined {
  // A quote inside a text is escaped, so these bytes stand nowhere but in a slot.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isShort = bytes.includes(MARKS['5m']);
  const isLong = bytes.includes(MARKS['1h']);
  if (isShort === isLong) return undefined;
  return isShort ? '5m' : '1h';
}
