// Pieces of Chat Completions messages. Words go as one string per message, as every compatible server takes that; parts
// of a list only where an image is among them.

import type { ImagePart, Lowering, ResultPart, Role } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { RESULT_PREFIX } from './call.ts';
import { PART_PREFIX } from './chat-form.ts';
import { imageStub, wireImage } from '../encode/image.ts';
import { piece } from '../encode/piece.ts';
import { resultWords } from '../encode/result-text.ts';
import { wireId } from '../encode/wire-names.ts';
import { insideString, jsonString } from '../encode/wire-text.ts';
import { OPENAI } from '../service.ts';

/** The inside of a string: neighbours of one message are joined. None for blank text. */
export function wordsPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : piece(insideString(text), 'text', lowering.estimate(text));
}

/** A text part of a list. None for blank text. */
export function partPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  return piece(`${PART_PREFIX}text","text":${jsonString(text)}}`, 'text', lowering.estimate(text));
}

/** An image part of a user's list; words for it anywhere else (L6). */
export function imagePiece(image: ImagePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (role !== 'user') return wordsPiece(imageStub(image, `a message of role ${role} takes none`).text, lowering);
  const made = wireImage(OPENAI, image, lowering);
  if (made.kind === 'stub') return partPiece(made.text, lowering);
  const head = `${PART_PREFIX}image_url","image_url":{"url":"${made.url}"}}`;
  return piece(head, 'image', made.tokens, made.mediaBytes);
}

/** A tool message, which takes words alone: an image in it becomes a line with its digest. */
export function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const text = resultWords(part);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":${jsonString(text)}}`;
  return piece(head, 'result', lowering.estimate(text));
}
