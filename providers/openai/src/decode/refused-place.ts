// Which block of a request a refusal is about (provider facts 2.5): a path in its parameter or its words, a call's id, or a
// code for what it is.

import type { RefusedPlace } from '@tidemark/model';

const PATH = /\b(?:input|messages)\.?\[(\d+)\](?:\.(content|output)\[(\d+)\])?/;

/** `No tool output found for function call call_1.`; `No tool call found for function call output with call_id call_1.` */
const CALL = /\bno tool (?:output|call) found for .{0,40}?call(?: output with call_id)? ([a-zA-Z0-9_-]+)\.?$/i;

const REASONING = /of type 'reasoning'|Item with id 'rs_/;

/** What of a failure says it. */
interface RefusalWords {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** What a refusal names; `undefined` where it is about no single block. */
export function refusedPlace({ code = '', param = '', message }: RefusalWords): RefusedPlace | undefined {
  const [, index, list, at] = PATH.exec(param) ?? PATH.exec(message) ?? [];
  const [, call] = CALL.exec(message) ?? [];
  const holds = holdsOf(code, message, call);
  // A whole item, and one of its fields, may be refused for what this project made of it: only a part of it is a block.
  const pointed = index !== undefined && (at !== undefined || holds !== undefined);
  if (!pointed && holds === undefined) return undefined;
  return {
    ...(holds !== undefined && { holds }),
    ...(pointed && { message: Number(index) }),
    ...(at !== undefined && { [list === 'content' ? 'content' : 'inner']: Number(at) }),
    ...(call !== undefined && { call }),
  };
}

function holdsOf(code: string, message: string, call: string | undefined): RefusedPlace['holds'] {
  if (code === 'invalid_encrypted_content' || REASONING.test(message)) return 'thinking';
  if (call !== undefined) return 'call';
  return /image/.test(code) || /\bimages?\b|image_url/i.test(message) ? 'image' : undefined;
}
