// A call and its result on the wire.

import type { CallPart, Lowering, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { imageStub, wireImage } from './image.ts';
import type { MessagePiece } from './piece.ts';
import { markablePiece } from './piece.ts';
import { isJsonObject } from '@tidemark/core';
import { wireId, wireName } from './wire-names.ts';
import { jsonString, textHead, wellFormedJson } from './wire-text.ts';

/** What a `tool_use` begins with; the id follows, and a quote ends it. */
export const CALL_PREFIX = '{"type":"tool_use","id":"';

/** What a `tool_result` begins with; the id follows, and a quote ends it. */
export const RESULT_PREFIX = '{"type":"tool_result","tool_use_id":"';

/** For a result that holds no text: the API refuses an empty error, and models take an empty result for a fault. */
const NO_OUTPUT = '(no output)';

/** A `tool_use` block: `type, id, name, input`. */
export function callPiece(part: CallPart, lowering: Lowering): MessagePiece {
  const input = wireInput(part.arguments);
  const head = `${CALL_PREFIX}${wireId(part.call)}","name":"${wireName(part.name)}","input":${input}`;
  return markablePiece(head, 'call', lowering.estimate(part.name) + lowering.estimate(input));
}

/**
 * The arguments as they were streamed when they are a JSON object; nothing as `{}`. Any other text, such as arguments
 * that were cut, cannot stand as `input`: it is kept as `{"raw":"…"}`, so that the call and its closing stay a pair.
 */
export function wireInput(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? wellFormedJson(raw) : `{"raw":${jsonString(raw)}}`;
}

/** A `tool_result` block: `type, tool_use_id, is_error` (only when true)`, content`. */
export function resultPiece(part: ResultPart, lowering: Lowering): MessagePiece {
  const contents = resultContents(part, lowering);
  const content = contents.map(({ head }) => `${head}}`).join(',');
  const head = `${RESULT_PREFIX}${wireId(part.call)}",${part.error ? '"is_error":true,' : ''}"content":[${content}]`;
  const total = (field: 'tokens' | 'mediaBytes'): number => contents.reduce((sum, one) => sum + one[field], 0);
  return markablePiece(head, 'result', total('tokens'), total('mediaBytes'));
}

interface Content {
  readonly head: string;
  readonly tokens: number;
  readonly mediaBytes: number;
}

function resultContents(part: ResultPart, lowering: Lowering): readonly Content[] {
  const contents: Content[] = [];
  for (const piece of part.content) {
    if (piece.type === 'image') contents.push(resultImage(piece, part.error, lowering));
    else if (!isBlank(piece.text)) contents.push(resultText(piece.text, lowering));
  }
  return contents.length === 0 ? [resultText(NO_OUTPUT, lowering)] : contents;
}

function resultText(text: string, lowering: Lowering): Content {
  return { head: textHead(text), tokens: lowering.estimate(text), mediaBytes: 0 };
}

// "all content must be type "text" if "is_error" is true" is a 400.
function resultImage(image: Parameters<typeof wireImage>[0], error: boolean, lowering: Lowering): Content {
  return error ? imageStub(image, 'a failed result takes text only', lowering.estimate) : wireImage(image, lowering);
}
