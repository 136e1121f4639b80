// Pieces of Chat Completions messages. Words go as one string per message, as every compatible server takes that; parts
// of a list only where an image is among them.

import type { CallPart, ImagePart, Lowering, ResultPart, Role } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { imageStub, wireImage } from '../wire/image.ts';
import type { Piece } from '../wire/piece.ts';
import { piece } from '../wire/piece.ts';
import { isJsonObject } from '@tidemark/json';
import { resultContents } from '../wire/result-text.ts';
import { wireId, wireName } from '../wire/wire-names.ts';
import { insideString, jsonString } from '../wire/wire-text.ts';

/** What a call of an assistant message begins with; the id follows. */
export const CALL_PREFIX = '{"id":"';

/** What a tool message begins with; the id follows. */
export const RESULT_PREFIX = '{"role":"tool","tool_call_id":"';

/** What a part of a list begins with; words never do, as a quote inside a string is escaped. */
export const PART_PREFIX = '{"type":"';

/** The inside of a string: neighbours of one message are joined. None for blank text. */
export function wordsPiece(text: string, lowering: Lowering): Piece | undefined {
  return isBlank(text) ? undefined : piece(insideString(text), 'text', lowering.estimate(text));
}

/** A text part of a list. None for blank text. */
export function partPiece(text: string, lowering: Lowering): Piece | undefined {
  if (isBlank(text)) return undefined;
  return piece(`${PART_PREFIX}text","text":${jsonString(text)}}`, 'text', lowering.estimate(text));
}

/** An image part of a user's list; words for it anywhere else (L6). */
export function imagePiece(image: ImagePart, role: Role, lowering: Lowering): Piece | undefined {
  if (role !== 'user') return wordsPiece(imageStub(image, `a message of role ${role} takes none`).text, lowering);
  const made = wireImage(image, lowering);
  if (made.kind === 'stub') return partPiece(made.text, lowering);
  const head = `${PART_PREFIX}image_url","image_url":{"url":"${made.url}"}}`;
  return piece(head, 'image', made.tokens, made.mediaBytes);
}

/**
 * A call. Compatible servers parse the arguments, so a text that is no JSON object (cut ones, say) is kept as
 * `{"raw":"…"}`: the call and its closing stay a pair.
 */
export function callPiece(part: CallPart, lowering: Lowering): Piece {
  const raw = objectText(part.arguments);
  const called = `{"name":"${wireName(part.name)}","arguments":${jsonString(raw)}}`;
  const head = `${CALL_PREFIX}${wireId(part.call)}","type":"function","function":${called}}`;
  return piece(head, 'call', lowering.estimate(part.name) + lowering.estimate(raw));
}

/** A tool message, which takes words alone: an image in it becomes a line with its digest. */
export function resultPiece(part: ResultPart, lowering: Lowering): Piece {
  const lines = resultContents(part).map((one) =>
    typeof one === 'string' ? one : imageStub(one, 'a tool message takes text only').text,
  );
  const text = lines.join('\n');
  const head = `${RESULT_PREFIX}${wireId(part.call)}","content":${jsonString(text)}}`;
  return piece(head, 'result', lowering.estimate(text));
}

function objectText(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? raw : `{"raw":${jsonString(raw)}}`;
}
