// Reads JSON text: parses it with a limit on its depth, and finds members and elements as raw text.

/** Maximum nesting of arrays and objects in a text from outside. Records and settings have fewer than 20 levels. */
export const DEEPEST_JSON = 500;

/**
 * Error for a JSON text that is nested deeper than `DEEPEST_JSON` levels. It is a SyntaxError, so callers handle the
 * text as invalid JSON.
 */
export class JsonDepthError extends SyntaxError {
  override readonly name = 'JsonDepthError';

  constructor() {
    super(`it is nested deeper than ${DEEPEST_JSON} levels`);
  }
}

/**
 * Parses a JSON text.
 *
 * @throws SyntaxError for text that is not JSON; JsonDepthError, a subclass, for text that is nested too deep.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new JsonDepthError();
  const value: unknown = JSON.parse(text);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns true if a JSON text has more than `DEEPEST_JSON` levels. It reads the text in one pass. The result has no
 * meaning for text that is not JSON.
 */
export function isTooDeep(text: string): boolean {
  // Each level needs two brackets, so a shorter text cannot be too deep.
  if (text.length <= 2 * DEEPEST_JSON) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEEPEST_JSON) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/**
 * Returns the index of the closing quote of the string that begins at `start`, or the length of the text if the string
 * is not closed. It searches from quote to quote instead of reading every character, because strings of megabytes
 * (images) are common.
 */
function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

// The next functions return members and elements of JSON as slices of the text, so recorded bytes stay unchanged. If a
// value were parsed and printed again, integer-like keys would be reordered and numbers would change.

/** One member of an object, with the exact text of its value. */
export interface RawMember {
  readonly key: string;
  readonly raw: string;
}

/** Checks that a text is one JSON object. */
export function isJsonObject(text: string): boolean {
  return parseObject(text) !== undefined;
}

/** Returns the fields of a text that is one JSON object, or `undefined` for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the members of an object, in their order. The text must be valid JSON. A text that is not an object has no
 * members.
 */
export function rawMembers(text: string): readonly RawMember[] {
  const members: RawMember[] = [];
  let at = afterSpace(text, 0);
  if (text[at] !== '{') return members;
  at = afterSpace(text, at + 1);
  while (at < text.length && text[at] !== '}') {
    const keyEnd = rawValueEnd(text, at);
    const valueStart = afterSpace(text, afterSpace(text, keyEnd) + 1);
    const end = rawValueEnd(text, valueStart);
    members.push({ key: keyOf(text, at, keyEnd), raw: text.slice(valueStart, end) });
    at = afterComma(text, end);
  }
  return members;
}

/**
 * Returns the elements of an array, in their order. The text must be valid JSON. A text that is not an array has no
 * elements.
 */
export function rawElements(text: string): readonly string[] {
  const elements: string[] = [];
  let at = afterSpace(text, 0);
  if (text[at] !== '[') return elements;
  at = afterSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = rawValueEnd(text, at);
    elements.push(text.slice(at, end));
    at = afterComma(text, end);
  }
  return elements;
}

/**
 * Returns the raw value of one member, or `undefined` if the object has no such member. If a key is repeated, the last
 * value is returned, as in `JSON.parse`.
 */
export function rawMember(text: string, key: string): string | undefined {
  return rawMembers(text).findLast((member) => member.key === key)?.raw;
}

function keyOf(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  const value: unknown = JSON.parse(text.slice(start, end));
  return typeof value === 'string' ? value : inner;
}

function afterComma(text: string, at: number): number {
  const next = afterSpace(text, at);
  return text[next] === ',' ? afterSpace(text, next + 1) : next;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Returns the index after the JSON value that begins at `from`. If a string, an array or an object is not closed before
 * the end of the text, the result is the length of the text plus 1.
 */
export function rawValueEnd(text: string, from = 0): number {
  const first = text[from];
  if (first === '"') return closingQuote(text, from) + 1;
  if (first === '{' || first === '[') return nestedEnd(text, from);
  let at = from;
  while (at < text.length && !isSpace(text.charCodeAt(at)) && !',]}:'.includes(text.charAt(at))) at += 1;
  return at;
}

function nestedEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length + 1;
}
