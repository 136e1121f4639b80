// Encoder of OpenRouter's Chat Completions, revision 1. After a release, its bytes must never change. Any change of the
// bytes needs a new encoder with a new revision.

import type { Encoder, Lowering, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece, BodyForm } from '@tidemark/provider-wire';
import { piece, textHead } from '@tidemark/provider-wire';
import { CHAT_FIELDS, CHAT_RENAMED, chatEncoder, RESULT_PREFIX } from '../chat/dialect.ts';
import { functionMembers, resultWords, wireId } from '../encode/content.ts';
import { OPENROUTER } from '../service.ts';

/** The 5 minute lifetime is the default, so its marker needs no `ttl` field. */
const MARKS = {
  '5m': ',"cache_control":{"type":"ephemeral"}',
  '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}',
} as const satisfies BodyForm['marks'];

/**
 * Encoder for Chat Completions with markers. Every text is a part of a list, because only a part can have a marker
 * (`cache_control`). In OpenRouter's SDK 1.3.19, text parts and tools can have markers, and images cannot.
 */
export const openrouterEncoder: Encoder = chatEncoder({
  service: OPENROUTER,
  api: 'OpenRouter',
  revision: 'openrouter-chat/1',
  appends: [],
  // OpenRouter sends all calls of one session id to the same upstream provider (provider-facts §3.2).
  routing: (cacheKey) => ({ session_id: cacheKey }),
  // Parameters of OpenRouter's SDK 1.3.19. `provider` selects the upstream provider. Each upstream provider has its own
  // cache, so `provider` is a render parameter.
  parameters: {
    fields: new Set([...CHAT_FIELDS, 'provider', 'reasoning', 'top_k']),
    inside: new Map([['reasoning.effort', ['reasoning', 'effort']]]),
    renamed: new Map(CHAT_RENAMED),
  },
  // OpenRouter always reports usage, so no option asks for it.
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

/**
 * An image in the result becomes a line of text with its digest, because not all upstream providers accept an image in
 * a tool message.
 */
function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":[${textHead(text)}`;
  return { ...markable(head, '}]}', 'result', lowering.estimate(text)), run: 'results' };
}

function markable(head: string, tail: string, holds: BlockPiece['holds'], tokens: number): BlockPiece {
  return { ...piece(head, holds, tokens), tail, markable: true };
}

/**
 * Returns the lifetime of the markers in a body. Returns `undefined` if the body has no markers or if their lifetimes
 * differ. The answer reports one number for all written tokens, without a split by lifetime. So this function is needed
 * to find their lifetime.
 */
export function askedLife(body: Uint8Array): '5m' | '1h' | undefined {
  // Inside a text, a quote is escaped. So these bytes can only be a marker.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isShort = bytes.includes(MARKS['5m']);
  const isLong = bytes.includes(MARKS['1h']);
  if (isShort === isLong) return undefined;
  return isShort ? '5m' : '1h';
}
