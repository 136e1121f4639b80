// Parses the bytes of a request body as JSON.

import { isUtf8 } from 'node:buffer';

/**
 * Maximum depth of nested lists and objects. The services publish no limit. This limit is far above any real request.
 * It is low enough that no function that walks through a body overflows the stack.
 */
export const DEEPEST = 1_000;

/** Text of the refusal of a body that is nested too deeply. */
export const TOO_DEEP: string = `simulator: the body is nested deeper than ${DEEPEST} levels. Send a flatter body.`;

/** Returns the parsed body, `undefined` if it is not JSON in UTF-8, or `too-deep`. */
export function parseBody(body: Uint8Array): { readonly value: unknown } | 'too-deep' | undefined {
  if (!isUtf8(body)) return undefined;
  if (depthOf(body) > DEEPEST) return 'too-deep';
  try {
    return { value: JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) };
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Counts brackets outside of strings. So a body that is too deep is refused before it is parsed. */
function depthOf(body: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (isText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, (depth += 1));
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return deepest;
}
