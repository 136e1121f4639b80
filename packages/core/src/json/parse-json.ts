// JSON that others wrote. V8 parses any depth, and then each function that walks the value by calling itself fills the stack: so depth
// is limited where a text enters.

/** Levels of arrays and objects that a text from outside may have. Records and settings have fewer than 20. */
export const DEEPEST_JSON = 500;

/** A JSON text that is nested deeper than `DEEPEST_JSON` levels. A SyntaxError: it is treated as text that is no JSON. */
export class JsonDepthError extends SyntaxError {
  override readonly name = 'JsonDepthError';

  constructor() {
    super(`it is nested deeper than ${DEEPEST_JSON} levels`);
  }
}

/** Parses a JSON text. @throws SyntaxError for text that is no JSON; JsonDepthError, which is one, for text that is nested too deep. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new JsonDepthError();
  const value: unknown = JSON.parse(text);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns true where a JSON text has more than `DEEPEST_JSON` levels. One pass; of text that is no JSON it says nothing. */
export function isTooDeep(text: string): boolean {
  // Each level has two brackets.
  if (text.length <= 2 * DEEPEST_JSON) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEEPEST_JSON) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Where the string that begins at `start` ends. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
