// A call as Chat Completions has it, and what its result begins with.

import type { CallPart, Lowering } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { isJsonObject } from '@tidemark/json';
import type { BlockPiece } from '../encode/piece.ts';
import { piece } from '../encode/piece.ts';
import { wireId, wireName } from '../encode/wire-names.ts';
import { jsonString } from '../encode/wire-text.ts';

/** What a call of an assistant message begins with; the id follows. */
export const CALL_PREFIX = '{"id":"';

/** What a tool message begins with; the id follows. */
export const RESULT_PREFIX = '{"role":"tool","tool_call_id":"';

/**
 * A call. Compatible servers parse the arguments, so a text that is no JSON object (cut ones, say) is kept as
 * `{"raw":"…"}`: the call and its closing stay a pair.
 */
export function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const raw = objectText(part.arguments);
  const called = `{"name":"${wireName(part.name)}","arguments":${jsonString(raw)}}`;
  const head = `${CALL_PREFIX}${wireId(part.call)}","type":"function","function":${called}}`;
  return piece(head, 'call', lowering.estimate(part.name) + lowering.estimate(raw));
}

function objectText(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? raw : `{"raw":${jsonString(raw)}}`;
}
