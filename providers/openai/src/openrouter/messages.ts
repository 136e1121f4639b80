// Pieces of messages. Words are parts of lists throughout, as only a part can carry a marker (`cache_control`, OpenRouter's
// SDK 1.3.19: text parts and tools have one, images do not).

import type { ImagePart, Lowering, ResultPart, Role, FrontToolDefinition } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { RESULT_PREFIX } from '../chat/call.ts';
import { imageStub, wireImage } from '../encode/image.ts';
import { piece } from '../encode/piece.ts';
import { resultWords } from '../encode/result-text.ts';
import { functionMembers } from '../encode/tool.ts';
import { wireId } from '../encode/wire-names.ts';
import { jsonString } from '../encode/wire-text.ts';
import { OPENROUTER } from './service.ts';

/** A tool. */
export function toolPiece(tool: FrontToolDefinition, lowering: Lowering): BlockPiece {
  const head = `{"type":"function","function":{${functionMembers(OPENROUTER, tool)}}`;
  return markable(head, '}', 'tool', lowering.estimate(tool.definition));
}

/** A text part. None for blank text. */
export function textPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : markable(textHead(text), '}', 'text', lowering.estimate(text));
}

/** An image part of a user's message; words for it anywhere else (L6). */
export function imagePiece(image: ImagePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (role !== 'user') return textPiece(imageStub(image, `a message of role ${role} takes none`).text, lowering);
  const made = wireImage(OPENROUTER, image, lowering);
  if (made.kind === 'stub') return textPiece(made.text, lowering);
  return piece(`{"type":"image_url","image_url":{"url":"${made.url}"}}`, 'image', made.tokens, made.mediaBytes);
}

/** A tool message of one text part. An image in it becomes a line with its digest: upstreams differ in what they take there. */
export function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":[${textHead(text)}`;
  return { ...markable(head, '}]}', 'result', lowering.estimate(text)), run: 'results' };
}

function textHead(text: string): string {
  return `{"type":"text","text":${jsonString(text)}`;
}

function markable(head: string, tail: string, holds: BlockPiece['holds'], tokens: number): BlockPiece {
  return { ...piece(head, holds, tokens), tail, markable: true };
}
