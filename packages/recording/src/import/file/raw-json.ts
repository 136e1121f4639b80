// Finds the raw text of values inside a JSON text, so that a model's output is kept byte for byte. Parsing and printing
// it again would change the order of integer-like keys, `1.0`, and numbers above 2^53. The text must be valid JSON: it
// was parsed before.

/** Range of a value in a text, from `start` up to but not including `end`. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the value of a key in the object at `at`. If the key occurs twice, the last value counts, as in a JSON
 * parser.
 */
export function rawField(text: string, at: number, key: string): Slice | undefined {
  let index = skipSpace(text, at);
  if (text[index] !== '{') return undefined;
  let found: Slice | undefined;
  index = skipSpace(text, index + 1);
  while (index < text.length && text[index] !== '}') {
    const keyEnd = skipString(text, index);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    if (keyIs(text, index, keyEnd, key)) found = { start, end };
    index = nextItem(text, end);
  }
  return found;
}

/** Returns the items of the list at `at`, or an empty list if there is no list. */
export function rawItems(text: string, at: number): readonly Slice[] {
  const items: Slice[] = [];
  let index = skipSpace(text, at);
  if (text[index] !== '[') return items;
  index = skipSpace(text, index + 1);
  while (index < text.length && text[index] !== ']') {
    const end = skipValue(text, index);
    items.push({ start: index, end });
    index = nextItem(text, end);
  }
  return items;
}

/** Returns the value at the end of a path of keys. The path starts in the object at the start of the text. */
export function rawPath(text: string, ...keys: readonly string[]): Slice | undefined {
  let at: Slice | undefined = { start: 0, end: text.length };
  for (const key of keys) {
    if (at === undefined) return undefined;
    at = rawField(text, at.start, key);
  }
  return at;
}

/**
 * Returns the index after the value that begins at `start`. If the value has no end, the index is above the length of
 * the text.
 */
export function skipValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return skipString(text, start);
  if (first !== '{' && first !== '[') return skipScalar(text, start);
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = skipString(text, index) - 1;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length + 1;
}

function keyIs(text: string, start: number, end: number, key: string): boolean {
  const inner = text.slice(start + 1, end - 1);
  if (inner === key) return true;
  return inner.includes('\\') && JSON.parse(text.slice(start, end)) === key;
}

function nextItem(text: string, end: number): number {
  const index = skipSpace(text, end);
  return text[index] === ',' ? skipSpace(text, index + 1) : index;
}

function skipString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length + 1 : end + 1;
}

function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (index - before) % 2 === 0;
}

function skipScalar(text: string, start: number): number {
  let end = start;
  while (end < text.length && !',]} \t\r\n'.includes(text.charAt(end))) end += 1;
  return end;
}

function skipSpace(text: string, start: number): number {
  let index = start;
  while (index < text.length && ' \t\r\n'.includes(text.charAt(index))) index += 1;
  return index;
}
